/**
 * Implements `[api].auto_expose_new_tables`, which determines whether new objects that `postgres` creates in `public`
 * are granted to the API roles.
 */
import type { Database } from './types.ts';

const apiRoles = 'anon, authenticated, service_role';
const kinds = [
  ['select, insert, update, delete', 'tables'],
  ['usage, select', 'sequences'],
  ['execute', 'functions'],
] as const;

/**
 * Must run after the services' SQL files and before the user's roles, migrations and seeds. The bootstrap grants these
 * privileges. They are granted again here so that the setting can be changed back.
 */
export async function setAutoExposeNewTables(database: Database, expose: boolean): Promise<void> {
  if (!database.info.ownsSchemas) return;
  const statements = kinds.map(([privileges, objects]) => {
    const change = expose
      ? `grant ${privileges} on ${objects} to ${apiRoles}`
      : `revoke ${privileges} on ${objects} from ${apiRoles}`;
    return `alter default privileges for role postgres in schema public ${change}`;
  });
  await database.pool('supabase_admin').exec(statements.join(';\n'));
}
