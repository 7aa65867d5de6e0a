/** Refreshes sessions. The rules for each case are in `sessions/refresh-rules.ts`. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Transaction } from '../../../platform/database/types.ts';
import type { Caller } from '../common/caller.ts';
import { assurance } from '../common/claims.ts';
import { currentDeadline } from '../common/deadline.ts';
import { isBanned } from '../common/render-user.ts';
import type { RefreshToken, Session } from '../common/rows.ts';
import { toMs } from '../common/times.ts';
import { findUserById, lockUser } from '../common/user-queries.ts';
import type { AuthContext } from '../context.ts';
import { type AuthError, authError, OAuthShapedError } from '../errors.ts';
import { organizationClaims } from '../organizations/claims.ts';
import { clientOf, signSession } from './issue.ts';
import type { IssuedSession } from './issued-session.ts';
import { findSession, listSessions, lockSession, setRefreshInfo } from './queries.ts';
import { checkSession, lastRefreshedMs, sessionTimes } from './refresh-rules.ts';
import { deleteRefreshToken, findRefreshToken, lockRefreshToken } from './refresh-token-queries.ts';
import { parseRefreshToken, type SignedRefreshToken } from './refresh-token-v2.ts';
import { advanceSignedToken, isSignedFor, rotateStoredToken } from './rotate.ts';

/** The maximum time to retry while rows are locked. After this time, the response has status 409. */
const retryForMs = 5000;

type Presented =
  | { readonly form: 1; readonly text: string }
  | { readonly form: 2; readonly text: string; readonly token: SignedRefreshToken };

/**
 * Refreshes a session.
 * @param clientId the ID of the authenticated OAuth client, which can refresh only its own sessions
 * @throws {AuthError} the errors of refresh_token, and `validation_failed` for text that isn't a token
 */
export async function refreshSession(
  ctx: AuthContext,
  caller: Caller,
  text: string,
  clientId?: string,
): Promise<IssuedSession> {
  const presented = parsePresented(text);
  // The batched path reads only the token's session, so it can't enforce a single session per user.
  if (presented.form === 1 && clientId === undefined && !ctx.settings.sessions.singlePerUser) {
    const session = await refreshInBatch(ctx, caller, text);
    if (session) return session;
  }
  const startedAt = performance.now();
  while (performance.now() - startedAt < retryForMs) {
    await checkToken(ctx, caller, presented);
    const outcome = await ctx.pool.transaction((tx) =>
      refreshLocked(ctx, tx, caller, { presented, clientId }),
    );
    if (outcome === 'busy') await sleep(10 + Math.random() * 20);
    // Throws the error after the transaction so that the revocations are committed.
    else if ('refusal' in outcome) throw outcome.refusal;
    else return outcome;
  }
  throw authError(
    'conflict',
    'Too many concurrent token refresh requests on the same session or refresh token',
  );
}

function parsePresented(text: string): Presented {
  if (/^[a-z0-9]{12}$/.test(text)) return { form: 1, text };
  const token = text.length > 12 ? parseRefreshToken(text) : undefined;
  if (!token) throw authError('validation_failed', 'Refresh token is not valid');
  return { form: 2, text, token };
}

/** Runs the checks that don't require a lock. Rejects unknown tokens, banned users and expired sessions. */
async function checkToken(ctx: AuthContext, caller: Caller, presented: Presented): Promise<void> {
  const now = ctx.clock.now();
  const row = presented.form === 1 ? await findRefreshToken(ctx.pool, presented.text) : undefined;
  if (presented.form === 1 && !row) throw authError('refresh_token_not_found');
  const sessionId = presented.form === 1 ? row?.session_id : presented.token.sessionId;
  const session = sessionId ? await findSession(ctx.pool, sessionId) : undefined;
  if (presented.form === 2 && !(session && isSignedFor(presented.token, session))) {
    throw authError('refresh_token_not_found');
  }
  const userId = session?.user_id ?? row?.user_id;
  const user = userId ? await findUserById(ctx.pool, userId) : undefined;
  if (!user) throw authError('refresh_token_not_found');
  caller.setHeader('sb-auth-user-id', user.id);
  if (isBanned(user, now)) throw authError('user_banned', 'Invalid Refresh Token: User Banned');
  if (!session) {
    if (row) await deleteRefreshToken(ctx.pool, row.id);
    throw authError('session_not_found', 'Invalid Refresh Token: No Valid Session Found', { status: 400 });
  }
  caller.setHeader('sb-auth-session-id', session.id);
  const validity = checkSession(
    sessionTimes(session),
    row ? toMs(row.updated_at) : undefined,
    ctx.settings.sessions,
    now,
  );
  if (validity === 'inactive') {
    throw authError('session_expired', 'Invalid Refresh Token: Session Expired (Inactivity)');
  }
  if (validity === 'expired') throw authError('session_expired');
}

