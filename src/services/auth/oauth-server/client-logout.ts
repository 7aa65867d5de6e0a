/**
 * A client's sign-out metadata, which consists of `post_logout_redirect_uris` (OpenID Connect RP-Initiated Logout 1.0,
 * section 3.1), `backchannel_logout_uri` (Back-Channel Logout 1.0, section 2.2) and `frontchannel_logout_uri`
 * (Front-Channel Logout 1.0, section 2). This file also builds logout tokens.
 */

import type { Fields } from '../common/fields.ts';
import type { JsonObject } from '../common/json.ts';
import { authError } from '../errors.ts';
import { redirectUriFault } from './registration.ts';

export interface ClientLogout {
  readonly redirectUris: readonly string[];
  readonly backchannelUri: string | null;
  readonly frontchannelUri: string | null;
  /** Whether the client's logout page requires `iss` and `sid` in the query string. */
  readonly frontchannelNeedsSession: boolean;
}

const maxUris = 10;
const maxUriBytes = 2048;

/**
 * Parses the metadata. Fields that are missing in the request keep their previous values. Returns undefined if all
 * fields are missing.
 * @throws {AuthError} bad_json, validation_failed
 */
export function parseClientLogout(fields: Fields, previous?: ClientLogout): ClientLogout | undefined {
  const redirectUris = fields.list('post_logout_redirect_uris');
  const backchannelUri = fields.optionalText('backchannel_logout_uri');
  const frontchannelUri = fields.optionalText('frontchannel_logout_uri');
  const needsSession = fields.optionalFlag('frontchannel_logout_session_required');
  const given = [redirectUris, backchannelUri, frontchannelUri, needsSession];
  if (given.every((value) => value === undefined)) return undefined;
  if ((redirectUris?.length ?? 0) > maxUris) {
    throw invalid(`post_logout_redirect_uris cannot exceed ${maxUris} items`);
  }
  for (const uri of redirectUris ?? []) {
    const fault = Buffer.byteLength(uri) > maxUriBytes ? 'too long' : redirectUriFault(uri);
    if (fault !== undefined) throw invalid(`invalid post_logout_redirect_uri '${uri}': ${fault}`);
  }
  if (backchannelUri) checkWebUri('backchannel_logout_uri', backchannelUri);
  if (frontchannelUri) checkWebUri('frontchannel_logout_uri', frontchannelUri);
  const kept = (uri: string | undefined, before: string | null = null): string | null =>
    uri === undefined ? before : uri || null;
  return {
    redirectUris: redirectUris ?? previous?.redirectUris ?? [],
    backchannelUri: kept(backchannelUri, previous?.backchannelUri),
    frontchannelUri: kept(frontchannelUri, previous?.frontchannelUri),
    frontchannelNeedsSession: needsSession ?? previous?.frontchannelNeedsSession ?? false,
  };
}

function checkWebUri(name: string, uri: string): void {
  const fault = Buffer.byteLength(uri) > maxUriBytes ? 'too long' : redirectUriFault(uri);
  if (fault !== undefined) throw invalid(`invalid ${name}: ${fault}`);
  const { protocol, username, password } = new URL(uri);
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '' || uri.includes('#')) {
    throw invalid(`${name} must be an https URL without a fragment`);
  }
}

/**
 * Returns the reason why the Account pages can't load the client's logout page in a frame, or undefined if they can
 * load it. The page must have the same origin as one of the client's redirect URIs (Front-Channel Logout 1.0, section
 * 2). The logout page can't have the origin of the Account pages, because the Account pages trust requests from their
 * own origin.
 */
export function frontchannelFault(
  uri: string,
  { redirectUris, accountUrl }: { readonly redirectUris: readonly string[]; readonly accountUrl: string },
): string | undefined {
  const { origin } = new URL(uri);
  const origins = redirectUris.flatMap((each) => (URL.canParse(each) ? [new URL(each).origin] : []));
  if (!origins.includes(origin)) return 'must have the origin of one of the redirect_uris';
  return sharesOrigin(uri, accountUrl) ? "can't have the origin of this server" : undefined;
}

/** Whether two URLs have the same origin. All loopback names count as the same host. */
function sharesOrigin(one: string, other: string): boolean {
  const origin = ({ protocol, hostname, port }: URL): string =>
    `${protocol}//${/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname) ? 'localhost' : hostname}:${port}`;
  return origin(new URL(one)) === origin(new URL(other));
}

/** Returns the URL of the client's logout page for a session that has ended. */
export function frontchannelUrl(
  { uri, needsSession }: { readonly uri: string; readonly needsSession: boolean },
  { issuer, sessionId }: { readonly issuer: string; readonly sessionId: string },
): string {
  const url = new URL(uri);
  if (needsSession) {
    url.searchParams.set('iss', issuer);
    url.searchParams.set('sid', sessionId);
  }
  return url.href;
}

export function renderClientLogout(logout: ClientLogout | undefined): JsonObject {
  if (logout === undefined) return {};
  const { redirectUris, backchannelUri, frontchannelUri, frontchannelNeedsSession } = logout;
  return {
    ...(redirectUris.length === 0 ? {} : { post_logout_redirect_uris: [...redirectUris] }),
    ...(backchannelUri === null
      ? {}
      : { backchannel_logout_uri: backchannelUri, backchannel_logout_session_required: true }),
    ...(frontchannelUri === null
      ? {}
      : {
          frontchannel_logout_uri: frontchannelUri,
          frontchannel_logout_session_required: frontchannelNeedsSession,
        }),
  };
}

/** The `typ` header, which prevents a logout token from being used as another kind of token (section 2.4). */
export const logoutTokenType = 'logout+jwt';
const logoutTokenSeconds = 120;

export function logoutTokenClaims(input: {
  readonly issuer: string;
  readonly clientId: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly tokenId: string;
  readonly nowSeconds: number;
}): JsonObject {
  return {
    iss: input.issuer,
    sub: input.userId,
    aud: input.clientId,
    iat: input.nowSeconds,
    exp: input.nowSeconds + logoutTokenSeconds,
    jti: input.tokenId,
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    sid: input.sessionId,
  };
}

function invalid(message: string) {
  return authError('validation_failed', message);
}
