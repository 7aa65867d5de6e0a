/**
 * Declares `/account/not-me`, to which the link "This wasn't me" in security notices leads. The page says what will
 * happen, and its button undoes the change. `/account/unlock` ends a lockout in the same way. Opening the pages changes
 * nothing, so email scanners can open them.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AuthRejection } from '../../shared/auth-rejection.ts';
import { escapeMarkup } from '../../shared/escape-markup.ts';
import type { AuthClient } from '../auth-client.ts';
import { queryOf } from '../core/query.ts';
import { keepDevice } from '../device.ts';
import { isOurs, markedForm } from './mark.ts';
import { sendExpired } from './other-device.ts';
import type { Send } from './page-names.ts';

export function notMeRoutes(
  app: FastifyInstance,
  { auth, send }: { readonly auth: AuthClient; readonly send: Send },
): void {
  const tokenOf = (params: URLSearchParams): string | undefined =>
    /^[A-Za-z0-9_-]{43}$/.exec(params.get('token') ?? '')?.[0];

  app.get('/not-me', async (request, reply) => {
    const token = tokenOf(queryOf(request));
    if (token === undefined) return sendExpired(send, request, reply);
    try {
      const { kind, when, email } = await auth.visitor(request).readReversal(token);
      const field = `<input type="hidden" name="token" value="${escapeMarkup(token)}">`;
      return await send(request, reply, `plain/not-me-${kind}`, {
        fields: markedForm(request, reply) + field,
        when,
        email,
        isStill: true,
      });
    } catch (error) {
      if (!(error instanceof AuthRejection)) throw error;
      return sendExpired(send, request, reply);
    }
  });

  app.get('/unlock', async (request, reply) => {
    const token = tokenOf(queryOf(request));
    if (token === undefined) return sendExpired(send, request, reply);
    try {
      await auth.visitor(request).readUnlock(token);
    } catch (error) {
      if (!(error instanceof AuthRejection)) throw error;
      return sendExpired(send, request, reply);
    }
    const field = `<input type="hidden" name="token" value="${escapeMarkup(token)}">`;
    return send(request, reply, 'plain/unlock', {
      fields: markedForm(request, reply) + field,
      isStill: true,
    });
  });

  const posted = (
    path: string,
    use: (request: FastifyRequest, reply: FastifyReply, token: string) => Promise<string>,
  ): void => {
    app.post(path, async (request, reply) => {
      const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
      if (!isOurs(request, form)) {
        return send(request, reply, 'plain/refused', { status: 403, isStill: true });
      }
      const token = tokenOf(form);
      if (token === undefined) return sendExpired(send, request, reply);
      try {
        return reply.redirect(await use(request, reply, token), 303);
      } catch (error) {
        if (!(error instanceof AuthRejection)) throw error;
        return sendExpired(send, request, reply);
      }
    });
  };
  posted('/not-me', async (request, _reply, token) => {
    const next = await auth.visitor(request).reverse(token);
    return `/account/secured${next === 'email' ? '' : `-${next}`}`;
  });
  posted('/unlock', async (request, reply, token) => {
    await auth.visitor(request).unlock(token);
    keepDevice(request, reply);
    return '/account/unlocked';
  });

  for (const page of ['secured', 'secured-sso', 'secured-none', 'unlocked']) {
    app.get(`/${page}`, (request, reply) => send(request, reply, `plain/${page}`, { isStill: true }));
  }
}
