/**
 * Opens sessions that run the project's code, such as policies, functions and triggers. The sessions are reset
 * afterward. Otherwise, prepared statements and session locks, which survive a rollback, would affect the next page
 * that uses the same connection.
 */
import type {
  Database,
  LoginRole,
  Pool,
  TransactionOptions,
  TransactionWork,
} from '../../../platform/database/types.ts';
import { defaultSearchPath, type Identity, settingsOf } from '../persona/act.ts';

/**
 * Returns the role as which the session logs in. Code that runs in a session can switch to every role to which the
 * login role can switch. Therefore, sessions of `postgres` are used only for code that runs as `postgres` anyway.
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
 * Runs a transaction with the persona's claims, either as the persona's role or as another role.
 * @throws {PostgresErrorShape} if requests can't switch to this role
 */
export function inSessionAs<T>(
  database: Database,
  { identity, role }: { readonly identity: Identity; readonly role: string },
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

/** The roles that own the project's and the server's code. All other roles have fewer privileges. */
const trustedOwners = new Set([
  'postgres',
  'supabase_admin',
  'supabase_auth_admin',
  'supabase_storage_admin',
  'supabase_realtime_admin',
]);

/** Whether code that belongs to this role may run with the privilege to read all tables. */
export const isTrusted = (owner: string): boolean => trustedOwners.has(owner);
