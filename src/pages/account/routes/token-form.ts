/**
 * Declares pages for email links that take effect when the user presses a button. Opening such a page changes nothing,
 * so it doesn't matter if email scanners or other sites open the page.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AuthRejection } from '../../../base/shared/errors.ts';
import { escapeMarkup } from '../../../base/shared/printable.ts';
import type { AuthClient } from '../auth-client.ts';
import type { Visitors } from '../visitor.ts';
import { formOf, isOurs, markedForm, queryOf } from './mark.ts';
import type { AnyPage, PageFields, Send } from './page-names.ts';
import { isTemporary, sendExpired, sendLimited, sendRefused } from './responses.ts';

interface TokenForm {
  readonly path: string;
  /** The format of a valid token. */
  readonly shape: RegExp;
  /**
   * Returns the page that contains the button. Rejects with an `AuthRejection` if the link has been used or has
   * expired.
   */
  readonly show: (
    request: FastifyRequest,
    token: string,
    reply: FastifyReply,
  ) => Promise<{ readonly page: AnyPage; readonly fields?: PageFields }>;
  /** Uses the token and returns the URL of the next page. Rejects like `show`. */
  readonly use: (request: FastifyRequest, reply: FastifyReply, token: string) => Promise<string>;
  /** The page for a used or expired link. The default is the "link expired" page. */
  readonly expired?: AnyPage;
  /** Whether `show` also returns a page for a used link. */
  readonly showsUsed?: boolean;
}

export function declareTokenForm(app: FastifyInstance, send: Send, form: TokenForm): void {
  const { path, shape, show, use, expired, showsUsed = false } = form;
  const sendUnusable = (request: FastifyRequest, reply: FastifyReply) =>
    expired === undefined
      ? sendExpired(send, request, reply)
      : send(request, reply, expired, { status: 400, isStill: true });

  /** Runs the callback with the token. If the token is missing or no longer valid, sends the "link expired" page. */
  async function withToken(
    request: FastifyRequest,
    reply: FastifyReply,
    params: URLSearchParams,
    work: (token: string) => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    const token = params.get('token') ?? '';
    if (!shape.test(token)) return sendUnusable(request, reply);
    try {
      return await work(token);
    } catch (error) {
      if (!(error instanceof AuthRejection)) throw error;
      if (isTemporary(error)) throw error;
      return error.status === 429 ? sendLimited(send, request, reply, error) : sendUnusable(request, reply);
    }
  }

  async function sendForm(request: FastifyRequest, reply: FastifyReply, token: string, status = 200) {
    const { page, fields } = await show(request, token, reply);
    const field = `<input type="hidden" name="token" value="${escapeMarkup(token)}">`;
    return send(request, reply, page, {
      ...fields,
      fields: markedForm(request, reply) + field,
      isStill: true,
      status,
    });
  }

  app.get(path, (request, reply) =>
    withToken(request, reply, queryOf(request), (token) => sendForm(request, reply, token)),
  );

  app.post(path, async (request, reply) => {
    const posted = formOf(request);
    if (!isOurs(request, posted)) return sendRefused(send, request, reply);
    return withToken(request, reply, posted, async (token) => {
      try {
        return await reply.redirect(await use(request, reply, token), 303);
      } catch (error) {
        if (!showsUsed || !(error instanceof AuthRejection) || error.status === 429 || isTemporary(error))
          throw error;
        return sendForm(request, reply, token, 400);
      }
    });
  });
}

/**
 * Declares `/account/cancel-change`, the page to which the email to the user's old address links. The page cancels the
 * change of the address when the user presses a button. The page doesn't require a session.
 */
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

/** Declares `/account/remove-factors`, the destination of the link in the email about lost second factors. */
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

/** Declares the API with which the sign-in page requests and cancels the removal of lost second factors. */
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
