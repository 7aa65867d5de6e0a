/** Roles that somebody else names: of a client's request before it is set, of a job before it signs in. */
import { sql } from '../kernel/sql.ts';
import type { Queryable } from './types.ts';
import { PostgresError } from './wire/index.ts';

/**
 * SET ROLE takes `none` for the role that the session signed in as, which no token may stand for: like any other role
 * that does not exist it is refused with 22023.
 */
export function checkRole(role: string): void {
  if (role !== 'none') return;
  throw new PostgresError({ code: '22023', severity: 'ERROR', message: 'role "none" does not exist' });
}

/**
 * A session for code of a project's begins as a role that `postgres` may be, and never as a superuser: who names the role may be
 * the project as well. `db` may look into the catalog. @throws {PostgresError} 28000
 */
export async function checkOutsideRole(db: Queryable, role: string): Promise<void> {
  const [found] = await db.query<{ permitted: boolean }>(sql`
    select not r.rolsuper and coalesce(
        pg_catalog.pg_has_role(pg_catalog.to_regrole('postgres')::pg_catalog.oid, r.oid, 'member'), true) as permitted
    from pg_catalog.pg_roles r where r.rolname = ${role}`);
  if (found?.permitted) return;
  const message =
    found === undefined ? `role "${role}" does not exist` : `role "${role}" is not permitted to run jobs`;
  throw new PostgresError({ code: '28000', severity: 'FATAL', message });
}
