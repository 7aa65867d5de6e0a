/** Refreshes sessions according to the decisions of `core/refresh.ts`. */

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Transaction } from '../../database/types.ts';
import type { Caller } from '../caller.ts';
import type { AuthContext } from '../context.ts';
import { assurance } from '../core/claims.ts';
import type { IssuedSession } from '../core/issued-session.ts';
import { checkSession, decideRefresh, lastRefreshedMs, sessionTimes } from '../core/refresh.ts';
import {
  encodeRefreshToken,
  hasSignature,
  parseRefreshToken,
  type SignedRefreshToken,
} from '../core/refresh-token-v2.ts';
import { isBanned } from '../core/render-user.ts';
import { fromMs, toMs } from '../core/times.ts';
import { type AuthError, authError, internalError, OAuthShapedError } from '../errors.ts';
import {
  deleteRefreshToken,
  findActiveToken,
  findRefreshToken,
  insertRefreshToken,
  isSuperseded,
  lockRefreshToken,
  revokeFamily,
  revokeRefreshToken,
} from '../queries/refresh-tokens.ts';
import {
  deleteSession,
  findSession,
  listSessions,
  lockSession,
  setRefreshCounter,
  setRefreshInfo,
  setRefreshKey,
} from '../queries/sessions.ts';
import { findUserById, lockUser, updateUser } from '../queries/users.ts';
import type { RefreshToken, Session, User } from '../rows.ts';
import { audit } from './audit.ts';
import { refreshInBatch } from './batched-refresh.ts';
import { clientOf, signSession } from './sessions.ts';

/** How long to retry locked rows before responding with 409. */
const patienceMs = 5000;

type Presented =
  | { readonly form: 1; readonly text: string }
  | { readonly form: 2; readonly text: string; readonly token: SignedRefreshToken };

/**
 * @param clientId the authenticated OAuth client. Only that client can refresh its sessions
 * @throws {AuthError} the errors of refresh_token, and `validation_failed` for text that isn't a token
 */
export async function refreshSession(
  ctx: AuthContext,
  caller: Caller,
  text: string,
  clientId?: string,
): Promise<IssuedSession> {
  const presented = parsePresented(text);
  // The batched path checks only one session.
  if (presented.form === 1 && clientId === undefined && !ctx.settings.sessions.singlePerUser) {
    const session = await refreshInBatch(ctx, caller, text);
    if (session) return session;
  }
  const startedAt = performance.now();
  while (performance.now() - startedAt < patienceMs) {
    await judge(ctx, caller, presented);
    const outcome = await ctx.pool.transaction((tx) => refreshLocked(ctx, tx, caller, presented, clientId));
    if (outcome === 'busy') await sleep(10 + Math.random() * 20);
    // Thrown after the transaction, so that the revocations are committed.
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

/** Runs the checks that need no lock: for unknown tokens, banned users and expired sessions. */
async function judge(ctx: AuthContext, caller: Caller, presented: Presented): Promise<void> {
  const now = ctx.clock.now();
  const row = presented.form === 1 ? await findRefreshToken(ctx.pool, presented.text) : undefined;
  if (presented.form === 1 && !row) throw authError('refresh_token_not_found');
  const sessionId = presented.form === 1 ? row?.session_id : presented.token.sessionId;
  const session = sessionId ? await findSession(ctx.pool, sessionId) : undefined;
  if (presented.form === 2 && !(session && belongsTo(presented.token, session))) {
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

function belongsTo(token: SignedRefreshToken, session: Session): boolean {
  const key = hmacKey(session);
  return key !== undefined && session.refresh_token_counter !== null && hasSignature(token, key);
}

function hmacKey(session: Session): Buffer | undefined {
  const text = session.refresh_token_hmac_key;
  // A value in braces is encrypted with a key of the hosted platform, which dumps don't contain.
  return text === null || text.startsWith('{') ? undefined : Buffer.from(text, 'base64url');
}

type Outcome = IssuedSession | 'busy' | { readonly refusal: AuthError };

async function refreshLocked(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  presented: Presented,
  clientId: string | undefined,
): Promise<Outcome> {
  const row = presented.form === 1 ? await lockRefreshToken(tx, presented.text) : undefined;
  const sessionId = presented.form === 1 ? row?.session_id : presented.token.sessionId;
  const session = sessionId ? await lockSession(tx, sessionId) : undefined;
  // Locks the user too, without waiting, because changes that end sessions acquire these locks in the opposite order.
  if (!session || !(await lockUser(tx, session.user_id))) return 'busy';
  const user = await findUserById(tx, session.user_id);
  if (!user) return 'busy';
  refuseOtherClient(session.oauth_client_id ?? undefined, clientId);
  if (ctx.settings.sessions.singlePerUser) await requireNewest(ctx, tx, session, row);
  const next = row
    ? await rotate(ctx, tx, caller, user, session, row)
    : await advance(ctx, tx, caller, user, session, presented);
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
    ...clientOf(session),
  });
}

/** Throws `session_expired` if another valid session of the user was refreshed later. */
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
    if (other.id === session.id || isOver || lastRefreshedMs(times, undefined) <= ownMs) continue;
    throw authError('session_expired', 'Invalid Refresh Token: Session Expired (Revoked by Newer Login)');
  }
}

/**
 * Sessions of an OAuth client can be refreshed only by that client, at /oauth/token. Other sessions can't be refreshed
 * there.
 */
function refuseOtherClient(owner: string | undefined, clientId: string | undefined): void {
  if (owner === clientId) return;
  const reason =
    owner === undefined
      ? 'Client authentication not allowed for non-OAuth session'
      : clientId === undefined
        ? 'Client authentication required for OAuth session'
        : "Client does not match the session's OAuth client";
  throw new OAuthShapedError('invalid_client', reason);
}

