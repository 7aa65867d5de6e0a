/**
 * Signs users out together with OpenID clients: a client redirects the browser to the end session endpoint (RP-Initiated
 * Logout 1.0), and clients are notified when one of their sessions ends (Back-Channel Logout 1.0).
 */
import { randomUUID } from 'node:crypto';
import type { Transaction } from '../../database/types.ts';
import type { AuthContext } from '../context.ts';
import { logoutTokenClaims, logoutTokenType } from '../core/oauth/client-logout.ts';
import { isRegistered } from '../core/oauth/redirect-uri.ts';
import { isUuid } from '../core/uuid.ts';
import { authError } from '../errors.ts';
import {
  listClientLogouts,
  listNotifiedSessions,
  type NotifiedSession,
} from '../queries/oauth-client-logout.ts';
import { findOAuthClient } from '../queries/oauth-clients.ts';
import { findSessionIds } from '../queries/sessions.ts';
import { requireOAuthServer } from './oauth-authorize.ts';

const notifyTimeoutMs = 5000;

/** The most logout tokens that one sign-out sends. */
const maxNotifications = 50;

/**
 * Returns the Account page that asks the user whether to sign out. The endpoint itself never ends a session, because any
 * website can send a browser here. `id_token_hint` therefore identifies only the client.
 * @throws {AuthError} feature_disabled, validation_failed
 */
export async function endSessionUrl(ctx: AuthContext, params: URLSearchParams): Promise<string> {
  requireOAuthServer(ctx);
  if (!ctx.settings.hasAccountPages) throw authError('feature_disabled', 'The Account pages are disabled');
  const clientId = clientOf(ctx, params);
  const redirectUri = params.get('post_logout_redirect_uri') ?? '';
  const page = new URL(`${ctx.settings.accountUrl()}/signed-out`);
  if (redirectUri === '') return page.href;
  if (clientId === undefined || !(await isPostLogoutRedirect(ctx, clientId, redirectUri))) {
    throw authError('validation_failed', 'invalid post_logout_redirect_uri');
  }
  page.searchParams.set('client_id', clientId);
  page.searchParams.set('redirect_to', redirectUri);
  const state = params.get('state') ?? '';
  if (state !== '') page.searchParams.set('state', state);
  return page.href;
}

/** Returns the ID of the client that the request names. An expired ID token is accepted (section 2). */
function clientOf(ctx: AuthContext, params: URLSearchParams): string | undefined {
  const named = params.get('client_id') || undefined;
  const hint = params.get('id_token_hint') || undefined;
  if (hint === undefined) return named;
  const verified = ctx.keys.verifyIdToken(hint);
  if (
    !verified.ok ||
    verified.claims.iss !== ctx.settings.issuer() ||
    typeof verified.claims.aud !== 'string'
  ) {
    throw authError('validation_failed', 'invalid id_token_hint');
  }
  if (named !== undefined && named !== verified.claims.aud) {
    throw authError('validation_failed', 'client_id does not match id_token_hint');
  }
  return verified.claims.aud;
}

/** Whether the client has registered the URI as a destination after sign-out. */
export async function isPostLogoutRedirect(
  ctx: AuthContext,
  clientId: string,
  redirectUri: string,
): Promise<boolean> {
  if (!ctx.hasOwnTables || !isUuid(clientId)) return false;
  if ((await findOAuthClient(ctx.pool, clientId)) === undefined) return false;
  const logout = (await listClientLogouts(ctx.pool, [clientId])).get(clientId);
  return logout !== undefined && isRegistered(logout.redirectUris, redirectUri);
}

/** Runs work that ends a user's sessions and, after the commit, notifies the clients whose sessions ended. */
export async function endAndNotify<Result>(
  ctx: AuthContext,
  userId: string,
  end: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const { result, ended } = await ctx.pool.transaction(async (tx) => {
    const before = ctx.hasOwnTables ? await listNotifiedSessions(tx, userId) : [];
    const result = await end(tx);
    const ids = before.map(({ id }) => id);
    const alive = new Set(ids.length === 0 ? [] : await findSessionIds(tx, ids));
    return { result, ended: before.filter(({ id }) => !alive.has(id)) };
  });
  if (ended.length > 0) await ctx.backgroundWork.do(true, () => notifyAll(ctx, userId, ended));
  return result;
}

/**
 * Sends each client a logout token. A client that can't be reached doesn't prevent the others from being notified.
 * Clients can be registered by anyone and a user can grant them any number of sessions, so the number of requests has a
 * limit.
 */
async function notifyAll(ctx: AuthContext, userId: string, ended: readonly NotifiedSession[]): Promise<void> {
  const notified = ended.slice(0, maxNotifications);
  if (notified.length < ended.length) {
    const fields = { service: 'auth', userId, skipped: ended.length - notified.length };
    ctx.log.warn(fields, 'too many ended sessions to send a logout token for each');
  }
  for (const { id, client_id: clientId, registration_type: type, uri } of notified) {
    const nowSeconds = Math.floor(ctx.clock.now() / 1000);
    const issuer = ctx.settings.issuer();
    const claims = { issuer, clientId, userId, sessionId: id, tokenId: randomUUID(), nowSeconds };
    const token = ctx.keys.sign(logoutTokenClaims(claims), logoutTokenType);
    try {
      const { status } = await ctx.outgoing.send({
        url: uri,
        // Anyone may have registered a dynamic client.
        reach: type === 'manual' ? 'configured' : 'public',
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
}
