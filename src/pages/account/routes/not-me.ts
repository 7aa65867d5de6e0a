/**
 * Declares `/account/not-me`, the destination of the "This wasn't me" link in security notices. The page describes the
 * consequences of undoing the change, and a button on it undoes the change. The page `/account/unlock` ends a lockout
 * in the same way.
 */
import type { FastifyInstance } from 'fastify';
import type { AuthClient } from '../auth-client.ts';
import { keepDevice } from '../device.ts';
import { keepAddress } from '../identify.ts';
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
    // The user can't request the security notice again, so the page lists other ways to secure the account.
    expired: 'plain/not-me-expired',
    showsUsed: true,
    async show(request, token, reply) {
      const { kind, when, email, device, later, secured } = await auth.visitor(request).readReversal(token);
      if (secured !== undefined) {
        keepAddress(request, reply, email);
        return { page: 'plain/not-me-secured', fields: { when: secured } };
      }
      const changes = later.map((change) => ({ ...change.device, kind: change.kind, when: change.when }));
      return { page: `plain/not-me-${kind}`, fields: { when, email, changes, ...(device && { device }) } };
    },
    async use(request, reply, token) {
      const { next, email, hasFactor } = await auth.visitor(request).reverse(token);
      // The page that follows sends a code to this address.
      if (next === 'email') keepAddress(request, reply, email);
      return `/account/secured${next === 'email' ? (hasFactor ? '-factor' : '') : `-${next}`}`;
    },
  });
  declareTokenForm(app, send, {
    path: '/unlock',
    shape,
    showsUsed: true,
    async show(request, token) {
      const state = await auth.visitor(request).readUnlock(token);
      return { page: state === 'locked' ? 'plain/unlock' : 'plain/unlocked-before' };
    },
    async use(request, reply, token) {
      await auth.visitor(request).unlock(token);
      keepDevice(request, reply);
      return '/account/unlocked';
    },
  });
  for (const page of ['secured', 'secured-factor', 'secured-sso', 'secured-none', 'unlocked']) {
    app.get(`/${page}`, (request, reply) => send(request, reply, `plain/${page}`, { isStill: true }));
  }
}
