/**
 * Stores the OpenID client sessions that have just ended in this browser. A cookie passes these sessions from the
 * sign-out to the next page, which loads the clients' logout pages in invisible frames (OpenID Connect Front-Channel
 * Logout 1.0). The cookie doesn't contain the URLs of the logout pages, because the auth service looks them up.
 */
import type { CookieKind } from './cookies.ts';
import { escapeText } from './html.ts';

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

/**
 * Returns the frames as HTML. The sandbox allows a client's logout page to delete the client's cookies, but not to open
 * windows, submit forms or navigate the Account page.
 */
export const framesOf = (urls: readonly string[]): string =>
  urls
    .map(
      (url) =>
        `<iframe data-signed-out hidden sandbox="allow-scripts allow-same-origin" referrerpolicy="no-referrer" src="${escapeText(url)}"></iframe>`,
    )
    .join('');

/**
 * Returns the sources for the content security policy's `frame-src` directive. The sources contain the path of the
 * logout page, so the frame can't load the client's other pages. The characters `;` and `,` are escaped, because they
 * would end a source (CSP Level 3, section 2.3.1).
 */
export const frameSourcesOf = (urls: readonly string[]): readonly string[] => [
  ...new Set(
    urls.map((url) => {
      const { origin, pathname } = new URL(url);
      return `${origin}${pathname.replaceAll(';', '%3B').replaceAll(',', '%2C')}`;
    }),
  ),
];
