/**
 * Implements the setting `[api].auto_expose_new_tables`, which determines whether the API roles can access new objects
 * that the role `postgres` creates in the schema `public`.
 */
import { quoteIdentifier, sql } from '../../base/kernel/sql.ts';
import type { Database } from './types.ts';

const apiRoles = 'anon, authenticated, service_role';
const kinds = [
  ['select, insert, update, delete', 'tables'],
  ['usage, select', 'sequences'],
  ['execute', 'functions'],
] as const;

/**
 * Applies the setting. This function must run after the services' SQL files and before the user's roles, migrations and
 * seeds. The bootstrap already grants these privileges, but they are granted here too, so that the setting can be
 * turned off and on again.
 */
export async function setAutoExposeNewTables(database: Database, expose: boolean): Promise<void> {
  const { ownsSchemas, embedded } = database.info;
  if (!ownsSchemas) return;
  const role = embedded ? 'postgres' : await projectRole(database);
  const statements = kinds.map(([privileges, objects]) => {
    const change = expose
      ? `grant ${privileges} on ${objects} to ${apiRoles}`
      : `revoke ${privileges} on ${objects} from ${apiRoles}`;
    return `alter default privileges for role ${quoteIdentifier(role)} in schema public ${change}`;
  });
  await database.pool('supabase_admin').exec(statements.join(';\n'));
}

/**
 * Returns the role that owns the project's objects. The role is usually `postgres`. On an external server where
 * `postgres` belongs to a different administrator, the role is the one in the server's URL.
 */
async function projectRole(database: Database): Promise<string> {
  const [row] = await database
    .pool('postgres')
    .query<{ name: string }>(sql`select current_user::text as name`);
  return row?.name ?? 'postgres';
}
