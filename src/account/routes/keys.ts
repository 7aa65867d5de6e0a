/**
 * Passkeys and wallets for sign-in, and second factors. Passes auth's challenges to the browser and the browser's
 * responses to auth.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuthClient, TokenPair } from '../auth-client.ts';
import { type BrowserSignIn, setCookie } from '../browser-sign-in.ts';
import { AccountError, AuthRefusal } from '../errors.ts';
import type { OpenSession, SessionStore } from '../sessions.ts';
import { sessionAnswer, type Visitors } from '../visitor.ts';
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
    auth.call<object>(request, {
      method: 'POST',
      path: '/passkeys/authentication/options',
      body: bodies().captchaAlone(request.body),
    }),
  );

  app.post('/passkey', async (request, reply) => {
    const body = bodies().passkey(request.body);
    const pair = await auth.call<TokenPair>(request, {
      method: 'POST',
      path: '/passkeys/authentication/verify',
      body,
    });
    return sessionAnswer(await browserSignIn.enter(request, reply, pair), pair.user);
  });

  app.post('/wallet', async (request, reply) => {
    const body = bodies().wallet(request.body);
    const path = '/token?grant_type=web3';
    try {
      const pair = await auth.call<TokenPair>(request, { method: 'POST', path, body });
      return sessionAnswer(await browserSignIn.enter(request, reply, pair), pair.user);
    } catch (error) {
      // Upstream responds in OAuth's format, which doesn't include an auth error code.
      const isOAuths = error instanceof AuthRefusal && error.body.error === 'invalid_grant';
      throw isOAuths ? new AccountError('wallet_refused', { cause: error }) : error;
    }
  });

  app.post('/factor/challenge', async (request) => {
    const id = bodies().factorId(request.body);
    const { session } = await visitors.needed(request);
    return auth.call<object>(request, {
      method: 'POST',
      path: `/factors/${id}/challenge`,
      body: {},
      accessToken: session.tokens.access_token,
    });
  });

  app.post('/factor/verify', async (request, reply) => {
    const { factorId, proof } = bodies().factorProof(request.body);
    return raise(request, reply, `/factors/${factorId}/verify`, proof);
  });

  app.post('/recovery-code', async (request, reply) =>
    raise(request, reply, '/factors/recovery-codes/verify', bodies().recoveryCode(request.body)),
  );

  /** Keeps the session but replaces its tokens with tokens of a higher level. */
  async function raise(request: FastifyRequest, reply: FastifyReply, path: string, body: object) {
    const { session } = await visitors.needed(request);
    const accessToken = session.tokens.access_token;
    const pair = await auth.call<TokenPair>(request, { method: 'POST', path, body, accessToken });
    const raised: OpenSession = await sessions.replace(session, pair);
    setCookie(request, reply, raised.cookie);
    return sessionAnswer(raised, pair.user);
  }
}
