/** `[api].auto_expose_new_tables`: whether new objects of `postgres` in `public` are granted to the API roles. */
import type { Database } from './types.ts';

const apiRoles = 'anon, authenticated, service_role';
const kinds = [
  ['select, insert, update, delete', 'tables'],
  ['usage, select', 'sequences'],
  ['execute', 'functions'],
] as const;

/**
 * To be called after the services' files and before the user's: roles, migrations, seeds. True is what the bootstrap
 * has set; it is granted again, so that the key can be turned back.
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
