/**
 * Declares `/account/confirm`, the page that email links open. If the browser that requested the email opens the page,
 * the server uses the link immediately. Any other browser receives a page with a button, so email scanners can open the
 * page safely. The button submits a plain form that works without scripts.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AuthRejection } from '../../../base/shared/errors.ts';
import { arrivalAddress, ourPage, pageWith, problemPage } from '../arrival.ts';
import type { AuthClient, TokenPair } from '../auth-client.ts';
import type { BrowserSignIn } from '../browser-sign-in.ts';
import { wayOfCode } from '../core/browser-memory.ts';
import {
  type ConfirmLink,
  isOpenedByUser,
  ownQuery,
  parseConfirmLink,
  passwordPageFor,
  waitOf,
} from '../core/confirm.ts';
import { carriedFlow } from '../core/html.ts';
import { AccountError } from '../errors.ts';
import { keepStep } from '../request-cookies.ts';
import type { ReturnAddress } from '../return-address.ts';
import { mustStepUp, type Visitors, wasGuest } from '../visitor.ts';
import type { WaitingWindows } from '../waiting-windows.ts';
import { formOf, isOurs } from './mark.ts';
import { notMeRoutes } from './not-me.ts';
import { formFields, otherDevice } from './other-device.ts';
import type { AnyPage, Send } from './page-names.ts';
import { isTemporary, openElsewhere, sendExpired, sendLimited, sendRefused } from './responses.ts';
import { cancelChangeRoutes, removeFactorsRoutes } from './token-form.ts';

export interface ConfirmDeps {
  readonly auth: AuthClient;
  readonly accountUrl: () => string;
  /** Signs the user in and adds the session cookie to the response. */
  readonly enter: BrowserSignIn['enter'];
  readonly returnAddress: ReturnAddress;
  readonly visitors: Visitors;
  readonly windows: WaitingWindows;
  readonly send: Send;
}

/**
 * The pages with the button, by link type. These pages work without scripts. Other link types use the `confirm` page.
 */
const pagesOf: Readonly<Record<string, AnyPage>> = {
  invite: 'plain/confirm-invite',
  recovery: 'plain/confirm-recovery',
  magiclink: 'plain/confirm-magiclink',
  email_change: 'plain/confirm-email_change',
};

/**
 * Returns the page for a used or expired link. The page continues the sign-in, recovery or invitation to which the link
 * belongs.
 */
const expiredAddress = (type: string, own = new URLSearchParams()): string =>
  ourPage(
    type === 'recovery' || type === 'invite' ? `link-expired-${type}` : 'link-expired',
    carriedFlow(own),
  );

/** This limit is much larger than any form that contains a link and its destination. */
const maxFormBytes = 16_384;

