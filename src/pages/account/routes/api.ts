/**
 * Declares `/account/api/*`, the API that the Account pages use. The API calls the auth service for the pages and
 * stores the token pair, so pages never receive a refresh token. The API accepts only JSON, and only from pages with
 * the same origin.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isSameOrigin, sameOriginHeader } from '../../../base/kernel/request-origin.ts';
import { AuthRejection, retryAfterOf } from '../../../base/shared/errors.ts';
import type { AuthClient, TokenPair } from '../auth-client.ts';
import type { ConsentDeps } from '../auth-deps.ts';
import {
  type BrowserSignIn,
  forgetAllLeft,
  forgetUnlinked,
  keepLeft,
  setCookie,
} from '../browser-sign-in.ts';
import { leftAccounts, memoryCookie, readMemory, type SignInWay, wayOfCode } from '../core/browser-memory.ts';
import { passwordPageFor } from '../core/confirm.ts';
import { sessionCookie } from '../core/cookies.ts';
import { endedCookie, writeEnded } from '../core/ended-sessions.ts';
import { AccountError, accountErrors } from '../errors.ts';
import type { Identify } from '../identify.ts';
import { ownerOf } from '../parked-sessions.ts';
import { cookieOf, keepCookie } from '../request-cookies.ts';
import type { ReturnAddress } from '../return-address.ts';
import { proveFactor } from '../second-step.ts';
import type { SessionStore } from '../sessions.ts';
import type { SignedInAccounts } from '../signed-in-accounts.ts';
import type { Ending } from '../types.ts';
import { accountName, requireSecondFactor, sessionResponse, type Visitors } from '../visitor.ts';
import type { WaitingWindows } from '../waiting-windows.ts';
import type * as Bodies from './bodies.ts';
import { consentRoutes } from './consent.ts';
import { type GuestRules, guestRoutes } from './guests.ts';
import { journeyApi } from './journeys.ts';
import { keyRoutes } from './keys.ts';
import { signInRoutes } from './sign-in.ts';
import { factorRemovalApi } from './token-form.ts';

export interface ApiDeps {
  readonly sessions: SessionStore;
  readonly auth: AuthClient;
  readonly visitors: Visitors;
  readonly returnAddress: ReturnAddress;
  readonly isAppAddress: (address: string) => boolean;
  readonly consent: ConsentDeps;
  /** Whether users must use a second factor before an app gets access to their account. */
  readonly requiresFactor: () => boolean;
  readonly guests: GuestRules;
  readonly accountUrl: () => string;
  readonly browserSignIn: BrowserSignIn;
  readonly accounts: SignedInAccounts;
  readonly identify: Identify;
  readonly windows: WaitingWindows;
  readonly onError: (request: FastifyRequest, error: unknown) => void;
}

/** The session data that a page receives. */
type SessionResponse =
  | ReturnType<typeof sessionResponse>
  | { readonly session: null; readonly ended?: Ending };

/** Rejects requests from other origins and prevents caches from storing responses. */
function guardRequests(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
    const header = (name: string): string | undefined => {
      const value = request.headers[name];
      return typeof value === 'string' ? value : undefined;
    };
    const marks = {
      ownHeader: header(sameOriginHeader),
      fetchSite: header('sec-fetch-site'),
      origin: header('origin'),
      host: request.host,
    };
    if (!isSameOrigin(marks)) throw new AccountError('not_same_origin');
  });
}

function renderErrors(app: FastifyInstance, onError: ApiDeps['onError']): void {
  app.setErrorHandler((error, request, reply) => {
    const retryAfter = retryAfterOf(error);
    if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
    if (error instanceof AuthRejection) return reply.code(error.status).send(error.body);
    if (error instanceof AccountError) {
      return reply.code(error.status).send({ code: error.code, message: error.message });
    }
    const status = (error as { statusCode?: number }).statusCode;
    if (status !== undefined && status < 500) {
      return reply.code(status).send({ code: 'bad_request', message: accountErrors.bad_request.message });
    }
    onError(request, error);
    return reply.code(500).send({ code: 'internal_error', message: accountErrors.internal_error.message });
  });
  app.setNotFoundHandler(() => {
    throw new AccountError('not_found');
  });
}

