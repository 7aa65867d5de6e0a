/**
 * Starts an authorization, in which a client redirects a browser to the OAuth server to request access on behalf of the
 * user.
 */

import { keepLoopbackName } from '../../../base/kernel/request-origin.ts';
import { isAccountPage } from '../../../base/shared/account.ts';
import type { Caller } from '../common/caller.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { authError } from '../errors.ts';
import { errorUrl } from './consent.ts';
import { findOAuthClient, insertAuthorization } from './queries.ts';
import { isRegistered } from './registration.ts';
import { parseAuthorizeRequest } from './requests.ts';
import { authorizationLifetimeMs } from './token.ts';

/** Throws `feature_disabled` with status 404 if the OAuth server is disabled. */
export function requireOAuthServer(ctx: AuthContext): void {
  if (!ctx.settings.oauthServer.enabled) throw authError('feature_disabled', 'OAuth server is disabled');
}

/**
 * Whether the redirect URI is an Account page. Account pages are rejected as redirect URIs, because a client's redirect
 * could start a sign-in on the page.
 */
export const isOwnPage = ({ settings }: AuthContext, uri: string): boolean =>
  settings.hasAccountPages && isAccountPage(uri, settings.accountUrl());

/**
 * Returns the URL to which the browser is redirected. Once the client and the redirect URI have been verified, reports
 * errors to the client in this URL.
 */
export async function authorize(ctx: AuthContext, caller: Caller, query: URLSearchParams): Promise<string> {
  const clientId = query.get('client_id') ?? '';
  const redirectUri = query.get('redirect_uri') ?? '';
  if (clientId === '') throw authError('validation_failed', 'client_id is required');
  if (redirectUri === '') throw authError('validation_failed', 'redirect_uri is required');
  if (!isUuid(clientId))
    throw authError('oauth_client_not_found', 'invalid client_id format', { status: 400 });
  const client = await findOAuthClient(ctx.pool, clientId);
  if (client === undefined) throw authError('oauth_client_not_found', 'invalid client_id', { status: 400 });
  if (isOwnPage(ctx, redirectUri) || !isRegistered(client.redirect_uris.split(','), redirectUri)) {
    throw authError('validation_failed', 'invalid redirect_uri');
  }
  const state = query.get('state');
  const failed = (error: string, description: string) =>
    errorUrl(ctx, redirectUri, { error, description, state });
  const consentUrl = ctx.settings.oauthServer.consentUrl();
  if (consentUrl === undefined) {
    const reason = 'no consent page is available; set auth.oauth_server.authorization_url_path';
    ctx.log.warn({ service: 'auth' }, reason);
    return failed('server_error', reason);
  }
  const parsed = parseAuthorizeRequest(query);
  if ('fault' in parsed) return failed('invalid_request', parsed.fault);
  let id: string;
  try {
    const request = { ...parsed.request, clientId: client.id, redirectUri };
    id = await insertAuthorization(ctx.pool, request, authorizationLifetimeMs, ctx.clock.now());
  } catch (error) {
    ctx.log.warn({ error }, "an authorization request couldn't be stored");
    return failed('server_error', 'error creating authorization');
  }
  // The browser has the session's cookie only for the host that it uses.
  return `${keepLoopbackName(consentUrl, caller.host)}?authorization_id=${id}`;
}
