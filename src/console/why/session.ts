/**
 * Opens sessions that run the project's code, such as policies, functions and triggers. The sessions are reset
 * afterward, because prepared statements and session locks survive a rollback, and the next page would use the same
 * connection.
 */
import type { Database, LoginRole, Pool, TransactionOptions, TransactionWork } from '../../database/types.ts';
import { defaultSearchPath, type Identity, settingsOf } from '../persona/act.ts';

/**
 * Returns the login role. Code in a session can switch to every role that the login role can switch to. Therefore, a
 * session of `postgres` is used only for code that runs as `postgres` anyway.
 */
export function loginFor(identity: Identity, role: string): LoginRole {
  if (role === identity.role && identity.claims === undefined) return identity.operatorRole;
  return role === 'postgres' ? 'postgres' : 'authenticator';
}

/** Runs a transaction in a session that is reset afterward. */
export async function inSession<T>(
  pool: Pool,
  work: TransactionWork<T>,
  options: TransactionOptions,
): Promise<T> {
  const session = await pool.connect();
  try {
    return await session.transaction(work, options);
  } finally {
    session.release();
  }
}

/**
 * Runs a transaction with the persona's claims, as the persona's role or another role.
 * @throws {PostgresErrorShape} if requests can't switch to the role
 */
export function inSessionAs<T>(
  database: Database,
  identity: Identity,
  role: string,
  work: TransactionWork<T>,
  options: TransactionOptions,
): Promise<T> {
  const isOperator = role === identity.role && identity.claims === undefined;
  const settings = isOperator ? [] : settingsOf({ ...identity, role }, defaultSearchPath);
  return inSession(database.pool(loginFor(identity, role)), work, {
    ...options,
    settings: [...(options.settings ?? []), ...settings],
  });
}

/** The owners of the project's and the server's code. Other roles have fewer privileges. */
const trustedOwners = new Set([
  'postgres',
  'supabase_admin',
  'supabase_auth_admin',
  'supabase_storage_admin',
  'supabase_realtime_admin',
]);

/** Whether this role's code may run with the privilege to read all tables. */
export const isTrusted = (owner: string): boolean => trustedOwners.has(owner);
