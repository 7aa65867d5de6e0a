/**
 * Examines an external server before Plinth makes changes on that server (docs/decisions/0051-external-preflight.md).
 * The preflight's sign-in attempts and queries don't change the server.
 */
import { sql } from '../../../../base/kernel/sql.ts';
import { endOnAbort } from '../../abort.ts';
import type { ConnectionBudget } from '../../connection-budget.ts';
import { DatabaseError } from '../../errors.ts';
import type { Logins } from '../../logins.ts';
import type { Finding, Queryable } from '../../types.ts';
import { Client, type ConnectionOptions } from '../../wire/index.ts';
import type { AuthenticatorLogin, Facts } from './facts.ts';
import { findingsOf } from './findings.ts';
import { type Connected, openSession, readFacts } from './read-facts.ts';

export { type Facts, isManagedByOthers, manageStatement, preparesDatabase } from './facts.ts';
export { findingsOf } from './findings.ts';
export { type Connected, readFacts } from './read-facts.ts';

export interface Preflight {
  /** The open session of the account in the URL. */
  readonly session: Client;
  readonly facts: Facts;
  readonly findings: readonly Finding[];
}

interface PreflightOptions {
  /** The passwords of Plinth's roles, or undefined if the passwords can't be derived. */
  readonly logins: Logins | undefined;
  readonly budget: ConnectionBudget;
  readonly beforeReading?: (session: Client) => Promise<void>;
  /** Ends the preflight and the session when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs the preflight. `beforeReading` is called before the facts are read, unless the server is behind a pooler that doesn't
 * keep sessions.
 * @throws {DatabaseError} unreachable
 */
export async function runPreflight(
  base: ConnectionOptions,
  { logins, budget, beforeReading, signal }: PreflightOptions,
): Promise<Preflight> {
  const { session, pooler } = await openSession({ ...base, connectSignal: signal });
  endOnAbort(session, signal);
  try {
    // A pooler in transaction mode would give the lock to another client.
    if (pooler === 'none' || pooler === 'session') await beforeReading?.(session);
    const authenticator = await tryAuthenticator(session, base, logins);
    const facts = await inReadOnlyTransaction(session, (tx) =>
      readFacts(tx, { pooler, authenticator, budget }),
    );
    return { session, facts, findings: findingsOf(facts) };
  } catch (error) {
    session.connection.destroy();
    throw error;
  }
}

/** Repeats the preflight's checks while the server is in use. */
export const readFindings = async (tx: Queryable, connected: Connected): Promise<readonly Finding[]> =>
  findingsOf(await readFacts(tx, connected));

/**
 * Rejects a server that fails any check.
 * @throws {DatabaseError} unusable, with the messages and statements of the failed checks
 */
export function rejectUnusable(findings: readonly Finding[], host: string): void {
  const faults = findings.filter(({ status }) => status === 'failing');
  if (faults.length === 0) return;
  const reason = faults.map(({ message }) => message).join(' ');
  const statements = faults.flatMap((fault) => fault.statements).join('\n');
  throw new DatabaseError('unusable', { host, reason, statements });
}

async function inReadOnlyTransaction<T>(session: Client, work: (tx: Queryable) => Promise<T>): Promise<T> {
  await session.exec('begin transaction read only');
  const result = await work(session);
  await session.exec('commit');
  return result;
}

async function tryAuthenticator(
  session: Client,
  base: ConnectionOptions,
  logins: Logins | undefined,
): Promise<AuthenticatorLogin> {
  const [row] = await session.query<{ exists: boolean; isSuperuser: boolean }>(sql`
    select exists (select from pg_catalog.pg_roles where rolname = 'authenticator' and rolcanlogin) as exists,
      (select rolsuper from pg_catalog.pg_roles where rolname = current_user) as "isSuperuser"`);
  const target = { ...base, user: 'authenticator' };
  if (logins === undefined) {
    const failure = await signIn(target);
    if (failure === undefined) return 'accepted';
    // PostgreSQL runs this routine only after it has authenticated the client, so an error from the routine means that
    // the role doesn't exist.
    return failure.routine === 'InitializeSessionUserId' ? 'absent' : 'needs password';
  }
  if (!row?.exists) return 'absent';
  const failure = await signIn({ ...target, password: logins.password('authenticator') });
  if (failure === undefined) return 'accepted';
  if (!row.isSuperuser) return 'rejected';
  const [found] = await session.query<{ hasPassword: boolean }>(sql`
    select rolpassword is not null as "hasPassword" from pg_catalog.pg_authid where rolname = 'authenticator'`);
  return found?.hasPassword ? 'rejected' : 'no password';
}

/** Returns the error from a sign-in attempt, or undefined if the attempt succeeds. */
async function signIn(target: ConnectionOptions): Promise<{ readonly routine?: string } | undefined> {
  try {
    const client = await Client.connect(target);
    await client.connection.close();
    return undefined;
  } catch (error) {
    return error as { readonly routine?: string };
  }
}