type Outcome = IssuedSession | 'busy' | { readonly refusal: AuthError };

async function refreshLocked(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  { presented, clientId }: { readonly presented: Presented; readonly clientId: string | undefined },
): Promise<Outcome> {
  const row = presented.form === 1 ? await lockRefreshToken(tx, presented.text) : undefined;
  const sessionId = presented.form === 1 ? row?.session_id : presented.token.sessionId;
  const session = sessionId ? await lockSession(tx, sessionId) : undefined;
  // Locks the user without waiting, because changes that end sessions lock the user first and then the session.
  if (!session || !(await lockUser(tx, session.user_id))) return 'busy';
  const user = await findUserById(tx, session.user_id);
  if (!user) return 'busy';
  rejectOtherClient(session.oauth_client_id ?? undefined, clientId);
  if (ctx.settings.sessions.singlePerUser) await requireNewest(ctx, tx, session, row);
  const next = row
    ? await rotateStoredToken(ctx, tx, caller, { user, session, row })
    : await advanceSignedToken(ctx, tx, caller, {
        user,
        session,
        token: presented.form === 2 ? presented.token : undefined,
      });
  if (typeof next !== 'string') return next;
  const now = ctx.clock.now();
  await setRefreshInfo(tx, session.id, { userAgent: caller.userAgent, ip: caller.ip }, now);
  const { aal, amr } = assurance(session.amr_claims, user);
  return signSession(ctx, tx, caller, {
    user,
    sessionId: session.id,
    aal,
    amr,
    method: 'token_refresh',
    refreshToken: next,
    organization: await organizationClaims(ctx, { userId: user.id, sessionId: session.id }),
    ...clientOf(session),
  });
}

/** Throws `session_expired` if another valid session of the user was refreshed more recently. */
async function requireNewest(
  ctx: AuthContext,
  tx: Transaction,
  session: Session,
  row: RefreshToken | undefined,
): Promise<void> {
  const now = ctx.clock.now();
  const ownMs = lastRefreshedMs(sessionTimes(session), row ? toMs(row.updated_at) : undefined);
  for (const other of await listSessions(tx, session.user_id)) {
    const times = sessionTimes(other);
    const isOver = checkSession(times, undefined, ctx.settings.sessions, now) !== 'valid';
    if (signInOf(other) === signInOf(session) || isOver || lastRefreshedMs(times, undefined) <= ownMs)
      continue;
    throw authError('session_expired', 'Invalid Refresh Token: Session Expired (Revoked by Newer Login)');
  }
}

/**
 * Returns the ID of a session's sign-in. The Account pages' session and the sessions of apps opened from these pages
 * belong to the same sign-in.
 */
const signInOf = ({ id, tag }: Session): string => tag ?? id;

/**
 * Checks that the session belongs to the OAuth client that sent the request, if any. An OAuth client's sessions can be
 * refreshed only by this client and only at /oauth/token. Sessions without an OAuth client can't be refreshed at
 * /oauth/token.
 */
function rejectOtherClient(owner: string | undefined, clientId: string | undefined): void {
  if (owner === clientId) return;
  const reason =
    owner === undefined
      ? 'Client authentication not allowed for non-OAuth session'
      : clientId === undefined
        ? 'Client authentication required for OAuth session'
        : "Client does not match the session's OAuth client";
  throw new OAuthShapedError('invalid_client', reason);
}

/**
 * Refreshes a session as part of a batch. Returns undefined if the request needs the slower path in
 * `rotate.ts`.
 */
async function refreshInBatch(
  ctx: AuthContext,
  caller: Caller,
  token: string,
): Promise<IssuedSession | undefined> {
  // A hook that customizes claims must run before the session is written, which only the slower path supports.
  if (ctx.settings.hooks.custom_access_token.enabled) return undefined;
  const { userAgent, ip } = caller;
  const rotated = await ctx.rotateToken({ token, userAgent, ip, signal: currentDeadline() });
  if (!rotated) return undefined;
  const { user, session, child } = rotated;
  caller.setHeader('sb-auth-user-id', user.id);
  caller.setHeader('sb-auth-session-id', session.id);
  caller.setHeader('sb-auth-refresh-token-reuse', 'false');
  caller.setHeader('sb-auth-refresh-token-prefix', child.slice(0, 5));
  return signSession(ctx, undefined, caller, {
    user,
    sessionId: session.id,
    ...assurance(session.amr_claims, user),
    method: 'token_refresh',
    refreshToken: child,
    organization: await organizationClaims(ctx, { userId: user.id, sessionId: session.id }),
    ...clientOf(session),
  });
}
