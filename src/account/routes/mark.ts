/** The mark of our forms, on requests and answers. */
import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { formCookieName, readCookie, writeFormCookie } from '../core/cookies.ts';
import { isMark, isOurForm, markBytes } from '../core/form-mark.ts';

/** The hidden field for a form of the answer; its cookie is set. The same as before where there was one: another tab may show a form as well. */
export function markedForm(request: FastifyRequest, reply: FastifyReply): string {
  const known = readCookie(request.headers.cookie, formCookieName);
  const mark = known !== undefined && isMark(known) ? known : randomBytes(markBytes).toString('hex');
  reply.header('set-cookie', writeFormCookie(mark, { secure: request.protocol === 'https' }));
  return `<input type="hidden" name="mark" value="${mark}">`;
}

export function isOurs({ headers, host }: FastifyRequest, form: URLSearchParams): boolean {
  const site = headers['sec-fetch-site'];
  return isOurForm({
    fetchSite: typeof site === 'string' ? site : undefined,
    origin: headers.origin,
    host,
    mark: form.get('mark') ?? '',
    cookie: readCookie(headers.cookie, formCookieName),
  });
}
