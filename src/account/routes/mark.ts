/** The mark of our forms, on requests and answers. */
import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { formCookie } from '../core/cookies.ts';
import { isMark, isOurForm, markBytes } from '../core/form-mark.ts';
import { cookieOf, keepCookie } from '../request-cookies.ts';

/** The hidden field for a form of the answer; its cookie is set. The same as before where there was one: another tab may show a form as well. */
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
