/**
 * Declares pages for links in emails that take effect when a button is pressed. Opening the page changes nothing, so
 * email scanners and other sites can open it.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AuthRejection } from '../../shared/auth-rejection.ts';
import { escapeMarkup } from '../../shared/escape-markup.ts';
import { queryOf } from '../core/query.ts';
import { formOf, isOurs, markedForm } from './mark.ts';
import type { AnyPage, PageFields, Send } from './page-names.ts';
import { sendExpired, sendRefused } from './responses.ts';

export interface TokenForm {
  readonly path: string;
  /** The form of a valid token. */
  readonly shape: RegExp;
  /** Returns the page with the button. Rejects with an `AuthRejection` if the link was used or has expired. */
  readonly show: (
    request: FastifyRequest,
    token: string,
  ) => Promise<{ readonly page: AnyPage; readonly fields?: PageFields }>;
  /** Uses the token and returns the next page. Rejects like `show`. */
  readonly use: (request: FastifyRequest, reply: FastifyReply, token: string) => Promise<string>;
}

export function declareTokenForm(app: FastifyInstance, send: Send, form: TokenForm): void {
  const { path, shape, show, use } = form;

  /** Runs the work with the token. If there is none or the link has expired, sends the page that says so. */
  async function withToken(
    request: FastifyRequest,
    reply: FastifyReply,
    params: URLSearchParams,
    work: (token: string) => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    const token = params.get('token') ?? '';
    if (!shape.test(token)) return sendExpired(send, request, reply);
    try {
      return await work(token);
    } catch (error) {
      if (!(error instanceof AuthRejection)) throw error;
      return sendExpired(send, request, reply);
    }
  }

  app.get(path, (request, reply) =>
    withToken(request, reply, queryOf(request), async (token) => {
      const { page, fields } = await show(request, token);
      const field = `<input type="hidden" name="token" value="${escapeMarkup(token)}">`;
      return send(request, reply, page, {
        ...fields,
        fields: markedForm(request, reply) + field,
        isStill: true,
      });
    }),
  );

  app.post(path, async (request, reply) => {
    const posted = formOf(request);
    if (!isOurs(request, posted)) return sendRefused(send, request, reply);
    return withToken(request, reply, posted, async (token) =>
      reply.redirect(await use(request, reply, token), 303),
    );
  });
}
