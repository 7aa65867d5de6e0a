/**
 * Declares `/account/remove-factors`, the destination of the link in the email about lost second factors. Also declares
 * the API with which the sign-in page requests and cancels the removal. Opening the link changes nothing, so email
 * scanners can safely open it.
 */
import type { FastifyInstance } from 'fastify';
import type { AuthClient } from '../auth-client.ts';
import type { Visitors } from '../visitor.ts';
import type { Send } from './page-names.ts';
import { declareTokenForm } from './token-form.ts';

export function removeFactorsRoutes(
  app: FastifyInstance,
  { auth, send }: { readonly auth: AuthClient; readonly send: Send },
): void {
  declareTokenForm(app, send, {
    path: '/remove-factors',
    shape: /^[A-Za-z0-9_-]{43}$/,
    expired: 'plain/remove-factors-expired',
    async show(request, token) {
      const { email, when, isConfirmed } = await auth.visitor(request).readFactorRemoval(token);
      return { page: `plain/remove-factors${isConfirmed ? '-done' : ''}`, fields: { email, when } };
    },
    async use(request, _reply, token) {
      await auth.visitor(request).confirmFactorRemoval(token);
      return `/account/remove-factors?token=${token}`;
    },
  });
}

export function factorRemovalApi(
  app: FastifyInstance,
  { auth, visitors }: { readonly auth: AuthClient; readonly visitors: Visitors },
): void {
  app.get('/factor-removal', async (request) => {
    const { session } = await visitors.needed(request);
    return auth.user(request, session).factorRemoval();
  });
  app.post('/factor-removal', async (request) => {
    const { session } = await visitors.needed(request);
    await auth.user(request, session).requestFactorRemoval();
    return {};
  });
  app.post('/factor-removal/cancel', async (request) => {
    const { session } = await visitors.needed(request);
    await auth.user(request, session).cancelFactorRemoval();
    return {};
  });
}
