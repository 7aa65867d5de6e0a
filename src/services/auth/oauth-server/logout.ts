/**
 * Implements sign-outs requested by OpenID clients, and signs users out of the clients used in the same browser. A
 * client redirects the browser to the end session endpoint (RP-Initiated Logout 1.0). After a sign-out, the browser
 * loads the clients' logout pages (Front-Channel Logout 1.0).
 */

import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { isOwnPage, requireOAuthServer } from './authorize.ts';
import { frontchannelFault, frontchannelUrl } from './client-logout.ts';
import { listClientLogouts } from './logout-queries.ts';
import { findOAuthClient } from './queries.ts';
import { isRegistered } from './registration.ts';

/**
 * Returns the Account page that asks the user whether to sign out. The end session endpoint itself never ends a
 * session, because any website can redirect a browser to the endpoint. Therefore, `id_token_hint` is used only to
 * identify the client.
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

/**
 * Returns the ID of the client named in the request. As section 2 of RP-Initiated Logout recommends, accepts expired ID
 * tokens.
 */
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

/** Whether the client has registered the URI in `post_logout_redirect_uris`. */
export async function isPostLogoutRedirect(
  ctx: AuthContext,
  clientId: string,
  redirectUri: string,
): Promise<boolean> {
  if (!ctx.hasOwnTables || !isUuid(clientId) || isOwnPage(ctx, redirectUri)) return false;
  if ((await findOAuthClient(ctx.pool, clientId)) === undefined) return false;
  const logout = (await listClientLogouts(ctx.pool, [clientId])).get(clientId);
  return logout !== undefined && isRegistered(logout.redirectUris, redirectUri);
}

/** A client's session that has ended. */
export interface EndedSession {
  readonly clientId: string;
  readonly sessionId: string;
}

/**
 * Returns the logout pages that the browser loads after sessions have ended (Front-Channel Logout 1.0, section 3).
 * Checks each logout page again, because the client's redirect URIs may have changed since the page was registered.
 */
export async function frontchannelUrls(
  ctx: AuthContext,
  ended: readonly EndedSession[],
): Promise<readonly string[]> {
  const valid = ended.filter(({ clientId, sessionId }) => isUuid(clientId) && isUuid(sessionId));
  if (!ctx.hasOwnTables || !ctx.settings.oauthServer.enabled || valid.length === 0) return [];
  const logouts = await listClientLogouts(ctx.pool, [...new Set(valid.map(({ clientId }) => clientId))]);
  const urls = await Promise.all(
    valid.map(async ({ clientId, sessionId }) => {
      const { frontchannelUri: uri = null, frontchannelNeedsSession: needsSession = false } =
        logouts.get(clientId) ?? {};
      const client = uri === null ? undefined : await findOAuthClient(ctx.pool, clientId);
      if (uri === null || client === undefined) return [];
      const facts = {
        redirectUris: client.redirect_uris.split(','),
        accountUrl: ctx.settings.accountUrl(),
      };
      if (frontchannelFault(uri, facts) !== undefined) return [];
      return [frontchannelUrl({ uri, needsSession }, { issuer: ctx.settings.issuer(), sessionId })];
    }),
  );
  return [...new Set(urls.flat())];
}
