/**
 * Declares `/account/cancel-change`, the page that the link in the email to a user's old address opens. The page
 * cancels the address change when the user clicks a button, and doesn't require a session.
 */
import type { FastifyInstance } from 'fastify';
import type { AuthClient } from '../auth-client.ts';
import type { Send } from './page-names.ts';
import { declareTokenForm } from './token-form.ts';

export function cancelChangeRoutes(
  app: FastifyInstance,
  { auth, send }: { readonly auth: AuthClient; readonly send: Send },
): void {
  declareTokenForm(app, send, {
    path: '/cancel-change',
    shape: /^(?:pkce_)?[0-9a-f]{56}$/,
    show: async () => ({ page: 'plain/cancel-change' }),
    async use(request, _reply, token) {
      await auth.visitor(request).cancelEmailChange(token);
      return '/account/change-canceled';
    },
  });
}
