/**
 * Reads and writes the cookies of the Account pages (RFC 6265). These cookies contain the session, the form token, and
 * data passed from one page to the next.
 */

export interface CookieKind {
  readonly name: string;
  /** How long a browser keeps the cookie after the server last set it. */
  readonly maxAgeSeconds: number;
}

/** Whether the request was sent over TLS. */
export interface Transport {
  readonly secure: boolean;
}

/**
 * The maximum duration for which browsers keep a cookie. The session's row in the database expires earlier, after a
 * period of inactivity. The cookie is set only when the browser switches to another account. If a response only
 * extended the cookie, it could arrive after a newer sign-in and overwrite that sign-in's cookie.
 */
const cookieMaxAgeSeconds = 400 * 24 * 3600;
export const sessionCookie: CookieKind = { name: 'plinth-account', maxAgeSeconds: cookieMaxAgeSeconds };

/** The cookies of the sessions of the other accounts in this browser. Each account has a separate cookie. */
export const parkedCookies: readonly CookieKind[] = [1, 2, 3, 4].map((slot) => ({
  name: `plinth-account-${slot}`,
  maxAgeSeconds: cookieMaxAgeSeconds,
}));

/** The cookie with the CSRF token. Account forms must contain the same token (`routes/mark.ts`). */
export const formCookie: CookieKind = { name: 'plinth-account-form', maxAgeSeconds: 24 * 3600 };

/**
 * Stores a visitor's progress if the browser runs no scripts (`step.ts`). The cookie expires at about the same time as
 * a code sent by email.
 */
export const stepCookie: CookieKind = { name: 'plinth-account-step', maxAgeSeconds: 3600 };

/**
 * Stores the token of a setup link, with which an IT administrator sets up single sign-on of an organization. The URL of
 * the page then doesn't contain the token, and the browser finds the page again after a test at the identity provider.
 */
export const setupCookie: CookieKind = { name: 'plinth-account-setup', maxAgeSeconds: 8 * 3600 };

/**
 * The cookie that identifies a window that is waiting for the user to open the link in an email (`waiting-windows.ts`).
 */
export const waitCookie: CookieKind = { name: 'plinth-account-wait', maxAgeSeconds: 3600 };

/**
 * The cookie that identifies a browser in which the user has signed in before (`device.ts`). Browsers keep cookies for
 * at most 400 days.
 */
export const deviceCookie: CookieKind = { name: 'plinth-account-device', maxAgeSeconds: 400 * 24 * 3600 };

/** This duration is long enough for a guest to sign in to another account, even with a second factor. */
const guestCookieMaxAgeSeconds = 900;
/** Stores a guest's session while the guest signs in to another account (`routes/guests.ts`). */
export const guestCookie: CookieKind = {
  name: 'plinth-account-guest',
  maxAgeSeconds: guestCookieMaxAgeSeconds,
};

/**
 * Returns the cookie's name. If the request was sent over TLS, the name has a prefix that browsers accept only for
 * cookies that are set over TLS, by the exact host and for all paths (RFC 6265bis, section 4.1.3.2). Because of this
 * prefix, a sibling subdomain can't replace the cookie. The gateway doesn't forward these cookies to other services.
 */
const nameOver = ({ name }: CookieKind, { secure }: Transport): string => (secure ? `__Host-${name}` : name);

/** Returns the value of an Account cookie in a `Cookie` header. */
export function readCookie(
  header: string | undefined,
  kind: CookieKind,
  transport: Transport,
): string | undefined {
  const name = nameOver(kind, transport);
  for (const pair of header?.split(';') ?? []) {
    const equals = pair.indexOf('=');
    if (equals !== -1 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}

/**
 * Returns a `Set-Cookie` header. If the value is undefined, the header deletes the cookie. `SameSite` is `Lax` because
 * users follow links from the app to the Account pages.
 */
export function writeCookie(kind: CookieKind, value: string | undefined, transport: Transport): string {
  const age = value === undefined ? 0 : kind.maxAgeSeconds;
  const [path, end] = transport.secure ? ['/', '; Secure'] : ['/account', ''];
  return `${nameOver(kind, transport)}=${value ?? ''}; Max-Age=${age}; Path=${path}; HttpOnly; SameSite=Lax${end}`;
}
