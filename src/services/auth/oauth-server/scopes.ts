/**
 * Defines the scopes that the OAuth server supports (OpenID Connect Core section 5.4). Requests for other scopes are
 * rejected.
 */

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