export async function apiRoutes(app: FastifyInstance, deps: ApiDeps): Promise<void> {
  const { sessions, auth, windows, accounts } = deps;
  const { present, needed } = deps.visitors;

  // Forms on other websites can send these content types without a preflight request, so this API doesn't parse them.
  app.removeContentTypeParser('text/plain');

  // The schemas are loaded on the first request so that an idle server doesn't use memory for them.
  let bodies!: typeof Bodies;
  app.addHook('preHandler', async () => {
    bodies ??= await import('./bodies.ts');
  });

  guardRequests(app);
  renderErrors(app, deps.onError);

  const { leave } = deps.browserSignIn;

  async function enter(
    request: FastifyRequest,
    reply: FastifyReply,
    pair: TokenPair,
    way: SignInWay,
  ): Promise<SessionResponse> {
    return sessionResponse(await deps.browserSignIn.enter(request, reply, pair, way), pair.user);
  }

  async function tell(request: FastifyRequest, force: boolean): Promise<SessionResponse> {
    // This route doesn't change cookies, because the response may arrive after the user has signed in again in another
    // tab.
    const found = await present(request, force);
    if (found !== undefined) return sessionResponse(found.session, found.user);
    // Only the browser that had the session receives the reason.
    const ended = await sessions.ending(cookieOf(request, sessionCookie));
    return { session: null, ...(ended && { ended }) };
  }

  app.get('/session', (request) => tell(request, false));
  app.post('/refresh', (request) => tell(request, true));

  signInRoutes(app, { ...deps, enter, bodies: () => bodies });

  app.post('/code', async (request, reply) => {
    const { operation, body } = bodies.sendCode(request.body);
    if (body.email === undefined) {
      await auth.visitor(request)[operation](body);
      return {};
    }
    // Returns the same response whether or not the address belongs to an account.
    const window = windows.of(request);
    await auth.visitor(request, window.id)[operation](body);
    return { number: await windows.begin(request, reply, window) };
  });

  /** Signs in the user of the waiting window after the link in the email has been confirmed on another device. */
  app.post('/wait', async (request, reply) => {
    const taken = await windows.take(request);
    if (taken.state !== 'confirmed') return { state: taken.state };
    await windows.end(request, reply);
    const pair = await auth.visitor(request).verifyCode({ type: taken.type, token_hash: taken.link });
    if (pair === undefined) return { state: 'none' };
    return {
      state: taken.state,
      page: passwordPageFor(taken.type, pair),
      ...(await enter(request, reply, pair, wayOfCode(taken.type))),
    };
  });

  app.post('/verify', async (request, reply) => {
    const { purpose = '', ...body } = bodies.verifyCode(request.body);
    const pair = await auth.visitor(request).verifyCode(body);
    if (pair !== undefined && body.type === 'email_change' && (await present(request)) !== undefined) {
      // The browser keeps its existing session, because the user may have verified a second factor in it.
      await auth.user(request, { tokens: pair }).signOut('local');
      return tell(request, true);
    }
    if (pair !== undefined) await windows.end(request, reply);
    // If an email change must be confirmed at both addresses, the auth service doesn't return a session until both are
    // confirmed.
    if (pair === undefined) return { session: null };
    return {
      page: passwordPageFor(body.type, pair),
      ...(await enter(request, reply, pair, wayOfCode(purpose))),
    };
  });

  app.post('/factor', async (request, reply) => {
    const { factorId, code } = bodies.verifyFactor(request.body);
    const { session } = await needed(request);
    const { session: replaced, pair } = await proveFactor(deps, request, session, { factorId, code });
    setCookie(request, reply, replaced.cookie);
    return sessionResponse(replaced, pair.user);
  });

  app.post('/sign-out', async (request, reply) => {
    const scope = bodies.signOut(request.body);
    if (scope === 'all') {
      // Doesn't sign guests out, because they can't sign in to the same account again. The page itself doesn't offer to
      // sign guests out either.
      const members = (await accounts.list(request, reply)).filter(({ user }) => user.is_anonymous !== true);
      for (const one of members) await accounts.end(request, reply, one);
      const names = members.map(({ user }) => accountName(user));
      keepLeft(request, reply, names);
      return {};
    }
    const session = await sessions.find(cookieOf(request, sessionCookie));
    const ended = session === undefined ? [] : await leave(request, session, scope);
    if (scope !== 'elsewhere') {
      setCookie(request, reply, undefined);
      if (session !== undefined) keepLeft(request, reply, [ownerOf(session).name]);
    }
    // The clients' logout pages work only in the browser that has the clients' sessions.
    if (scope !== 'browser' || (await deps.consent.frontchannelUrls(ended)).length === 0) return {};
    keepCookie(request, reply, endedCookie, writeEnded(ended));
    return { frames: true };
  });

  memoryRoutes(app, deps);
  appRoutes(app, deps, () => bodies);
  journeyApi(app, deps, () => bodies);
  keyRoutes(app, { ...deps, bodies: () => bodies });
  guestRoutes(app, deps);
  factorRemovalApi(app, deps);

  consentRoutes(app, {
    auth,
    consent: deps.consent,
    bodies: () => bodies,
    async complete(request) {
      const found = await needed(request);
      requireSecondFactor(found, deps.requiresFactor());
      return found;
    },
  });
}

/** Declares the routes for the accounts that are listed in the browser. */
function memoryRoutes(app: FastifyInstance, { accounts, visitors }: ApiDeps): void {
  /**
   * Lists the signed-in accounts except the current account, and the most recently signed-out accounts. The list
   * contains no name for guests.
   */
  app.get('/others', async (request) => {
    const others = (await accounts.list(request)).filter(({ slot }) => slot !== 'current');
    const left = leftAccounts(readMemory(cookieOf(request, memoryCookie)));
    return { names: others.map(({ user }) => accountName(user)), left };
  });

  app.post('/forget', async (request, reply) => {
    forgetAllLeft(request, reply);
    return {};
  });

  /** The page calls this route after the user has unlinked a provider. */
  app.post('/unlinked', async (request, reply) => {
    forgetUnlinked(request, reply, (await visitors.needed(request)).user);
    return {};
  });
}

/** Declares the routes that return users to an app. */
function appRoutes(app: FastifyInstance, deps: ApiDeps, bodies: () => typeof Bodies): void {
  /** Pages link to an app only if the server would also redirect the browser to it. */
  app.post('/app', async (request) => {
    const { redirect_to: address, client_id: clientId } = bodies().object(request.body);
    if (typeof address !== 'string') return { allowed: false };
    const isOfClient = typeof clientId === 'string' && deps.consent.isPostLogoutRedirect(clientId, address);
    return { allowed: deps.isAppAddress(address) || (await isOfClient) };
  });

  app.post('/return', async (request) => ({
    url: await deps.returnAddress(request, bodies().object(request.body)),
  }));
}
