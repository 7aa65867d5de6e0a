/**
 * Declares `/account/not-me`, to which the link "This wasn't me" in security notices leads. The page says what will
 * happen, and its button undoes the change. `/account/unlock` ends a lockout in the same way.
 */
import type { FastifyInstance } from 'fastify';
import type { AuthClient } from '../auth-client.ts';
import { keepDevice } from '../device.ts';
import type { Send } from './page-names.ts';
import { declareTokenForm } from './token-form.ts';

const shape = /^[A-Za-z0-9_-]{43}$/;

export function notMeRoutes(
  app: FastifyInstance,
  { auth, send }: { readonly auth: AuthClient; readonly send: Send },
): void {
  declareTokenForm(app, send, {
    path: '/not-me',
    shape,
    async show(request, token) {
      const { kind, when, email } = await auth.visitor(request).readReversal(token);
      return { page: `plain/not-me-${kind}`, fields: { when, email } };
    },
    async use(request, _reply, token) {
      const next = await auth.visitor(request).reverse(token);
      return `/account/secured${next === 'email' ? '' : `-${next}`}`;
    },
  });
  declareTokenForm(app, send, {
    path: '/unlock',
    shape,
    async show(request, token) {
      await auth.visitor(request).readUnlock(token);
      return { page: 'plain/unlock' };
    },
    async use(request, reply, token) {
      await auth.visitor(request).unlock(token);
      keepDevice(request, reply);
      return '/account/unlocked';
    },
  });
  for (const page of ['secured', 'secured-sso', 'secured-none', 'unlocked']) {
    app.get(`/${page}`, (request, reply) => send(request, reply, `plain/${page}`, { isStill: true }));
  }
}
