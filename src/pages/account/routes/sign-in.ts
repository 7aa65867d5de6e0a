/**
 * The API for the first steps of a sign-in: entering the address or the password, signing up, and continuing as a
 * guest.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AuthRejection } from '../../../base/shared/errors.ts';
import type { AuthClient, TokenPair } from '../auth-client.ts';
import { keepConfirming } from '../browser-sign-in.ts';
import type { SignInWay } from '../core/browser-memory.ts';
import { AccountError } from '../errors.ts';
import type { Identify } from '../identify.ts';
import type { WaitingWindows } from '../waiting-windows.ts';
import type * as Bodies from './bodies.ts';

export interface SignInRouteDeps {
  readonly auth: AuthClient;
  readonly windows: WaitingWindows;
  readonly identify: Identify;
  readonly bodies: () => typeof Bodies;
  /** Signs the user in and returns the response body for the page. */
  readonly enter: (
    request: FastifyRequest,
    reply: FastifyReply,
    pair: TokenPair,
    way: SignInWay,
  ) => Promise<object>;
}

export function signInRoutes(
  app: FastifyInstance,
  { auth, windows, identify, bodies, enter }: SignInRouteDeps,
): void {
  /**
   * Selects the next step after the user has entered an address. If the project conceals accounts, the response is the
   * same whether or not the address belongs to an account.
   */
  app.post('/identify', async (request, reply) => {
    const identified = await identify(request, reply, bodies().typedAddress(request.body));
    if (identified === undefined) throw new AccountError('bad_request');
    return identified.next;
  });

  app.post('/sign-in', async (request, reply) => {
    const body = bodies().password(request.body);
    const window = windows.of(request);
    try {
      const pair = await auth.visitor(request, window.id).signInWithPassword(body);
      return await enter(request, reply, pair, 'password');
    } catch (error) {
      if (!(error instanceof AuthRejection && error.code === 'device_not_confirmed')) throw error;
      // The browser is new, so the auth service has sent a code. The page must prompt the user for the code.
      keepConfirming(request, reply, String(body.email ?? ''));
      return { session: null, number: await windows.begin(request, reply, window) };
    }
  });

  app.post('/sign-up', async (request, reply) => {
    const body = bodies().password(request.body);
    const window = windows.of(request);
    const pair = await auth.visitor(request, window.id).signUp(body);
    // If the auth service returned no session, the user must confirm the address first. The response is the same if the
    // address already belongs to an account.
    if (pair !== undefined) return enter(request, reply, pair, 'password');
    return { session: null, number: await windows.begin(request, reply, window) };
  });

  app.post('/guest', async (request, reply) => {
    const body = bodies().captchaAlone(request.body);
    return enter(request, reply, await auth.visitor(request).signUpAsGuest(body), 'guest');
  });
}
