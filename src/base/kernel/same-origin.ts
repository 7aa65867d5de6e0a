/**
 * Checks whether a request comes from one of Plinth's own pages. A cookie alone doesn't prove a request's origin
 * because browsers send cookies automatically.
 *
 * Three headers are checked: Plinth's own header, and also `Sec-Fetch-Site` and `Origin` if the browser sends them.
 * Another site can't send Plinth's header without a preflight request, which Plinth always rejects.
 */
export const sameOriginHeader = 'x-plinth-request';

export interface OriginMarks {
  readonly ownHeader: string | undefined;
  readonly fetchSite: string | undefined;
  readonly origin: string | undefined;
  /** The host and port to which the request was sent. */
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
