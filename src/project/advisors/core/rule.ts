/** Defines rules. Each rule finds one kind of problem in the database's catalogs. */
import { quoteIdentifier } from '../../../base/kernel/sql.ts';
import type { Catalog, Index, Policy, Relation } from '../catalog.ts';
import type { Finding, Fix, RuleInfo } from '../types.ts';

/** A place in the database where a rule found a problem. */
export interface Match {
  readonly detail: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Distinguishes the place from the other places that the rule finds. */
  readonly key: readonly string[];
  readonly affectedRows?: number | null;
  readonly fix?: Fix;
}

export interface Rule extends RuleInfo {
  /** The prefix of the cache key. Defaults to the rule's name. */
  readonly keyPrefix?: string;
  readonly find: (catalog: Catalog) => readonly Match[];
}

/** Returns the URL of upstream's documentation for a rule. The documentation describes the problem in more detail. */
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

/** The schemas of services and extensions. Migrations that users can't change create the objects in these schemas. */
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

/** Returns whether a user created this relation. */
export const isUserRelation = ({ schema, ownedByExtension }: Relation): boolean =>
  isUserSchema(schema) && !ownedByExtension;

/** Returns whether the REST API exposes this schema. */
export const isExposed = (catalog: Catalog, schema: string): boolean =>
  catalog.exposedSchemas.includes(schema);

/** Returns whether the relation is a table or a partitioned table. Only these relations can have policies. */
export const isTable = (relation: Relation | undefined): boolean =>
  relation?.kind === 'table' || relation?.kind === 'partitioned table';

export const qualified = (schema: string, name: string): string =>
  `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;

/** Formats names as a PostgreSQL array, which is the format in upstream's cache keys. */
export const arrayText = (names: readonly string[]): string =>
  `{${names.map((name) => (/^[^\s{},"\\]+$/.test(name) && !/^null$/i.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`)).join(',')}}`;

interface Lookup {
  readonly relations: ReadonlyMap<string, Relation>;
  readonly policies: ReadonlyMap<string, readonly Policy[]>;
  readonly indexes: ReadonlyMap<string, readonly Index[]>;
}

/**
 * Maps that find tables by key, because a linear search for every policy, index and foreign key would take quadratic
 * time.
 */
const lookups = new WeakMap<Catalog, Lookup>();

const keyOf = (schema: string, name: string): string => JSON.stringify([schema, name]);

function lookupOf(catalog: Catalog): Lookup {
  const known = lookups.get(catalog);
  if (known !== undefined) return known;
  const lookup = {
    relations: new Map(
      catalog.relations.map((relation) => [keyOf(relation.schema, relation.name), relation]),
    ),
    policies: Map.groupBy(catalog.policies, ({ schema, table }) => keyOf(schema, table)),
    indexes: Map.groupBy(catalog.indexes, ({ schema, table }) => keyOf(schema, table)),
  };
  lookups.set(catalog, lookup);
  return lookup;
}

export const relationOf = (catalog: Catalog, schema: string, name: string): Relation | undefined =>
  lookupOf(catalog).relations.get(keyOf(schema, name));

export const policiesOf = (catalog: Catalog, schema: string, table: string): readonly Policy[] =>
  lookupOf(catalog).policies.get(keyOf(schema, table)) ?? [];

export const indexesOf = (catalog: Catalog, schema: string, table: string): readonly Index[] =>
  lookupOf(catalog).indexes.get(keyOf(schema, table)) ?? [];
