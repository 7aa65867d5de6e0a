/**
 * The sign-out metadata of a client: `post_logout_redirect_uris` (OpenID Connect RP-Initiated Logout 1.0, section 3.1)
 * and `backchannel_logout_uri` (Back-Channel Logout 1.0, section 2.2). Also builds logout tokens.
 */
import { authError } from '../../errors.ts';
import type { Fields } from '../fields.ts';
import type { JsonObject } from '../json.ts';
import { redirectUriFault } from './redirect-uri.ts';

export interface ClientLogout {
  readonly redirectUris: readonly string[];
  readonly backchannelUri: string | null;
}

const maxUris = 10;
const maxUriBytes = 2048;

/**
 * Parses the metadata. Fields that are missing keep their previous value. Returns undefined if both are missing.
 * @throws {AuthError} bad_json, validation_failed
 */
export function parseClientLogout(fields: Fields, previous?: ClientLogout): ClientLogout | undefined {
  const redirectUris = fields.list('post_logout_redirect_uris');
  const backchannelUri = fields.optionalText('backchannel_logout_uri');
  if (redirectUris === undefined && backchannelUri === undefined) return undefined;
  if ((redirectUris?.length ?? 0) > maxUris) {
    throw invalid(`post_logout_redirect_uris cannot exceed ${maxUris} items`);
  }
  for (const uri of redirectUris ?? []) {
    const fault = Buffer.byteLength(uri) > maxUriBytes ? 'too long' : redirectUriFault(uri);
    if (fault !== undefined) throw invalid(`invalid post_logout_redirect_uri '${uri}': ${fault}`);
  }
  if (backchannelUri) checkBackchannelUri(backchannelUri);
  return {
    redirectUris: redirectUris ?? previous?.redirectUris ?? [],
    backchannelUri:
      backchannelUri === undefined ? (previous?.backchannelUri ?? null) : backchannelUri || null,
  };
}

function checkBackchannelUri(uri: string): void {
  const fault = Buffer.byteLength(uri) > maxUriBytes ? 'too long' : redirectUriFault(uri);
  if (fault !== undefined) throw invalid(`invalid backchannel_logout_uri: ${fault}`);
  const { protocol, username, password } = new URL(uri);
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '' || uri.includes('#')) {
    throw invalid('backchannel_logout_uri must be an https URL without a fragment');
  }
}

export function renderClientLogout(logout: ClientLogout | undefined): JsonObject {
  if (logout === undefined) return {};
  return {
    ...(logout.redirectUris.length === 0 ? {} : { post_logout_redirect_uris: [...logout.redirectUris] }),
    ...(logout.backchannelUri === null
      ? {}
      : { backchannel_logout_uri: logout.backchannelUri, backchannel_logout_session_required: true }),
  };
}

/** The `typ` header, which keeps a logout token from being used as any other token (section 2.4). */
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
