/**
 * Determines whether a page load came from another website. A link on another website can contain a different
 * operator's sign-in token. After following such a link, the user would unknowingly work in that operator's session
 * (login CSRF), so the sign-in page asks for confirmation before using the token.
 */
import type { IncomingHttpHeaders } from 'node:http';

/** Placeholders in the built HTML that are replaced in each response. */
export const arrivalPlaceholder = '%PLINTH_ARRIVAL%';
export const sessionPlaceholder = '%PLINTH_SESSION%';

/**
 * Returns `own` if the page load came from the Console itself or has no referring website (for example, if the user
 * opened the URL from the address bar, a terminal or an email client).
 */
export function arrivalOf(headers: IncomingHttpHeaders): 'own' | 'foreign' {
  const site = headers['sec-fetch-site'];
  return site === 'none' || site === 'same-origin' ? 'own' : 'foreign';
}

/**
 * Returns `none` if the operator can't be signed in, so that the page doesn't show the Console's frame and menu at
 * first. If the user followed a link on another website, the browser doesn't send the cookie, so a missing cookie
 * proves nothing.
 */
export const sessionHint = (headers: IncomingHttpHeaders, hasCookie: boolean): 'none' | 'possible' =>
  !hasCookie && arrivalOf(headers) === 'own' ? 'none' : 'possible';
