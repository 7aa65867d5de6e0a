/** The cookies of the Account pages (RFC 6265): the session, the mark of our forms, and what a browser keeps between two pages. */

export interface CookieKind {
  readonly name: string;
  /** How long a browser keeps it after its last use. */
  readonly maxAgeSeconds: number;
}

/** True: the request came over TLS. */
export interface Transport {
  readonly secure: boolean;
}

/** The session itself may end earlier. */
const cookieMaxAgeSeconds = 30 * 24 * 3600;
export const sessionCookie: CookieKind = { name: 'plinth-account', maxAgeSeconds: cookieMaxAgeSeconds };

/** The mark that our forms must carry as well (`form-mark.ts`). */
export const formCookie: CookieKind = { name: 'plinth-account-form', maxAgeSeconds: 24 * 3600 };

/** How far a visitor without scripts has come (`step.ts`): as long as a code holds, roughly. */
export const stepCookie: CookieKind = { name: 'plinth-account-step', maxAgeSeconds: 3600 };

/** Signing in to another account, second factor included, takes no longer. */
const guestCookieMaxAgeSeconds = 900;
/** The session of a guest while they sign in to another account (`routes/guests.ts`). */
export const guestCookie: CookieKind = {
  name: 'plinth-account-guest',
  maxAgeSeconds: guestCookieMaxAgeSeconds,
};

/**
 * Browsers take a name with this prefix only over TLS, from the very host, for all of its paths (RFC 6265bis, section 4.1.3.2). A
 * neighboring subdomain can't replace such a cookie. Other services don't see it: the gateway hides it from them.
 */
const nameOver = ({ name }: CookieKind, { secure }: Transport): string => (secure ? `__Host-${name}` : name);

/** The value of a cookie of ours in a `Cookie` header. */
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

/** A `Set-Cookie` header; an undefined value deletes the cookie. Lax, since people come from the app by links. */
export function writeCookie(kind: CookieKind, value: string | undefined, transport: Transport): string {
  const age = value === undefined ? 0 : kind.maxAgeSeconds;
  const [path, end] = transport.secure ? ['/', '; Secure'] : ['/account', ''];
  return `${nameOver(kind, transport)}=${value ?? ''}; Max-Age=${age}; Path=${path}; HttpOnly; SameSite=Lax${end}`;
}
