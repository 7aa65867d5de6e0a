/**
 * Declares the API for signing in with passkeys and wallets, and for second factors. Passes challenges from the auth
 * service to the browser, and responses from the browser to the auth service.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AuthRejection } from '../../../base/shared/errors.ts';
import type { UserOperations } from '../../../services/auth/index.ts';
import type { AuthClient, TokenPair } from '../auth-client.ts';
import { type BrowserSignIn, setCookie } from '../browser-sign-in.ts';
import { AccountError } from '../errors.ts';
import type { OpenSession, SessionStore } from '../sessions.ts';
import { sessionResponse, type Visitors } from '../visitor.ts';
import type * as Bodies from './bodies.ts';

export interface KeyRouteDeps {
  readonly auth: AuthClient;
  readonly browserSignIn: BrowserSignIn;
  readonly sessions: SessionStore;
  readonly visitors: Visitors;
  readonly bodies: () => typeof Bodies;
}

export function keyRoutes(app: FastifyInstance, deps: KeyRouteDeps): void {
  const { auth, browserSignIn, sessions, visitors, bodies } = deps;

  app.post('/passkey/options', (request) =>
    auth.visitor(request).passkeyOptions(bodies().captchaAlone(request.body)),
  );

  app.post('/passkey', async (request, reply) => {
    const body = bodies().passkey(request.body);
    const pair = await auth.visitor(request).signInWithPasskey(body);
    return sessionResponse(await browserSignIn.enter(request, reply, pair, 'passkey'), pair.user);
  });

  app.post('/wallet', async (request, reply) => {
    const body = bodies().wallet(request.body);
    try {
      const pair = await auth.visitor(request).signInWithWallet(body);
      return sessionResponse(await browserSignIn.enter(request, reply, pair, 'wallet'), pair.user);
    } catch (error) {
      // Upstream returns this error in the OAuth format, which doesn't contain one of the auth service's error codes.
      const isOAuths = error instanceof AuthRejection && error.body.error === 'invalid_grant';
      throw isOAuths ? new AccountError('wallet_refused', { cause: error }) : error;
    }
  });

  app.post('/factor/challenge', async (request) => {
    const id = bodies().factorId(request.body);
    const { session } = await visitors.needed(request);
    return auth.user(request, session).challengeFactor(id);
  });

  app.post('/factor/verify', async (request, reply) => {
    const { factorId, proof } = bodies().factorProof(request.body);
    return raise(request, reply, (user) => user.verifyFactor(factorId, proof));
  });

  app.post('/recovery-code', async (request, reply) => {
    const body = bodies().recoveryCode(request.body);
    return raise(request, reply, (user) => user.verifyRecoveryCode(body));
  });

  /** Replaces the session's tokens with tokens for a higher assurance level. The session itself doesn't change. */
  async function raise(
    request: FastifyRequest,
    reply: FastifyReply,
    verify: (user: UserOperations) => Promise<TokenPair>,
  ) {
    const { session } = await visitors.needed(request);
    const pair = await verify(auth.user(request, session));
    const raised: OpenSession = await sessions.replace(session, pair);
    setCookie(request, reply, raised.cookie);
    return sessionResponse(raised, pair.user);
  }
}
