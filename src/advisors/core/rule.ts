/** A rule finds problems of one kind in the catalogs. */
import { quoteIdentifier } from '../../kernel/sql.ts';
import type { Catalog, Relation } from '../catalog.ts';
import type { Finding, Fix, RuleInfo } from '../types.ts';

/** One place in the database to which a rule applies. */
export interface Match {
  readonly detail: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Identifies the place within the rule. */
  readonly key: readonly string[];
  readonly affectedRows?: number | null;
  readonly fix?: Fix;
}

export interface Rule extends RuleInfo {
  /** The prefix of the cache key, if it isn't the name. */
  readonly keyPrefix?: string;
  readonly find: (catalog: Catalog) => readonly Match[];
}

/** Returns the address of upstream's documentation of a rule, which describes the problem in more detail. */
export const upstreamDocs = (lint: string): string =>
  `https://supabase.com/docs/guides/database/database-linter?lint=${lint}`;

export function findingsOf(rule: Rule, catalog: Catalog): Finding[] {
  return rule.find(catalog).map(({ detail, metadata, key, affectedRows, fix }) => ({
    name: rule.name,
    title: rule.title,
    level: rule.level,
    facing: 'EXTERNAL',
    categories: [rule.category],
    description: rule.description,
    detail,
    remediation: rule.remediation,
    metadata,
    cache_key: [rule.keyPrefix ?? rule.name, ...key].join('_'),
    ...(affectedRows === undefined || affectedRows === null ? {} : { affected_rows: affectedRows }),
    ...(fix === undefined ? {} : { fix }),
  }));
}

/** The schemas of services and extensions. Their objects are created by migrations that users can't change. */
const systemSchemas = new Set([
  '_plinth',
  '_timescaledb_cache',
  '_timescaledb_catalog',
  '_timescaledb_config',
  '_timescaledb_internal',
  'auth',
  'cron',
  'extensions',
  'graphql',
  'graphql_public',
  'information_schema',
  'net',
  'pgbouncer',
  'pg_catalog',
  'pgmq',
  'pgroonga',
  'pgsodium',
  'pgsodium_masks',
  'pgtle',
  'realtime',
  'repack',
  'storage',
  'supabase_functions',
  'supabase_migrations',
  'tiger',
  'topology',
  'vault',
]);

export const isUserSchema = (schema: string): boolean => !systemSchemas.has(schema);

/** Reports whether a user created this relation. */
export const isUserRelation = ({ schema, ownedByExtension }: Relation): boolean =>
  isUserSchema(schema) && !ownedByExtension;

/** Reports whether the REST API exposes objects of this schema. */
export const isExposed = (catalog: Catalog, schema: string): boolean =>
  catalog.exposedSchemas.includes(schema);

export const qualified = (schema: string, name: string): string =>
  `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;

/** Formats names as PostgreSQL prints an array of them, as in upstream's cache keys. */
export const arrayText = (names: readonly string[]): string =>
  `{${names.map((name) => (/^[^\s{},"\\]+$/.test(name) && !/^null$/i.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`)).join(',')}}`;

export const relationOf = (catalog: Catalog, schema: string, name: string): Relation | undefined =>
  catalog.relations.find((relation) => relation.schema === schema && relation.name === name);
