/**
 * Determines where a page load came from. A link on another website can contain the sign-in token of a different
 * operator. The user would then work in that operator's session without noticing it (login CSRF), so the sign-in page
 * requires confirmation first.
 */
import type { IncomingHttpHeaders } from 'node:http';

/** A placeholder in the built HTML, which is replaced in each response. */
export const arrivalPlaceholder = '%PLINTH_ARRIVAL%';

/**
 * Returns `own` if the page load came from the Console itself or if there was no referring website (the address bar, a
 * terminal, an email client).
 */
export function arrivalOf(headers: IncomingHttpHeaders): 'own' | 'foreign' {
  const site = headers['sec-fetch-site'];
  return site === 'none' || site === 'same-origin' ? 'own' : 'foreign';
}
