/** The cookies of the Account pages (RFC 6265): the session, and the mark of a page with a form of its own. */

export const cookieName = 'plinth-account';
/** A browser keeps the cookie this long after its last use; the session itself may end earlier. */
export const cookieMaxAgeSeconds = 30 * 24 * 3600;

/** The value of our cookie in a `Cookie` header. */
export function readCookie(header: string | undefined, name = cookieName): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const equals = pair.indexOf('=');
    if (equals !== -1 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}

/** A `Set-Cookie` header. An undefined value deletes the cookie. */
export function writeCookie(value: string | undefined, options: { readonly secure: boolean }): string {
  const attributes = ['Path=/account', 'HttpOnly', 'SameSite=Lax', ...(options.secure ? ['Secure'] : [])];
  const age = value === undefined ? 0 : cookieMaxAgeSeconds;
  return [`${cookieName}=${value ?? ''}`, `Max-Age=${age}`, ...attributes].join('; ');
}

export const formCookieName = 'plinth-account-form';
const formCookieMaxAgeSeconds = 24 * 3600;

/** The mark that the confirm page's form must carry as well: no other site can know or set it. */
export function writeFormCookie(value: string, options: { readonly secure: boolean }): string {
  const secure = options.secure ? '; Secure' : '';
  return `${formCookieName}=${value}; Max-Age=${formCookieMaxAgeSeconds}; Path=/account/confirm; HttpOnly; SameSite=Strict${secure}`;
}
