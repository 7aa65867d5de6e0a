/**
 * Declares `/account/confirm`, where an email link takes effect when a button is pressed. Opening the page doesn't use
 * up the link, so email scanners can open the page safely. The button submits a plain form that works without scripts.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AuthRejection } from '../../shared/auth-rejection.ts';
import { escapeMarkup } from '../../shared/escape-markup.ts';
import type { AuthClient, TokenPair } from '../auth-client.ts';
import { type ConfirmLink, ownQuery, pageAfter, parseConfirmLink } from '../core/confirm.ts';
import { isOurs, markedForm } from './mark.ts';
import type { Send } from './page-names.ts';

export interface ConfirmDeps {
  readonly auth: AuthClient;
  readonly accountUrl: () => string;
  /** Signs the browser in and sets the cookie on the response. */
  readonly enter: (request: FastifyRequest, reply: FastifyReply, pair: TokenPair) => Promise<unknown>;
  readonly send: Send;
}

/** This limit is much larger than any link and its address. */
const maxFormBytes = 16_384;

export function confirmRoutes(app: FastifyInstance, deps: ConfirmDeps): void {
  const { auth, accountUrl, enter, send } = deps;

  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: maxFormBytes },
    (_request, body, done) => done(null, new URLSearchParams(body as string)),
  );

  app.get('/confirm', (request, reply) => {
    const link = parseConfirmLink(new URL(request.url, 'http://localhost').searchParams);
    if (link === undefined) return send(request, reply, 'link-expired', { status: 400, isStill: true });
    const values = { token: link.token, type: link.type, redirect_to: link.redirectTo };
    const fields = Object.entries(values).map(
      ([name, value]) => `<input type="hidden" name="${name}" value="${escapeMarkup(value)}">`,
    );
    return send(request, reply, 'confirm', { fields: markedForm(request, reply) + fields.join('') });
  });

  app.post('/confirm', async (request, reply) => {
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    if (!isOurs(request, form)) {
      return send(request, reply, 'plain/refused', { status: 403, isStill: true });
    }
    const link = parseConfirmLink(form);
    if (link === undefined) return send(request, reply, 'link-expired', { status: 400, isStill: true });
    const own = ownQuery(link.redirectTo, accountUrl());
    try {
      if (own === undefined) return await goToApp(request, reply, link);
      const body = { type: link.type, token_hash: link.token };
      const pair = await auth.visitor(request).verifyCode(body);
      // Auth doesn't return a session if the other address of a double email change must still be confirmed.
      if (pair === undefined) return reply.redirect('/account/confirm-other', 303);
      await enter(request, reply, pair);
      return reply.redirect(pageAfter(link.type, own), 303);
    } catch (error) {
      if (!(error instanceof AuthRejection)) throw error;
      return reply.redirect('/account/link-expired', 303);
    }
  });

  /**
   * Continues to the app, as opening the link would. The response isn't a redirect, because browsers apply the page's
   * form-action policy to redirects that follow a form submission, and the app may redirect again.
   */
  async function goToApp(
    request: FastifyRequest,
    reply: FastifyReply,
    { token, type, redirectTo }: ConfirmLink,
  ) {
    const target = await auth.visitor(request).followLink({ token, type, redirectTo });
    reply.header('refresh', `0; url=${target}`);
    return send(request, reply, 'continue', { target, isStill: true });
  }
}
