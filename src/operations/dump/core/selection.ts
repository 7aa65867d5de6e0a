/** Selects the schemas, objects and rows of a dump. */
import type { CatalogObject, Selection } from '../types.ts';

/**
 * Schemas that Plinth, the hosted service and extensions create. The definitions of these schemas aren't part of a
 * dump, because the target creates the schemas itself. Upstream's CLI (v2.106) excludes the same schemas, except
 * Plinth's own.
 */
const managed: readonly RegExp[] = [
  /^(_plinth|_analytics|_realtime|_supavisor|auth|etl|extensions|pgbouncer|realtime|storage|supabase_functions)$/,
  /^(supabase_migrations|cron|dbdev|graphql|graphql_public|net|pgmq|pgsodium|pgsodium_masks|pgtle|plinth_migrate|repack)$/,
  /^(tiger|tiger_data|topology|vault)$/,
  /^(timescaledb_|_timescaledb_)/,
];
/** Whether Plinth, the hosted service or an extension creates the schema. */
export const isManaged = (schema: string): boolean => managed.some((pattern) => pattern.test(schema));

/** Managed schemas whose tables contain the project's rows. */
const withProjectData = /^(auth|storage|supabase_functions)$/;

/** Publications that the target creates and fills itself. */
const predefinedPublication = /^supabase_realtime_/;

/** Tables whose rows the target writes itself. */
const ownLedgers = new Set(['auth.schema_migrations', 'storage.migrations', 'supabase_functions.migrations']);

/** Managed schemas to which a project can add objects. */
const extendable = new Set(['auth', 'storage', 'realtime']);
const serviceRole = /^(supabase_.*|dashboard_user|pgbouncer)$/;

export interface SelectionOptions {
  /** The schemas that are included. If the list is empty, all schemas except managed schemas are included. */
  readonly schemas: readonly string[];
  /** Tables whose rows are omitted, in the form `schema.table`. */
  readonly excludedTables: readonly string[];
  /** Whether the history of applied migrations is included. */
  readonly withHistory: boolean;
  /** The owner of the schema `auth`. On a server without superuser access, that role owns all objects. */
  readonly authOwner: string | undefined;
}

export function projectSelection({
  schemas,
  excludedTables,
  withHistory,
  authOwner,
}: SelectionOptions): Selection {
  const named = new Set(schemas);
  const excluded = new Set([...ownLedgers, ...excludedTables]);
  const isHistory = (schema: string): boolean => withHistory && schema === 'supabase_migrations';
  const includes = (schema: string): boolean =>
    named.size > 0 ? named.has(schema) : !isManaged(schema) || isHistory(schema);
  return {
    includes,
    includesGlobal: ({ kind, name }) =>
      named.size === 0 && !(kind === 'PUBLICATION' && predefinedPublication.test(name)),
    isOwn: (object) => named.size === 0 && isProjectObject(object, authOwner),
    includesData: (schema, table) =>
      !excluded.has(`${schema}.${table}`) &&
      (includes(schema) || (named.size === 0 && withProjectData.test(schema))),
  };
}

/** Whether a project added the object to a managed schema. */
function isProjectObject(
  { kind, schema = '', owner, functionSchema }: CatalogObject,
  authOwner: string | undefined,
): boolean {
  if (!extendable.has(schema) || kind === 'SCHEMA') return false;
  if (kind === 'POLICY') return true;
  if (kind === 'TRIGGER') return !extendable.has(functionSchema ?? '') && functionSchema !== '_plinth';
  return owner !== undefined && !serviceRole.test(owner) && owner !== authOwner;
}
