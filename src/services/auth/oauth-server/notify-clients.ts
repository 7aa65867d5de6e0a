/** Notifies OpenID clients when one of their sessions ends (OpenID Connect Back-Channel Logout 1.0). */
import { randomUUID } from 'node:crypto';
import type { Transaction } from '../../../platform/database/types.ts';
import { awaitUser } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { logoutTokenClaims, logoutTokenType } from './client-logout.ts';
import {
  deleteExpiredNotifiedSessions,
  findLiveSessionIds,
  listNotifiedSessions,
  type NotifiedSession,
} from './logout-queries.ts';

const notifyTimeoutMs = 5000;

/** The maximum number of logout tokens per sign-out. */
const maxNotifications = 50;
/** The number of logout tokens sent in parallel. A slow client therefore hardly delays the tokens for other clients. */
const parallelNotifications = 10;

type Notifier = Pick<AuthContext, 'clock' | 'settings' | 'keys' | 'outgoing' | 'log'>;

/**
 * Runs a function that ends a user's sessions, bans the user, or deletes the user. After the commit, notifies the
 * clients whose sessions ended. Returns the function's result and the sessions of clients that have ended.
 */
export async function endSessionsOf<Result>(
  ctx: AuthContext,
  userId: string,
  end: (tx: Transaction) => Promise<Result>,
): Promise<{ readonly result: Result; readonly ended: readonly NotifiedSession[] }> {
  const { result, ended } = await ctx.pool.transaction(async (tx) => {
    // Locks the user's row before any session, like the transactions on behalf of the user, so that they can't deadlock.
    await awaitUser(tx, userId);
    const isObserved = ctx.hasOwnTables && ctx.settings.oauthServer.enabled;
    const before = isObserved ? await listNotifiedSessions(tx, userId, ctx.clock.now()) : [];
    const result = await end(tx);
    const ids = before.map(({ id }) => id);
    const alive = new Set(ids.length === 0 ? [] : await findLiveSessionIds(tx, ids, ctx.clock.now()));
    return { result, ended: before.filter(({ id }) => !alive.has(id)) };
  });
  const notified = ended.filter(({ backchannel_uri: uri }) => uri !== null);
  if (notified.length > 0) await ctx.backgroundWork.do(true, () => notifyAll(ctx, notified));
  return { result, ended };
}

/** Runs {@link endSessionsOf} and returns only the result of `end`. */
export async function endAndNotify<Result>(
  ctx: AuthContext,
  userId: string,
  end: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  return (await endSessionsOf(ctx, userId, end)).result;
}

/** The time after which a round stops and leaves the remaining sessions to the next round. */
const maxRoundMs = 300_000;

/**
 * Ends sessions that have exceeded a limit in `[auth.sessions]` and notifies their clients. Notifies the clients of a
 * batch in parallel, so slow clients delay the server's shutdown by at most one response timeout.
 */
export async function endExpiredSessions(
  ctx: Notifier & Pick<AuthContext, 'pool' | 'hasOwnTables'>,
  isStopping: () => boolean = () => false,
): Promise<void> {
  if (!ctx.hasOwnTables || !ctx.settings.oauthServer.enabled) return;
  const endMs = performance.now() + maxRoundMs;
  while (!isStopping() && performance.now() < endMs) {
    const { pool, settings, clock } = ctx;
    const size = parallelNotifications;
    const ended = await deleteExpiredNotifiedSessions(pool, settings.sessions, clock.now(), size);
    await notifyAll(ctx, ended);
    if (ended.length < size) return;
  }
}

/**
 * Sends a logout token to each client. An unreachable client doesn't affect other clients. Limits the number of
 * requests, because anyone can register clients and a user can authorize any number of client sessions.
 */
async function notifyAll(ctx: Notifier, ended: readonly NotifiedSession[]): Promise<void> {
  const notified = ended.slice(0, maxNotifications);
  if (notified.length < ended.length) {
    const fields = { service: 'auth', userId: ended[0]?.user_id, skipped: ended.length - notified.length };
    ctx.log.warn(fields, 'too many ended sessions to send a logout token for each');
  }
  for (let next = 0; next < notified.length; next += parallelNotifications) {
    const batch = notified.slice(next, next + parallelNotifications);
    await Promise.all(batch.map((session) => sendLogoutToken(ctx, session)));
  }
}

async function sendLogoutToken(ctx: Notifier, session: NotifiedSession): Promise<void> {
  const { id: sessionId, user_id: userId, client_id: clientId, backchannel_uri: url } = session;
  if (url === null) return;
  const nowSeconds = Math.floor(ctx.clock.now() / 1000);
  const issuer = ctx.settings.issuer();
  const claims = { issuer, clientId, userId, sessionId, tokenId: randomUUID(), nowSeconds };
  const token = ctx.keys.sign(logoutTokenClaims(claims), logoutTokenType);
  try {
    const { status } = await ctx.outgoing.send({
      url,
      // Anyone can register a dynamic client, so logout tokens for dynamic clients are sent only to public networks.
      reach: session.registration_type === 'manual' ? 'configured' : 'public',
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token: token }).toString(),
      timeoutMs: notifyTimeoutMs,
    });
    if (status >= 300)
      ctx.log.warn({ service: 'auth', clientId, status }, 'a client rejected a logout token');
  } catch (error) {
    ctx.log.warn({ service: 'auth', clientId, error }, 'failed to send a logout token');
  }
}
