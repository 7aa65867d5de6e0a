/** Parses email links that take effect only after the user presses a button, and determines which page follows. */
import { carriedFlow } from './html.ts';

export interface ConfirmLink {
  /** The token hash by which the auth service identifies the link. */
  readonly token: string;
  readonly type: string;
  /** The URL to which the link leads. The auth service validates this URL. */
  readonly redirectTo: string;
}

const types: ReadonlySet<string> = new Set(['signup', 'invite', 'recovery', 'magiclink', 'email_change']);

/** Parses a link. Returns undefined if the link doesn't have the format of the auth service's links. */
export function parseConfirmLink(params: URLSearchParams): ConfirmLink | undefined {
  const token = params.get('token') ?? '';
  const type = params.get('type') ?? '';
  if (!/^(?:pkce_)?[0-9a-f]{56}$/.test(token) || !types.has(type)) return undefined;
  return { token, type, redirectTo: params.get('redirect_to') ?? '' };
}

/** Returns the query string if the URL is the URL of an Account page. Returns undefined for any other URL. */
export function ownQuery(redirectTo: string, accountUrl: string): URLSearchParams | undefined {
  if (!URL.canParse(redirectTo)) return undefined;
  const url = new URL(redirectTo);
  return url.href.startsWith(`${accountUrl}/`) ? url.searchParams : undefined;
}

/**
 * Returns the page on which the user chooses a password after using a code or link of this type. Returns undefined if
 * the code or link leads directly to its destination. A sign-up with an invited address leads to the same page as the
 * invitation, because the password from the sign-up isn't stored.
 */
export function passwordPageFor(
  type: string,
  { was_prepared: wasPrepared }: { readonly was_prepared: boolean },
): 'new-password' | 'join' | undefined {
  if (type === 'recovery') return 'new-password';
  return type === 'invite' || wasPrepared ? 'join' : undefined;
}

/** The query parameter, in a link's destination URL, that identifies the window that is waiting for the link. */
const waitParameter = 'wait';

/** Adds the ID of a waiting window to a link's destination URL. */
export function withWait(redirectTo: string, wait: string): string {
  const url = new URL(redirectTo);
  url.searchParams.set(waitParameter, wait);
  return url.href;
}

/** Returns the ID of the window that is waiting for a link, or undefined if no window is waiting. */
export function waitOf(own: URLSearchParams): string | undefined {
  const wait = own.get(waitParameter);
  return wait !== null && /^[A-Za-z0-9_-]{43}$/.test(wait) ? wait : undefined;
}

/**
 * Whether the request was sent because a user navigated to the page. Returns false for prefetching, frames and requests
 * by scripts, which must not use up a link.
 */
export function isOpenedByUser(
  method: string,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): boolean {
  const purpose = `${headers['sec-purpose'] ?? ''} ${headers.purpose ?? ''} ${headers['x-moz'] ?? ''}`;
  const { 'sec-fetch-mode': mode = 'navigate', 'sec-fetch-dest': target = 'document' } = headers;
  return (
    method === 'GET' && !/prefetch|prerender/i.test(purpose) && mode === 'navigate' && target === 'document'
  );
}

/**
 * Returns the URL of the page that sent the request. The URL is sent to the auth service as `redirect_to`, so that
 * links in emails lead back to the page. Returns undefined if the `Referer` isn't the URL of an Account page.
 */
export function cameFrom(referer: string | undefined, host: string, accountUrl: string): string | undefined {
  if (referer === undefined || !URL.canParse(referer)) return undefined;
  const url = new URL(referer);
  const page = /^\/account\/([a-z-]+)$/.exec(url.pathname)?.[1];
  if (url.host !== host.toLowerCase() || page === undefined) return undefined;
  const flow = carriedFlow(url.searchParams);
  return `${accountUrl}/${page}${flow === '' ? '' : `?${flow}`}`;
}
