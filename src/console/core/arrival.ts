/**
 * Determines where a page load came from. A link on another website can contain another operator's sign-in token. The
 * user would then work in that operator's session without noticing (login CSRF), so the sign-in page asks for
 * confirmation first.
 */
import type { IncomingHttpHeaders } from 'node:http';

/** A placeholder in the built HTML, replaced in each response. */
export const arrivalPlaceholder = '%PLINTH_ARRIVAL%';

/** `own`: from the Console itself or without a referring website (the address bar, a terminal, a mail client). */
export function arrivalOf(headers: IncomingHttpHeaders): 'own' | 'foreign' {
  const site = headers['sec-fetch-site'];
  return site === 'none' || site === 'same-origin' ? 'own' : 'foreign';
}
