/** Lists and ends a user's sessions. */

import type { Transaction } from '../../../platform/database/types.ts';
import { audit } from '../common/audit.ts';
import type { AdminCaller, Caller, UserCaller } from '../common/caller.ts';
import type { JsonObject } from '../common/json.ts';
import type { Session, User } from '../common/rows.ts';
import { fromMs, toRfc3339 } from '../common/times.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, authError, internalError } from '../errors.ts';
import type { EndedSession } from '../oauth-server/logout.ts';
import type { NotifiedSession } from '../oauth-server/logout-queries.ts';
import { endAndNotify, endSessionsOf } from '../oauth-server/notify-clients.ts';
import type { SecurityEvent } from '../security-events/events.ts';
import { listEndings } from '../security-events/queries.ts';
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
      await recordEvent(ctx, tx, caller, { userId: user.id, kind: 'sessions_ended', details: { scope } });
  });
}

/** Ends all of a user's sessions on behalf of an administrator. */
export async function endAllSessions(ctx: AuthContext, user: User): Promise<void> {
  await logOut(() =>
    endSessionsOf(ctx, user.id, async (tx) => {
      await audit(ctx, tx, user, { action: 'logout' });
      await recordOperatorEvent(ctx, tx, {
        userId: user.id,
        kind: 'sessions_ended',
        details: { scope: 'global' },
      });
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
        await audit(ctx, tx, caller.user, { action: 'logout' });
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
      await recordEvent(ctx, tx, caller, { userId: user.id, kind: 'sessions_ended', details: { scope } });
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
    await recordEvent(ctx, tx, caller, {
      userId: caller.user.id,
      kind: 'sessions_ended',
      details: { scope: 'one', device },
    });
  };
  requireSessionId(id);
  requireDeleted(
    await asUserEnding(ctx, caller, (tx) => endOne(ctx, tx, caller, { user: caller.user, id, record })),
  );
}

/** Ends a session of a user on behalf of an administrator. Throws the errors of {@link endSession}. */
export async function endSessionByAdmin(
  ctx: AuthContext,
  caller: AdminCaller,
  user: User,
  id: string,
): Promise<void> {
  const record: RecordEnd = (tx, device) =>
    recordOperatorEvent(ctx, tx, {
      userId: user.id,
      kind: 'sessions_ended',
      details: { scope: 'one', device },
    });
  requireSessionId(id);
  requireDeleted(await endAndNotify(ctx, user.id, (tx) => endOne(ctx, tx, caller, { user, id, record })));
}

type RecordEnd = (tx: Transaction, device: string) => Promise<void>;

/** Ends the session. Returns false if the user has no such session. */
async function endOne(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  { user, id, record }: { readonly user: User; readonly id: string; readonly record: RecordEnd },
): Promise<boolean> {
  const session = await findSession(tx, id);
  if (!(await deleteOwnSession(tx, id, user.id))) return false;
  await audit(ctx, tx, user, { action: 'logout', traits: { session_id: id }, ip: caller.ip });
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

export function renderSessionEntry(session: Session, isCurrent: boolean): JsonObject {
  return {
    id: session.id,
    created_at: toRfc3339(session.created_at),
    refreshed_at: session.refreshed_at === null ? null : toRfc3339(session.refreshed_at),
    user_agent: session.user_agent,
    ip: session.ip,
    aal: session.aal ?? 'aal1',
    current: isCurrent,
  };
}

/** Renders the browser and the app of a session. `app` is null for the Account pages and for unknown apps. */
export function renderSessionPlace(place: SessionPlace | undefined): JsonObject {
  const { browser = null, app = null, client_name: name = null, client_uri: uri = null } = place ?? {};
  const isApp = app !== null || name !== null || uri !== null;
  return { browser, app: isApp ? { name, url: app ?? uri } : null };
}

/** `elsewhere` means that the user ended the session from another device. */
export type SessionEnding = 'password_changed' | 'secured' | 'factors_reset' | 'elsewhere' | 'support';

/**
 * Returns why a session ended, based on the latest event since the session's last access token was issued. Returns
 * undefined if no event explains why the session ended. Only the browser in which the session was used may see the
 * result.
 */
export async function explainEnding(
  ctx: AuthContext,
  { userId, sinceMs }: { readonly userId: string; readonly sinceMs: number },
): Promise<SessionEnding | undefined> {
  if (!ctx.hasOwnTables) return undefined;
  const listed = await listEndings(ctx.pool, userId, fromMs(sinceMs));
  // The button "This wasn't me" ends every session, so later events, such as the owner's password change, didn't end
  // this session.
  const events = listed.slice(
    Math.max(
      0,
      listed.findLastIndex(({ kind }) => kind === 'secured'),
    ),
  );
  // Prefers an event that ended several sessions, because an event that ended a single session may concern another
  // session of the user.
  const event = events.find(({ details }) => details.scope !== 'one') ?? events[0];
  return event && endingOf(event);
}

function endingOf({ kind, actor }: SecurityEvent): SessionEnding | undefined {
  if (kind === 'password_changed' || kind === 'secured' || kind === 'factors_reset') return kind;
  return actor === 'operator' ? 'support' : 'elsewhere';
}
