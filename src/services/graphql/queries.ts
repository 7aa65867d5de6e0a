/** Reads the catalog of a role, and whether the role may use GraphQL. */
import { sql } from '../../base/kernel/sql.ts';
import type { Pool } from '../../platform/database/types.ts';
import { catalogStatement } from './catalog-statement.ts';

export interface RoleCatalog extends RoleAccess {
  /** The JSON text of the catalog. */
  readonly catalog: string;
}

export interface RoleAccess {
  /** The version of the installed extension. Null if the extension isn't installed. */
  readonly version: string | null;
  /** Whether the installed extension is Plinth's own. */
  readonly isOwn: boolean;
  /** Whether the role may call the functions of GraphQL, and the login role may switch to the role. */
  readonly mayCall: boolean;
}

/** @throws {PostgresErrorShape} if the role doesn't exist */
export async function selectRoleCatalog(
  pool: Pool,
  role: string,
  searchPath: readonly string[],
): Promise<RoleCatalog> {
  const [[catalog], [access]] = (await pool.statements(
    [selectCatalog(role, searchPath), selectAccess(role)],
    { readOnly: true, isolation: 'repeatable read', settings: [['search_path', 'pg_catalog, pg_temp']] },
  )) as [[{ catalog: string }], [RoleAccess]];
  return { ...catalog, ...access };
}

function selectCatalog(role: string, searchPath: readonly string[]) {
  const parts = catalogStatement().split(/(\$1|\$2)/);
  const statement = sql.join(
    parts.map((part) => (part === '$1' ? role : part === '$2' ? searchPath : sql.raw(part))),
    '',
  );
  return sql`select (${statement})::text as catalog`;
}

/**
 * A project can revoke the privileges on the functions that a request calls, to turn GraphQL off for a role. `resolve`
 * doesn't exist without the extension.
 */
const selectAccess = (role: string) => sql`
  select
    (select extversion from pg_extension where extname = 'pg_graphql') as version,
    exists (
      select from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = 'graphql' and p.proname = '_plan') as "isOwn",
    pg_has_role(session_user, ${role}::name, 'member') and coalesce((
      select bool_and(has_schema_privilege(${role}::name, n.oid, 'usage')
        and has_function_privilege(${role}::name, p.oid, 'execute'))
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where (n.nspname, p.proname) in (('graphql_public', 'graphql'), ('graphql', 'resolve'))
    ), false) as "mayCall"`;