/** Rotates a token of form 1. Returns the next token, or the reason why no token is issued. */
async function rotate(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  user: User,
  session: Session,
  row: RefreshToken,
): Promise<string | { readonly refusal: AuthError }> {
  const now = ctx.clock.now();
  const active = row.revoked ? await findActiveToken(tx, session.id) : undefined;
  const presented = {
    token: row.token,
    revoked: row.revoked === true,
    updatedAtMs: toMs(row.updated_at),
    isSuperseded: row.revoked === true && (await isSuperseded(tx, session.id, row.id)),
  };
  const decision = decideRefresh(presented, active, ctx.settings.refresh, now);
  if (decision.kind === 'refuse') {
    if (decision.endsFamily) await endFamily(ctx, tx, user, session);
    return { refusal: authError('refresh_token_already_used') };
  }
  await audit(ctx, tx, user, 'token_refreshed');
  if (decision.kind === 'return-active') {
    caller.setHeader('sb-auth-refresh-token-prefix', decision.token.slice(0, 5));
    return decision.token;
  }
  const next = await rotateRefreshToken(ctx, tx, user, row);
  caller.setHeader('sb-auth-refresh-token-reuse', 'false');
  caller.setHeader('sb-auth-refresh-token-prefix', next.slice(0, 5));
  return next;
}

/**
 * Ends a session whose refresh token was reused, together with its tokens. Its access tokens stop working on the routes
 * of this service.
 */
async function endFamily(ctx: AuthContext, tx: Transaction, user: User, session: Session): Promise<void> {
  await audit(ctx, tx, user, 'token_revoked', {
    traits: { session_id: session.id, action: 'refresh_token_reused' },
  });
  await deleteSession(tx, session.id);
}

/** Revokes a token and creates its child. Updates the user too, because upstream's triggers fire at every refresh. */
async function rotateRefreshToken(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  row: RefreshToken,
): Promise<string> {
  const now = ctx.clock.now();
  await audit(ctx, tx, user, 'token_revoked');
  await revokeRefreshToken(tx, row.id, now);
  if (row.session_id === null) throw internalError('A refresh token without a session cannot be swapped');
  const next = await insertRefreshToken(
    tx,
    { userId: user.id, sessionId: row.session_id, parent: row.token },
    now,
  );
  await updateUser(tx, user, { last_sign_in_at: user.last_sign_in_at ?? fromMs(now) }, now);
  return next;
}

/**
 * Issues the refresh token of a session that was raised to another level, and invalidates all earlier tokens, including
 * branches. Otherwise, each of those could obtain an access token of the new level. With form 1, the new token has no
 * parent, which supersedes the earlier ones (`core/refresh.ts`). With form 2, the session signs with a new key.
 */
export async function replaceRefreshToken(
  ctx: AuthContext,
  tx: Transaction,
  user: User,
  session: Session,
): Promise<string> {
  const now = ctx.clock.now();
  const key = hmacKey(session);
  if (key !== undefined && session.refresh_token_counter !== null) {
    const counter = session.refresh_token_counter + 1;
    const nextKey = randomBytes(32);
    await setRefreshKey(tx, session.id, nextKey.toString('base64url'), now);
    await setRefreshCounter(tx, session.id, counter, now);
    return encodeRefreshToken(session.id, counter, nextKey);
  }
  await audit(ctx, tx, user, 'token_revoked');
  await revokeFamily(tx, session.id, now);
  const next = await insertRefreshToken(tx, { userId: user.id, sessionId: session.id, parent: null }, now);
  await updateUser(tx, user, { last_sign_in_at: user.last_sign_in_at ?? fromMs(now) }, now);
  return next;
}

/** Advances a token of form 2. The session's counter identifies the newest token. */
async function advance(
  ctx: AuthContext,
  tx: Transaction,
  caller: Caller,
  user: User,
  session: Session,
  presented: Presented,
): Promise<string | { readonly refusal: AuthError }> {
  const key = hmacKey(session);
  if (presented.form !== 2 || key === undefined) throw authError('refresh_token_not_found');
  const now = ctx.clock.now();
  const current = session.refresh_token_counter ?? 0;
  const behind = current - presented.token.counter;
  if (behind < 0) throw authError('validation_failed', 'Invalid Refresh Token: Not Issued By This Server');
  const lastRefreshMs = toMs(session.refreshed_at ?? session.created_at);
  const isConcurrent = Math.abs(now - lastRefreshMs) < ctx.settings.refresh.reuseIntervalMs;
  const causes = [...(isConcurrent ? ['concurrent-refresh'] : []), ...(behind === 1 ? ['fail-to-save'] : [])];
  if (behind > 0 && causes.length > 0)
    caller.setHeader('sb-auth-refresh-token-reuse-cause', causes.join(','));
  if (behind > 1 && !isConcurrent) {
    if (ctx.settings.refresh.rotation) {
      await endFamily(ctx, tx, user, session);
      caller.setHeader('sb-auth-refresh-token-rotated', 'true');
    }
    return { refusal: authError('refresh_token_already_used') };
  }
  if (behind === 0) caller.setHeader('sb-auth-refresh-token-reuse', 'false');
  const counter = behind === 0 ? current + 1 : current;
  await setRefreshCounter(tx, session.id, counter, now);
  caller.setHeader('sb-auth-refresh-token-counter', String(counter));
  await audit(ctx, tx, user, 'token_refreshed');
  return encodeRefreshToken(session.id, counter, key);
}
