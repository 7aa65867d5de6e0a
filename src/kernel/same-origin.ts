/**
 * Is a request from a page of our own? A cookie alone proves nothing, since browsers send it along.
 *
 * Three marks, all of which must agree: our own header (a foreign page cannot send it without a preflight, which we never
 * answer), `Sec-Fetch-Site` where the browser sends it, and `Origin` where the browser sends it.
 */
export const sameOriginHeader = 'x-plinth-request';

export interface OriginMarks {
  readonly ownHeader: string | undefined;
  readonly fetchSite: string | undefined;
  readonly origin: string | undefined;
  /** Host and port the request was made to. */
  readonly host: string;
}

export function isSameOrigin({ ownHeader, fetchSite, origin, host }: OriginMarks): boolean {
  if (ownHeader !== '1') return false;
  if (fetchSite !== undefined && fetchSite !== 'same-origin') return false;
  return origin === undefined || hostOf(origin) === host.toLowerCase();
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
