/** Lists and ends a user's sessions. */

import type { Transaction } from '../../../platform/database/types.ts';
import { audit } from '../common/audit.ts';
import type { AdminCaller, Caller, UserCaller } from '../common/caller.ts';
import type { Session, User } from '../common/rows.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, authError, internalError } from '../errors.ts';
import type { EndedSession } from '../oauth-server/logout.ts';
import type { NotifiedSession } from '../oauth-server/logout-queries.ts';
import { endAndNotify, endSessionsOf } from '../oauth-server/notify-clients.ts';
import { recordEvent, recordOperatorEvent } from '../security-events/record.ts';
import { isClient, rejectClient } from './authenticate.ts';
import { listBrowserSessions, listSessionPlaces, type SessionPlace } from './browser-queries.ts';
import {
  deleteListedSessions,
  deleteOwnSession,
  deleteSession,
  deleteSessions,
  findSession,
  listSessions,
} from './queries.ts';
import { asUserEnding, asUserSigningOut } from './user-transaction.ts';

export type SignOutScope = 'global' | 'local' | 'others';

/**
 * Ends the user's sessions in the requested scope.
 * @throws {AuthError} no_authorization if an OAuth client requests the scope `others`
 */
export async function signOut(ctx: AuthContext, caller: UserCaller, scope: SignOutScope): Promise<void> {
  const { user, session } = caller;
  // An OAuth client can end its own session, but not the user's other sessions. With the scope `global`, an OAuth
  // client therefore ends only its own session.
  const isOwnOnly = isClient(caller) && !ctx.settings.clientsActAsUsers;
  if (isOwnOnly && scope === 'others') throw rejectClient();
  const endsOne = session && (scope === 'local' || isOwnOnly);
  await logOutSelf(ctx, caller, async (tx) => {
    if (endsOne) return deleteSession(tx, session.id);
    const kept = scope === 'others' && session ? [session.id] : [];
    // Records an event only if sessions were deleted. Otherwise, repeated requests could add any number of events.
    if (await deleteSessions(tx, user.id, kept))
      await recordEvent(ctx, tx, caller, user.id, 'sessions_ended', { scope });
  });
}

/** Ends all of a user's sessions on behalf of an administrator. */
export async function endAllSessions(ctx: AuthContext, user: User): Promise<void> {
  await logOut(() =>
    endSessionsOf(ctx, user.id, async (tx) => {
      await audit(ctx, tx, user, 'logout');
      await recordOperatorEvent(ctx, tx, user.id, 'sessions_ended', { scope: 'global' });
      await deleteSessions(tx, user.id);
    }),
  );
}

/** Signs the caller out. If the caller's session has ended in the meantime, nothing is left to do. */
async function logOutSelf(
  ctx: AuthContext,
  caller: UserCaller,
  end: (tx: Transaction) => Promise<unknown>,
): Promise<readonly EndedSession[]> {
  try {
    return await logOut(() =>
      asUserSigningOut(ctx, caller, async (tx) => {
        await audit(ctx, tx, caller.user, 'logout');
        await end(tx);
      }),
    );
  } catch (error) {
    if (error instanceof AuthError && error.code === 'session_not_found') return [];
    throw error;
  }
}

async function logOut(
  run: () => Promise<{ readonly ended: readonly NotifiedSession[] }>,
): Promise<readonly EndedSession[]> {
  try {
    return (await run()).ended.map(({ id, client_id: clientId }) => ({ clientId, sessionId: id }));
  } catch (cause) {
    throw cause instanceof AuthError ? cause : internalError('Error logging out user', cause);
  }
}

/** `this` means all sessions in the caller's browser. `others` means all sessions in other browsers. */
export type BrowserScope = 'this' | 'others';

/**
 * Ends the user's sessions in the caller's browser or in all other browsers. Each session with an unknown browser is
 * treated as if it were in a separate browser. Returns the ended sessions whose clients must be notified.
 */
export async function signOutBrowsers(
  ctx: AuthContext,
  caller: UserCaller,
  scope: BrowserScope,
): Promise<readonly EndedSession[]> {
  const { user, session } = caller;
  if (session === undefined) throw authError('session_not_found');
  return logOutSelf(ctx, caller, async (tx) => {
    const ids = ctx.hasOwnTables ? await listBrowserSessions(tx, session) : [session.id];
    if (scope === 'this') await deleteListedSessions(tx, user.id, ids);
    else if (await deleteSessions(tx, user.id, ids))
      await recordEvent(ctx, tx, caller, user.id, 'sessions_ended', { scope });
  });
}

/** Returns the browser and app of each of the user's sessions, by session ID. */
export async function listPlaces(
  ctx: AuthContext,
  user: Pick<User, 'id'>,
): Promise<ReadonlyMap<string, SessionPlace>> {
  const places = ctx.hasOwnTables ? await listSessionPlaces(ctx.pool, user.id) : [];
  return new Map(places.map((place) => [place.session_id, place]));
}

export function listUserSessions(ctx: AuthContext, user: Pick<User, 'id'>): Promise<Session[]> {
  return listSessions(ctx.pool, user.id);
}

/** Ends a single session of the user. @throws {AuthError} validation_failed with status 404 for an unknown session */
export async function endSession(ctx: AuthContext, caller: UserCaller, id: string): Promise<void> {
  const record: RecordEnd = async (tx, device) => {
    await recordEvent(ctx, tx, caller, caller.user.id, 'sessions_ended', { scope: 'one', device });
  };
  requireSessionId(id);
  requireDeleted(await asUserEnding(ctx, caller, (tx) => endOne(ctx, tx, caller, caller.user, id, record)));
}

/** Ends a session of a user on behalf of an administrator. Throws the errors of {@link endSession}. */
export async function endSessionByAdmin(
  ctx: AuthContext,
  caller: AdminCaller,
  user: User,
  id: string,
): Promise<void> {
  const record: RecordEnd = (tx, device) =>
    recordOperatorEvent(ctx, tx, user.id, 'sessions_ended', { scope: 'one', device });
  requireSessionId(id);
  requireDeleted(await endAndNotify(ctx, user.id, (tx) => endOne(ctx, tx, caller, user, id, record)));
}

type RecordEnd = (tx: Transaction, device: string) => Promise<void>;

/** Ends the session. Returns false if the user has no such session. */
async function endOne(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  user: User,
  id: string,
  record: RecordEnd,
): Promise<boolean> {
  const session = await findSession(tx, id);
  if (!(await deleteOwnSession(tx, id, user.id))) return false;
  await audit(ctx, tx, user, 'logout', { traits: { session_id: id }, ip: caller.ip });
  await record(tx, session?.user_agent ?? '');
  return true;
}

function requireSessionId(id: string): void {
  if (!isUuid(id)) throw authError('validation_failed', 'session id must be an UUID', { status: 404 });
}

function requireDeleted(wasDeleted: boolean): void {
  // Doesn't return `session_not_found`, because clients discard their own session when they receive this error code.
  if (!wasDeleted) throw authError('validation_failed', 'Session not found', { status: 404 });
}
