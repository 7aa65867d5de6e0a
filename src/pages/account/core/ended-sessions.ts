/**
 * Stores the OpenID client sessions that have just ended in this browser. A cookie passes these sessions from the
 * sign-out to the next page, which loads the clients' logout pages (OpenID Connect Front-Channel Logout 1.0). The
 * cookie doesn't contain the URLs of the logout pages, because the auth service looks them up.
 */
import type { CookieKind } from './cookies.ts';

export interface EndedSession {
  readonly clientId: string;
  readonly sessionId: string;
}

/** The cookie expires quickly, because only the page that opens immediately after the sign-out uses the cookie. */
export const endedCookie: CookieKind = { name: 'plinth-account-ended', maxAgeSeconds: 60 };

/** The maximum number of logout pages that one sign-out loads. This maximum also limits the size of the cookie. */
const maxPages = 20;

const pair = /^([0-9a-f-]{36})\.([0-9a-f-]{36})$/;

export const writeEnded = (ended: readonly EndedSession[]): string =>
  ended
    .slice(0, maxPages)
    .map(({ clientId, sessionId }) => `${clientId}.${sessionId}`)
    .join('_');

/** Parses the cookie's value. Ignores values that {@link writeEnded} didn't write. */
export function readEnded(value: string | undefined): readonly EndedSession[] {
  const parts = value?.split('_') ?? [];
  return parts.slice(0, maxPages).flatMap((part) => {
    const [, clientId, sessionId] = pair.exec(part) ?? [];
    return clientId === undefined || sessionId === undefined ? [] : [{ clientId, sessionId }];
  });
}
