/**
 * Checks roles that clients or projects specify, such as a request's role before SET ROLE, or a job's role before a
 * session is opened for the job.
 */
import { sql } from '../../base/kernel/sql.ts';
import type { Queryable } from './types.ts';
import { PostgresError } from './wire/index.ts';

/**
 * Rejects the role `none`. SET ROLE NONE would switch to the session's own role, which a token must not select. `none`
 * is rejected with SQLSTATE 22023, like a role that doesn't exist.
 */
export function checkRole(role: string): void {
  if (role !== 'none') return;
  throw new PostgresError({ code: '22023', severity: 'ERROR', message: 'role "none" does not exist' });
}

/**
 * Checks that a project's code is allowed to run as the role. The project may have chosen the role, so `postgres` must
 * be able to switch to the role and the role must not be a superuser. `db` must be able to read the catalog.
 * @throws {PostgresError} 28000
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
