/** The one cookie of the Account pages (RFC 6265). */

export const cookieName = 'plinth-account';
/** A browser keeps the cookie this long after its last use; the session itself may end earlier. */
export const cookieMaxAgeSeconds = 30 * 24 * 3600;

/** The value of our cookie in a `Cookie` header. */
export function readCookie(header: string | undefined): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const equals = pair.indexOf('=');
    if (equals !== -1 && pair.slice(0, equals).trim() === cookieName) return pair.slice(equals + 1).trim();
  }
  return undefined;
}

/** A `Set-Cookie` header. An undefined value deletes the cookie. */
export function writeCookie(value: string | undefined, options: { readonly secure: boolean }): string {
  const attributes = ['Path=/account', 'HttpOnly', 'SameSite=Lax', ...(options.secure ? ['Secure'] : [])];
  const age = value === undefined ? 0 : cookieMaxAgeSeconds;
  return [`${cookieName}=${value ?? ''}`, `Max-Age=${age}`, ...attributes].join('; ');
}
