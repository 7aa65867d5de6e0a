/**
 * The schemas of the services and extensions. Plinth's own migrations create these schemas, and operators rarely need
 * them.
 */
const systemSchemas: ReadonlySet<string> = new Set([
  '_plinth',
  'auth',
  'cron',
  'extensions',
  'graphql',
  'graphql_public',
  'information_schema',
  'net',
  'pg_catalog',
  'pgbouncer',
  'pgmq',
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

export const isSystemSchema = (schema: string): boolean =>
  systemSchemas.has(schema) || /^(?:_realtime|_analytics|_timescaledb_)/.test(schema);

/** Sorts the project's schemas before the system schemas, and `public` before all other schemas. */
export const bySchema = (left: string, right: string): number =>
  Number(isSystemSchema(left)) - Number(isSystemSchema(right)) ||
  Number(right === 'public') - Number(left === 'public') ||
  left.localeCompare(right);
