/**
 * Defines the client of a provider, builds authorization URLs, and exchanges codes as an OAuth 2.0 client (RFC 6749).
 */
import { randomBytes } from 'node:crypto';
import type { Reach } from '../../../base/shared/network/outgoing.ts';
import { isJsonObject, type JsonObject } from '../common/json.ts';
import { encodeParams } from '../common/redirects.ts';
import type { TokenResponse } from './catalog/spec.ts';
import type { ExternalProfile } from './profile.ts';

/** A provider with the URL to which browsers are redirected, the client's credentials, and how profiles are read. */
export interface OAuth2Client {
  readonly kind: 'oauth2';
  readonly provider: string;
  readonly emailOptional: boolean;
  readonly clientId: string;
  readonly secret: string;
  readonly redirectUri: string;
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly scopes: readonly string[];
  readonly params: Readonly<Record<string, string>>;
  readonly passesParams: boolean;
  readonly pkce: boolean;
  readonly clientAuth: ClientAuth;
  readonly reach: Reach;
  /**
   * The value of the `iss` parameter in the provider's authorization responses (RFC 9207). Undefined if the provider
   * doesn't send this parameter.
   */
  readonly advertisedIssuer: string | undefined;
  readProfile(token: TokenResponse): Promise<ExternalProfile>;
}

export interface OAuth1Client {
  readonly kind: 'oauth1';
  readonly provider: string;
  readonly emailOptional: boolean;
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly redirectUri: string;
  /** The provider's base URL. */
  readonly url: string;
}

export type ExternalProvider = OAuth2Client | OAuth1Client;

/** Returns the URL to which providers redirect browsers. */
export const callbackUrl = (base: string): string => `${base.replace(/\/+$/, '')}/callback`;

export type ClientAuth = 'basic' | 'post';

interface AuthorizationRequest {
  readonly authorizeUrl: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly state: string;
  /** Additional parameters. The app's parameters override the parameters in the provider's definition. */
  readonly params: readonly Readonly<Record<string, string>>[];
}

export function authorizationUrl(request: AuthorizationRequest): string {
  const params: Record<string, string> = {
    response_type: 'code',
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    ...(request.scopes.length === 0 ? {} : { scope: request.scopes.join(' ') }),
    state: request.state,
  };
  const all = Object.assign(params, ...request.params) as Record<string, string>;
  const separator = request.authorizeUrl.includes('?') ? '&' : '?';
  return `${request.authorizeUrl}${separator}${encodeParams(all)}`;
}

/** Parameters that apps can't set, because these parameters would change the recipient of the response. */
export const reservedParams = new Set([
  'client_id',
  'client_secret',
  'redirect_uri',
  'response_type',
  'state',
  'code_challenge',
  'code_challenge_method',
  'code_verifier',
  'nonce',
]);

/**
 * Parameters that are for Plinth itself and aren't passed to the provider. One of these parameters, the invitation
 * token, is a secret.
 */
const ownParams = new Set(['provider', 'scopes', 'invite_token']);

/**
 * Returns the request parameters that are passed to the provider, such as `prompt`, `login_hint` and the app's `nonce`.
 */
export function passedParams(query: URLSearchParams): Record<string, string> {
  const passed = new Map<string, string>();
  for (const [key, value] of query) {
    const lower = key.toLowerCase();
    if (ownParams.has(lower) || (lower !== 'nonce' && reservedParams.has(lower))) continue;
    // Clients send WorkOS's `provider` parameter as `workos_provider`, because `provider` is Plinth's own parameter.
    const name = key === 'workos_provider' ? 'provider' : key;
    if (!passed.has(name)) passed.set(name, value);
  }
  return Object.fromEntries(passed);
}

/** Generates a PKCE code verifier (RFC 7636 section 4.1). */
export function newCodeVerifier(): string {
  return randomBytes(32).toString('base64url');
}

interface Redemption {
  readonly clientId: string;
  readonly secret: string;
  readonly redirectUri: string;
  readonly code: string;
  readonly codeVerifier: string | undefined;
}

/** Returns the headers and form of a token request (RFC 6749 sections 2.3.1 and 4.1.3). */
export function redemptionRequest(
  redemption: Redemption,
  auth: ClientAuth,
): { headers: Record<string, string>; body: string } {
  const { clientId, secret } = redemption;
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code: redemption.code,
    redirect_uri: redemption.redirectUri,
    ...(redemption.codeVerifier === undefined ? {} : { code_verifier: redemption.codeVerifier }),
    ...(auth === 'post' ? { client_id: clientId, client_secret: secret } : {}),
  });
  const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`;
  return {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(auth === 'basic' ? { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } : {}),
    },
    body: form.toString(),
  };
}

type TokenResult =
  | { readonly ok: true; readonly token: TokenResponse }
  /**
   * The exchange failed. `error` is the error code (RFC 6749 section 5.2), or '' if the response contains no error
   * code.
   */
  | { readonly ok: false; readonly error: string };

/**
 * Parses a token response. The response is JSON, or form data if it comes from one of some older providers. A response
 * with an `error` member counts as a failure regardless of its status.
 */
export function readTokenResponse(response: {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}): TokenResult {
  const members = readMembers(response.contentType, response.text);
  const text = (name: string): string => (typeof members[name] === 'string' ? members[name] : '');
  const error = text('error');
  if (error !== '' || response.status < 200 || response.status > 299) return { ok: false, error };
  if (text('access_token') === '') return { ok: false, error: '' };
  return {
    ok: true,
    token: {
      accessToken: text('access_token'),
      tokenType: text('token_type'),
      refreshToken: text('refresh_token'),
      idToken: text('id_token') === '' ? undefined : text('id_token'),
      members,
    },
  };
}

function readMembers(contentType: string, text: string): JsonObject {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'application/x-www-form-urlencoded' || type === 'text/plain') {
    return Object.fromEntries(new URLSearchParams(text));
  }
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
