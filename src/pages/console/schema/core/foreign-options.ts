/**
 * Lists the options of foreign servers, user mappings and foreign tables that never contain secrets.
 * All other options count as secrets, because each wrapper names its keys and passwords differently.
 */
export const harmlessOptions: readonly string[] = [
  'application_name',
  'async_capable',
  'batch_size',
  'column_name',
  'dbname',
  'extensions',
  'fdw_startup_cost',
  'fdw_tuple_cost',
  'fetch_size',
  'format',
  'host',
  'hostaddr',
  'keep_connections',
  'object',
  'parallel_abort',
  'parallel_commit',
  'password_required',
  'port',
  'schema_name',
  'sslmode',
  'table',
  'table_name',
  'truncatable',
  'updatable',
  'use_remote_estimate',
  'user',
];

export const isHarmlessOption = (name: string): boolean => harmlessOptions.includes(name);
