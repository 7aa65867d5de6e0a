/** Distinguishes requests of our own pages from those of other sites: the CSRF token of our forms, and our links. */
import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { formCookie } from '../core/cookies.ts';
import { isMark, isOurForm, markBytes } from '../core/form-mark.ts';
import { cookieOf, keepCookie } from '../request-cookies.ts';

/**
 * Returns the hidden field for a form in the response and sets its cookie. An existing token is reused because another
 * tab may also show a form.
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
 * Whether the user has followed a link or a redirect on one of our pages. Other sites must not send a visitor to an app
 * or to an identity provider without a click here. Older browsers don't send `Sec-Fetch-Site`, so `Referer` is used
 * instead.
 */
export function isFromOurPage({ headers, host }: FastifyRequest): boolean {
  const {
    'sec-fetch-site': site,
    'sec-fetch-mode': mode = 'navigate',
    'sec-fetch-dest': target = 'document',
    referer,
  } = headers;
  // A frame or an image in one of our pages isn't a user's choice.
  if (mode !== 'navigate' || target !== 'document') return false;
  if (site !== undefined) return site === 'same-origin';
  if (referer === undefined || !URL.canParse(referer)) return false;
  const { host: from, pathname } = new URL(referer);
  return from === host.toLowerCase() && pathname.startsWith('/account/');
}
