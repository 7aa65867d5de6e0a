/** The role of a client's request, before it is set. */
import { PostgresError } from './wire/index.ts';

/**
 * SET ROLE takes `none` for the role that the session signed in as, which no token may stand for: like any other role
 * that does not exist it is refused with 22023.
 */
export function checkRole(role: string): void {
  if (role !== 'none') return;
  throw new PostgresError({ code: '22023', severity: 'ERROR', message: 'role "none" does not exist' });
}
