/**
 * Parses email links that take effect only when a button is pressed. Also determines the page that the user sees next.
 */
import { carriedFlow } from './html.ts';

export interface ConfirmLink {
  /** The hash with which auth finds the link. */
  readonly token: string;
  readonly type: string;
  /** The link's destination, which auth validates. */
  readonly redirectTo: string;
}

const types: ReadonlySet<string> = new Set(['signup', 'invite', 'recovery', 'magiclink', 'email_change']);

/** Parses a link. Returns undefined if the link doesn't have the form of auth's links. */
export function parseConfirmLink(params: URLSearchParams): ConfirmLink | undefined {
  const token = params.get('token') ?? '';
  const type = params.get('type') ?? '';
  if (!/^(?:pkce_)?[0-9a-f]{56}$/.test(token) || !types.has(type)) return undefined;
  return { token, type, redirectTo: params.get('redirect_to') ?? '' };
}

/** Returns the query of one of our own pages, or undefined for any other address. */
export function ownQuery(redirectTo: string, accountUrl: string): URLSearchParams | undefined {
  if (!URL.canParse(redirectTo)) return undefined;
  const url = new URL(redirectTo);
  return url.href.startsWith(`${accountUrl}/`) ? url.searchParams : undefined;
}

/**
 * Returns the page that the user sees after the confirmation: the original destination or, after a recovery or an
 * invitation, the password page.
 */
export function pageAfter(type: string, query: URLSearchParams): string {
  const page = type === 'recovery' || type === 'invite' ? 'new-password' : 'sign-in';
  const flow = carriedFlow(query);
  return `/account/${page}${flow === '' ? '' : `?${flow}`}`;
}

/**
 * Returns the page that sent the request, for auth's `redirect_to`, so that links in emails return to that page.
 * Returns undefined if the `Referer` isn't one of our pages.
 */
export function cameFrom(referer: string | undefined, host: string, accountUrl: string): string | undefined {
  if (referer === undefined || !URL.canParse(referer)) return undefined;
  const url = new URL(referer);
  const page = /^\/account\/([a-z-]+)$/.exec(url.pathname)?.[1];
  if (url.host !== host.toLowerCase() || page === undefined) return undefined;
  const flow = carriedFlow(url.searchParams);
  return `${accountUrl}/${page}${flow === '' ? '' : `?${flow}`}`;
}
