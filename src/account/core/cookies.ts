/** The cookies of the Account pages (RFC 6265): the session, the mark of our forms, and the step between two of them. */

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

/** The mark that our forms must carry as well (`form-mark.ts`). Lax: it must be there for who comes from the app. */
export function writeFormCookie(value: string, options: { readonly secure: boolean }): string {
  return shortCookie(formCookieName, value, formCookieMaxAgeSeconds, options.secure);
}

export const stepCookieName = 'plinth-account-step';
/** As long as a code holds, roughly; whoever takes longer begins again. */
const stepCookieMaxAgeSeconds = 3600;

/** How far somebody without scripts has come (`step.ts`). An undefined value deletes it. */
export function writeStepCookie(value: string | undefined, options: { readonly secure: boolean }): string {
  const age = value === undefined ? 0 : stepCookieMaxAgeSeconds;
  return shortCookie(stepCookieName, value ?? '', age, options.secure);
}

export const guestCookieName = 'plinth-account-guest';
/** Signing in to another account, second factor included, takes no longer. */
const guestCookieMaxAgeSeconds = 900;

/** The session of a guest who signs in to another account meanwhile (`routes/guests.ts`). Undefined deletes it. */
export function writeGuestCookie(value: string | undefined, options: { readonly secure: boolean }): string {
  const age = value === undefined ? 0 : guestCookieMaxAgeSeconds;
  return shortCookie(guestCookieName, value ?? '', age, options.secure);
}

function shortCookie(name: string, value: string, maxAgeSeconds: number, secure: boolean): string {
  const end = secure ? '; Secure' : '';
  return `${name}=${value}; Max-Age=${maxAgeSeconds}; Path=/account; HttpOnly; SameSite=Lax${end}`;
}
