/**
 * Declares `/account/cancel-change`, the page that the link in the email to a user's old address opens. The page
 * cancels the address change when the user clicks a button, and doesn't require a session.
 */
import type { FastifyInstance } from 'fastify';
import { AuthRejection } from '../../shared/auth-rejection.ts';
import { escapeMarkup } from '../../shared/escape-markup.ts';
import type { AuthClient } from '../auth-client.ts';
import { queryOf } from '../core/query.ts';
import { isOurs, markedForm } from './mark.ts';
import { sendExpired } from './other-device.ts';
import type { Send } from './page-names.ts';

export function cancelChangeRoutes(
  app: FastifyInstance,
  { auth, send }: { readonly auth: AuthClient; readonly send: Send },
): void {
  const tokenOf = (params: URLSearchParams): string | undefined =>
    /^(?:pkce_)?[0-9a-f]{56}$/.exec(params.get('token') ?? '')?.[0];

  app.get('/cancel-change', (request, reply) => {
    const token = tokenOf(queryOf(request));
    if (token === undefined) return sendExpired(send, request, reply);
    const field = `<input type="hidden" name="token" value="${escapeMarkup(token)}">`;
    return send(request, reply, 'plain/cancel-change', {
      fields: markedForm(request, reply) + field,
      isStill: true,
    });
  });

  app.post('/cancel-change', async (request, reply) => {
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    if (!isOurs(request, form)) {
      return send(request, reply, 'plain/refused', { status: 403, isStill: true });
    }
    const token = tokenOf(form);
    if (token === undefined) return sendExpired(send, request, reply);
    try {
      await auth.visitor(request).cancelEmailChange(token);
    } catch (error) {
      if (!(error instanceof AuthRejection)) throw error;
      return sendExpired(send, request, reply);
    }
    return reply.redirect('/account/change-canceled', 303);
  });
}
