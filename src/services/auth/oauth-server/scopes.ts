/**
 * Defines the scopes that the OAuth server supports (OpenID Connect Core section 5.4), and the claims to which a client's
 * scopes grant access, in ID tokens and at the UserInfo endpoint. Requests for other scopes are rejected.
 */
import { type JsonObject, sortKeys } from '../common/json.ts';
import type { User } from '../common/rows.ts';
import { toMs } from '../common/times.ts';

export const supportedScopes = ['openid', 'profile', 'email', 'phone', 'offline_access'] as const;

/** Splits a space-separated list of scopes (RFC 6749 section 3.3). Keeps duplicates and doesn't change the order. */
export function parseScopes(text: string): string[] {
  return text
    .split(' ')
    .map((scope) => scope.trim())
    .filter((scope) => scope !== '');
}

export function isSupportedScope(scope: string): boolean {
  return (supportedScopes as readonly string[]).includes(scope);
}

export function coversScopes(granted: readonly string[], requested: readonly string[]): boolean {
  return requested.every((scope) => granted.includes(scope));
}

/** The lifetime of ID tokens. It doesn't depend on the lifetime of access tokens. */
const idTokenSeconds = 3600;

interface IdTokenInput {
  readonly user: User;
  readonly issuer: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly nonce: string | null;
  readonly authTimeSeconds: number;
  readonly issuedAtSeconds: number;
  /**
   * The ID of the session, which logout tokens contain as well. The ID is undefined for clients that don't receive
   * logout tokens.
   */
  readonly sessionId: string | undefined;
}

/**
 * Returns the ID token claims (section 2) in upstream's order. The claims `email_verified` and `phone_verified` are
 * included regardless of the scopes.
 */
export function idTokenClaims(input: IdTokenInput): JsonObject {
  const { user, scopes } = input;
  const withEmail = scopes.includes('email');
  const withPhone = scopes.includes('phone');
  return {
    iss: input.issuer,
    sub: user.id,
    aud: input.clientId,
    exp: input.issuedAtSeconds + idTokenSeconds,
    iat: input.issuedAtSeconds,
    ...(input.nonce ? { nonce: input.nonce } : {}),
    auth_time: input.authTimeSeconds,
    ...(withEmail && user.email ? { email: user.email } : {}),
    email_verified: withEmail && user.email_confirmed_at !== null,
    ...(withPhone && user.phone ? { phone_number: user.phone } : {}),
    phone_number_verified: withPhone && user.phone_confirmed_at !== null,
    ...(scopes.includes('profile') ? profileClaims(user) : {}),
    client_id: input.clientId,
    ...(input.sessionId === undefined ? {} : { sid: input.sessionId }),
  };
}

/**
 * Returns the UserInfo claims (section 5.3). Upstream uses the names `phone` and `phone_verified`, which differ from
 * the names in OpenID Connect.
 */
export function userInfo(user: User, scopes: readonly string[]): JsonObject {
  return {
    sub: user.id,
    ...(scopes.includes('email') && user.email ? { email: user.email } : {}),
    ...(scopes.includes('email') && user.email_confirmed_at !== null ? { email_verified: true } : {}),
    ...(scopes.includes('profile') ? profileClaims(user) : {}),
    ...(scopes.includes('profile') && user.raw_user_meta_data !== null
      ? { user_metadata: sortKeys(user.raw_user_meta_data) }
      : {}),
    ...(scopes.includes('phone') && user.phone ? { phone: user.phone } : {}),
    ...(scopes.includes('phone') && user.phone_confirmed_at !== null ? { phone_verified: true } : {}),
  };
}

function profileClaims(user: User): JsonObject {
  const text = (...names: string[]): string =>
    names
      .map((name) => user.raw_user_meta_data?.[name])
      .find((value): value is string => typeof value === 'string' && value !== '') ?? '';
  const [name, picture] = [text('name') || (user.email ?? ''), text('picture', 'avatar_url')];
  const username = text('preferred_username', 'username');
  return {
    ...(name === '' ? {} : { name }),
    ...(picture === '' ? {} : { picture }),
    ...(user.updated_at === null ? {} : { updated_at: Math.floor(toMs(user.updated_at) / 1000) }),
    ...(username === '' ? {} : { preferred_username: username }),
  };
}
