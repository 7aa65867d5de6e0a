/** The roles that Plinth and the services need. */

/** The roles of API requests. Requests switch to the role that their token names. */
export const apiRoles: readonly string[] = ['anon', 'authenticated', 'service_role'];

/** The roles that a service logs in as or that own a service's tables. */
const serviceRoles: ReadonlySet<string> = new Set([
  'authenticator',
  'dashboard_user',
  'pgbouncer',
  'postgres',
  'supabase_admin',
  'supabase_auth_admin',
  'supabase_etl_admin',
  'supabase_functions_admin',
  'supabase_privileged_role',
  'supabase_read_only_user',
  'supabase_realtime_admin',
  'supabase_replication_admin',
  'supabase_storage_admin',
]);

export const isServiceRole = (role: string): boolean => serviceRoles.has(role) || role.startsWith('pg_');

export const isSystemRole = (role: string): boolean => isServiceRole(role) || apiRoles.includes(role);

/** The roles that have to be members of each API role, because they switch to it. */
export const switchingRoles: readonly string[] = [
  'authenticator',
  'supabase_realtime_admin',
  'supabase_storage_admin',
];