export function confirmRoutes(app: FastifyInstance, deps: ConfirmDeps): void {
  const { auth, accountUrl, enter, returnAddress, visitors, windows, send } = deps;

  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: maxFormBytes },
    (_request, body, done) => done(null, new URLSearchParams(body as string)),
  );

  const expired = (request: FastifyRequest, reply: FastifyReply) => sendExpired(send, request, reply);
  const { askNumber, confirmWindow } = otherDevice({ auth, windows, send });

  app.get('/confirm', async (request, reply) => {
    const link = parseConfirmLink(new URL(request.url, 'http://localhost').searchParams);
    if (link === undefined) return expired(request, reply);
    const own = ownQuery(link.redirectTo, accountUrl());
    const wait = own && waitOf(own);
    if (own !== undefined && wait !== undefined) {
      const isSame = windows.isSame(request, wait);
      if (isSame && isOpenedByUser(request.method, request.headers)) {
        return reply.redirect((await signIn(request, reply, link, own)).address, 303);
      }
      if (!isSame && (await windows.find(wait)) !== undefined)
        return askNumber(request, reply, { link, wait });
    }
    const page = pagesOf[link.type];
    let email: string | null = null;
    try {
      const facts = await auth.visitor(request).checkLink(link);
      email = link.type === 'email_change' ? facts.newEmail : facts.email;
    } catch (error) {
      if (!(error instanceof AuthRejection)) throw error;
      if (error.status === 429) return sendLimited(send, request, reply, error);
      if (isTemporary(error)) throw error;
      // If an app requested the link, the app receives the error after the user has continued to the app.
      const isOfApp = own === undefined && link.type !== 'email_change';
      if (!isOfApp) return reply.redirect(expiredAddress(link.type, own), 303);
    }
    return send(request, reply, page ?? 'confirm', {
      fields: formFields(request, reply, link),
      email,
      isStill: page !== undefined,
    });
  });

  app.post('/confirm', async (request, reply) => {
    const form = formOf(request);
    if (!isOurs(request, form)) return sendRefused(send, request, reply);
    const link = parseConfirmLink(form);
    if (link === undefined) return expired(request, reply);
    const own = ownQuery(link.redirectTo, accountUrl());
    if (own === undefined) return goToApp(request, reply, link);
    const wait = waitOf(own);
    if (wait !== undefined && !windows.isSame(request, wait) && (await windows.find(wait)) !== undefined) {
      return confirmWindow(request, reply, { link, wait }, form.get('number') ?? '');
    }
    const { address, isApp } = await signIn(request, reply, link, own);
    return isApp ? openElsewhere(send, request, reply, address) : reply.redirect(address, 303);
  });

  cancelChangeRoutes(app, { auth, send });
  notMeRoutes(app, { auth, send });
  removeFactorsRoutes(app, { auth, send });
  for (const page of [
    'link-expired-recovery',
    'link-expired-invite',
    'confirmed',
    'email-changed',
    'change-canceled',
  ]) {
    app.get(`/${page}`, (request, reply) => send(request, reply, `plain/${page}`, { isStill: true }));
  }

  /** Uses the link and signs the user in. Returns the URL of the page that follows. */
  async function signIn(
    request: FastifyRequest,
    reply: FastifyReply,
    link: ConfirmLink,
    own: URLSearchParams,
  ): Promise<{ address: string; isApp: boolean }> {
    const page = (address: string) => ({ address, isApp: false });
    try {
      const isChange = link.type === 'email_change';
      const change = isChange ? await auth.visitor(request).checkLink(link) : undefined;
      const body = { type: link.type, token_hash: link.token };
      const pair = await auth.visitor(request).verifyCode(body);
      // If an email change must be confirmed at both addresses, the auth service doesn't return a session until both
      // are confirmed.
      if (pair === undefined) {
        keepStep(request, reply, { page: 'confirm-other', email: change?.otherEmail ?? '' });
        return page('/account/confirm-other');
      }
      if (isChange) return page(await afterEmailChange(request, own, pair));
      await windows.end(request, reply);
      const session = await enter(request, reply, pair, wayOfCode(link.type));
      const arrived = { session, user: pair.user };
      const passwordPage = passwordPageFor(link.type, pair);
      if (passwordPage !== undefined) {
        // Shows the second-factor page first. That page then continues to the password page.
        if (!mustStepUp(arrived)) return page(ourPage(passwordPage, carriedFlow(own)));
        own.set('next', passwordPage);
      }
      const address = await arrivalAddress(returnAddress, request, own, arrived);
      return { address, isApp: !address.startsWith('/account/') };
    } catch (error) {
      if (error instanceof AuthRejection && !isTemporary(error)) {
        if (error.code === 'sso_required' || error.code === 'email_exists')
          return page(problemPage('sign-in', carriedFlow(own), error.code));
        return page(expiredAddress(link.type, own));
      }
      // The user is signed in, but the app can't receive a session. The sign-in page explains the reason.
      if (error instanceof AccountError) return page(ourPage('sign-in', carriedFlow(own)));
      throw error;
    }
  }

  /** Sends the browser to the app, as if the user had opened the link directly. */
  async function goToApp(request: FastifyRequest, reply: FastifyReply, link: ConfirmLink) {
    try {
      return await openElsewhere(send, request, reply, await auth.visitor(request).followLink(link));
    } catch (error) {
      if (!(error instanceof AuthRejection) || isTemporary(error)) throw error;
      return reply.redirect('/account/link-expired', 303);
    }
  }

  /**
   * Returns the page that follows an email change. The browser keeps its existing session, because the user may have
   * verified a second factor in it. A browser without a session isn't signed in, because the recipient of this email
   * isn't necessarily the account's owner.
   */
  async function afterEmailChange(request: FastifyRequest, own: URLSearchParams, pair: TokenPair) {
    await auth.user(request, { tokens: pair }).signOut('local');
    const before = await visitors.present(request);
    const visitor = before && (await visitors.present(request, true));
    if (before === undefined || visitor?.user.id !== pair.user.id) return '/account/email-changed';
    own.delete('section');
    const address = await arrivalAddress(returnAddress, request, own, visitor);
    if (address !== '/account/security') return address;
    // The user was a guest who has just saved the guest account under this address.
    return wasGuest(before.session)
      ? pageWith('upgrade', '', 'linked', '1')
      : '/account/security?changed=email';
  }
}
