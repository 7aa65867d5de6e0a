/**
 * Declares `/account/cancel-change`, the page to which the email to the user's old address links. The page cancels the
 * change of the address when the user presses a button. The page doesn't require a session.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AuthRejection } from '../../../base/shared/errors.ts';
import type { AuthClient } from '../auth-client.ts';
import type { Send } from './page-names.ts';
import { declareTokenForm } from './token-form.ts';

export function cancelChangeRoutes(
  app: FastifyInstance,
  { auth, send }: { readonly auth: AuthClient; readonly send: Send },
): void {
  /** Returns the new address, so that the account's owner can distinguish a typing mistake from an attack. */
  async function newAddress(request: FastifyRequest, token: string): Promise<string> {
    try {
      return (await auth.visitor(request).checkLink({ type: 'email_change', token })).newEmail;
    } catch (error) {
      if (!(error instanceof AuthRejection)) throw error;
      return '';
    }
  }

  declareTokenForm(app, send, {
    path: '/cancel-change',
    shape: /^(?:pkce_)?[0-9a-f]{56}$/,
    async show(request, token) {
      const email = await newAddress(request, token);
      return email === ''
        ? { page: 'plain/cancel-change' }
        : { page: 'plain/cancel-change-to', fields: { email } };
    },
    async use(request, _reply, token) {
      await auth.visitor(request).cancelEmailChange(token);
      return '/account/change-canceled';
    },
  });
}
