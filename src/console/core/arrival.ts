/**
 * How a browser came to a page of the Console. A link of another website may hold a sign-in token of somebody else's, whose
 * session the operator would then work in without noticing (login CSRF); so the sign-in page asks before it uses one.
 */
import type { IncomingHttpHeaders } from 'node:http';

/** In the built HTML; the answer has the arrival in its place. */
export const arrivalPlaceholder = '%PLINTH_ARRIVAL%';

/** `own`: from the Console itself or from outside all websites (the address bar, a terminal, a mail program). */
export function arrivalOf(headers: IncomingHttpHeaders): 'own' | 'foreign' {
  const site = headers['sec-fetch-site'];
  return site === 'none' || site === 'same-origin' ? 'own' : 'foreign';
}
