/** Reads and sets the CSRF token for our forms. */
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
