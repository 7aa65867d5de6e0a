/** The links of mails that a button uses: what they hold, and where it leads afterwards. */
import { carriedFlow } from './html.ts';

export interface ConfirmLink {
  /** The hash that auth looks the link up by. */
  readonly token: string;
  readonly type: string;
  /** Where the link shall lead; auth judges it. */
  readonly redirectTo: string;
}

const types: ReadonlySet<string> = new Set(['signup', 'invite', 'recovery', 'magiclink', 'email_change']);

/** Undefined: no link that auth can have made. */
export function parseConfirmLink(params: URLSearchParams): ConfirmLink | undefined {
  const token = params.get('token') ?? '';
  const type = params.get('type') ?? '';
  if (!/^(?:pkce_)?[0-9a-f]{56}$/.test(token) || !types.has(type)) return undefined;
  return { token, type, redirectTo: params.get('redirect_to') ?? '' };
}

/** The query of one of our own pages; undefined for every other address. */
export function ownQuery(redirectTo: string, accountUrl: string): URLSearchParams | undefined {
  if (!URL.canParse(redirectTo)) return undefined;
  const url = new URL(redirectTo);
  return url.href.startsWith(`${accountUrl}/`) ? url.searchParams : undefined;
}

/** Who confirmed goes on with what brought them here; a password comes first, a new one or that of an invitation. */
export function pageAfter(type: string, query: URLSearchParams): string {
  const page = type === 'recovery' || type === 'invite' ? 'new-password' : 'sign-in';
  const flow = carriedFlow(query);
  return `/account/${page}${flow === '' ? '' : `?${flow}`}`;
}

/**
 * The page that a request of ours came from, for auth as `redirect_to`: its links then lead back to where somebody was.
 * Undefined without a `Referer` of our own.
 */
export function cameFrom(referer: string | undefined, host: string, accountUrl: string): string | undefined {
  if (referer === undefined || !URL.canParse(referer)) return undefined;
  const url = new URL(referer);
  const page = /^\/account\/([a-z-]+)$/.exec(url.pathname)?.[1];
  if (url.host !== host.toLowerCase() || page === undefined) return undefined;
  const flow = carriedFlow(url.searchParams);
  return `${accountUrl}/${page}${flow === '' ? '' : `?${flow}`}`;
}
