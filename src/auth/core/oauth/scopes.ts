/** Scopes of our OAuth server (OpenID Connect Core section 5.4); others are refused. */

export const supportedScopes = ['openid', 'profile', 'email', 'phone', 'offline_access'] as const;

/** Blank-separated (RFC 6749 section 3.3); repetitions and order stay as they were asked for. */
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
