/**
 * Determines whether a request comes from the Account pages or from another site, based on the forms' CSRF token and on
 * links between pages.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { splitOnce } from '../../../base/shared/http/split-once.ts';
import { formCookie } from '../core/cookies.ts';
import { cookieOf, keepCookie } from '../request-cookies.ts';

/**
 * Returns the hidden field that contains the CSRF token, and sets the token's cookie. Reuses an existing token, because
 * another tab may show a form that contains this token.
 */
export function markedForm(request: FastifyRequest, reply: FastifyReply): string {
  const known = cookieOf(request, formCookie);
  const mark = known !== undefined && isMark(known) ? known : randomBytes(markBytes).toString('hex');
  keepCookie(request, reply, formCookie, mark);
  return `<input type="hidden" name="mark" value="${mark}">`;
}

export function isOurs(request: FastifyRequest, form: URLSearchParams): boolean {
  const { headers, host } = request;
  const site = headers['sec-fetch-site'];
  return isOurForm({
    fetchSite: typeof site === 'string' ? site : undefined,
    origin: headers.origin,
    host,
    mark: form.get('mark') ?? '',
    cookie: cookieOf(request, formCookie),
  });
}

/** Returns the fields of a posted form. */
export const formOf = ({ body }: FastifyRequest): URLSearchParams =>
  body instanceof URLSearchParams ? body : new URLSearchParams();

/**
 * Whether the request results from a link or redirect on an Account page. Other sites must not be able to send a
 * visitor to an app or an identity provider unless the visitor clicks on an Account page. If the browser is too old to
 * send `Sec-Fetch-Site`, checks `Referer` instead.
 */
export function isFromOurPage({ headers, host }: FastifyRequest): boolean {
  const {
    'sec-fetch-site': site,
    'sec-fetch-mode': mode = 'navigate',
    'sec-fetch-dest': target = 'document',
    referer,
  } = headers;
  // Browsers request frames and images without any action by the user.
  if (mode !== 'navigate' || target !== 'document') return false;
  if (site !== undefined) return site === 'same-origin';
  if (referer === undefined || !URL.canParse(referer)) return false;
  const { host: from, pathname } = new URL(referer);
  return from === host.toLowerCase() && pathname.startsWith('/account/');
}

interface FormSender {
  readonly fetchSite: string | undefined;
  readonly origin: string | undefined;
  /** The host and port to which the browser sent the form. */
  readonly host: string;
  /** The token that the form contains. */
  readonly mark: string;
  /** The token that the cookie contains. */
  readonly cookie: string | undefined;
}

const markBytes = 16;
const isMark = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);

/**
 * Protects the forms against cross-site requests. The form and a cookie contain the same token. Other sites can't read
 * the form's token or set the cookie. The `Sec-Fetch-Site` and `Origin` headers must also show that the request comes
 * from the Account pages, because a sibling host could have set the cookie.
 */
function isOurForm({ fetchSite, origin, host, mark, cookie = '' }: FormSender): boolean {
  if (fetchSite !== undefined && fetchSite !== 'same-origin') return false;
  if (origin !== undefined && !(URL.canParse(origin) && new URL(origin).host === host.toLowerCase())) {
    return false;
  }
  return isMark(mark) && isMark(cookie) && timingSafeEqual(Buffer.from(mark), Buffer.from(cookie));
}

export const queryOf = ({ url }: { readonly url: string }): URLSearchParams =>
  new URLSearchParams(splitOnce(url, '?')[1]);
