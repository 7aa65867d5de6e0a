/**
 * `/account/api/*`: what the pages ask their own server. It calls auth for them and keeps the token pair, so that no
 * refresh token ever reaches a page. JSON only, from our own origin only.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isSameOrigin, sameOriginHeader } from '../../kernel/same-origin.ts';
import type { AuthClient, AuthUser, TokenPair } from '../auth-client.ts';
import { readCookie } from '../core/cookies.ts';
import { parseReturnRequest, withCode, withSession } from '../core/return-to.ts';
import { type Door, setCookie } from '../door.ts';
import { AccountError, AuthRefusal, accountErrors } from '../errors.ts';
import type { ConsentDeps, ReturnDeps } from '../index.ts';
import type { OpenSession, SessionStore } from '../sessions.ts';
import type * as Bodies from './bodies.ts';
import { consentRoutes } from './consent.ts';

export interface ApiDeps {
  readonly sessions: SessionStore;
  readonly auth: AuthClient;
  readonly returning: ReturnDeps;
  readonly consent: ConsentDeps;
  readonly door: Door;
  readonly onError: (request: FastifyRequest, error: unknown) => void;
}

/** What a page learns of its session. */
interface SessionAnswer {
  readonly session: { access_token: string; expires_at: number; user: AuthUser } | null;
}

export async function apiRoutes(app: FastifyInstance, deps: ApiDeps): Promise<void> {
  const { sessions, auth, returning } = deps;

  // A form of another site can send text/plain or urlencoded bodies without asking; here they are no bodies at all.
  app.removeContentTypeParser('text/plain');

  // Loaded with the first request: an idle start does not pay for the schemas.
  let bodies!: typeof Bodies;
  app.addHook('preHandler', async () => {
    bodies ??= await import('./bodies.ts');
  });

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

  app.setErrorHandler((error, request, reply) => {
    if (error instanceof AuthRefusal) return reply.code(error.status).send(error.body);
    if (error instanceof AccountError) {
      return reply.code(error.status).send({ code: error.code, message: error.message });
    }
    const status = (error as { statusCode?: number }).statusCode;
    if (status !== undefined && status < 500) {
      return reply.code(status).send({ code: 'bad_request', message: accountErrors.bad_request.message });
    }
    deps.onError(request, error);
    return reply.code(500).send({ code: 'internal_error', message: accountErrors.internal_error.message });
  });
  app.setNotFoundHandler(() => {
    throw new AccountError('not_found');
  });

  const { leave } = deps.door;

  async function enter(
    request: FastifyRequest,
    reply: FastifyReply,
    pair: TokenPair,
  ): Promise<SessionAnswer> {
    return answer(await deps.door.enter(request, reply, pair), pair.user);
  }

  /** The session of the request with a good access token and its user, or undefined. */
  async function present(
    request: FastifyRequest,
    force = false,
  ): Promise<{ session: OpenSession; user: AuthUser } | undefined> {
    const found = await sessions.find(readCookie(request.headers.cookie));
    const session = found === undefined ? undefined : await sessions.fresh(found, request, force);
    const user = session === undefined ? undefined : await sessions.user(session, request);
    return session === undefined || user === undefined ? undefined : { session, user };
  }

  async function needed(request: FastifyRequest): Promise<{ session: OpenSession; user: AuthUser }> {
    const found = await present(request);
    if (found === undefined) throw new AccountError('not_signed_in');
    return found;
  }

  async function tell(request: FastifyRequest, reply: FastifyReply, force: boolean): Promise<SessionAnswer> {
    const found = await present(request, force);
    const cookie = readCookie(request.headers.cookie);
    if (found !== undefined) setCookie(request, reply, found.session.cookie);
    else if (cookie !== undefined) setCookie(request, reply, undefined);
    return found === undefined ? { session: null } : answer(found.session, found.user);
  }

  app.get('/session', (request, reply) => tell(request, reply, false));
  app.post('/refresh', (request, reply) => tell(request, reply, true));

  app.post('/sign-in', async (request, reply) => {
    const body = bodies.password(request.body);
    const pair = await auth.call<TokenPair>(request, {
      method: 'POST',
      path: '/token?grant_type=password',
      body,
    });
    return enter(request, reply, pair);
  });

  app.post('/sign-up', async (request, reply) => {
    const body = bodies.password(request.body);
    const made = await auth.call<TokenPair | AuthUser>(request, { method: 'POST', path: '/signup', body });
    // Without a session the address is to be confirmed first; the answer is the same for addresses that are taken.
    return 'access_token' in made ? enter(request, reply, made as TokenPair) : { session: null };
  });

  app.post('/guest', async (request, reply) => {
    const pair = await auth.call<TokenPair>(request, { method: 'POST', path: '/signup', body: {} });
    return enter(request, reply, pair);
  });

  app.post('/code', async (request) => {
    const { path, body } = bodies.sendCode(request.body);
    await auth.call(request, { method: 'POST', path, body });
    return {};
  });

  app.post('/verify', async (request, reply) => {
    const body = bodies.verifyCode(request.body);
    const pair = await auth.call<TokenPair>(request, { method: 'POST', path: '/verify', body });
    // The first half of a double email change is an answer without a session.
    return pair.access_token === undefined ? { session: null } : enter(request, reply, pair);
  });

  app.post('/factor', async (request, reply) => {
    const { factorId, code } = bodies.verifyFactor(request.body);
    const { session } = await needed(request);
    const accessToken = session.tokens.access_token;
    const path = `/factors/${factorId}`;
    const challenge = await auth.call<{ id: string }>(request, {
      method: 'POST',
      path: `${path}/challenge`,
      body: {},
      accessToken,
    });
    const body = { challenge_id: challenge.id, code };
    const pair = await auth.call<TokenPair>(request, {
      method: 'POST',
      path: `${path}/verify`,
      body,
      accessToken,
    });
    const replaced = await sessions.replace(session, pair);
    setCookie(request, reply, replaced.cookie);
    return answer(replaced, pair.user);
  });

  app.post('/sign-out', async (request, reply) => {
    const scope = bodies.signOut(request.body);
    const session = await sessions.find(readCookie(request.headers.cookie));
    if (session !== undefined) await leave(request, session, scope);
    if (scope !== 'others') setCookie(request, reply, undefined);
    return {};
  });

  app.post('/return', async (request) => {
    const wanted = parseReturnRequest(bodies.object(request.body));
    if (wanted === undefined) throw new AccountError('bad_code_challenge');
    const { redirectTo, challenge } = wanted;
    if (!returning.isAllowedRedirect(redirectTo)) throw new AccountError('redirect_not_allowed');
    if (challenge === undefined && !returning.implicit) throw new AccountError('pkce_required');
    const { session, user } = await needed(request);
    const accessToken = session.tokens.access_token;
    if (mustStepUp(accessToken, user)) throw new AccountError('insufficient_aal');
    if (challenge !== undefined) {
      const code = await returning.issueCode({
        accessToken,
        codeChallenge: challenge.value,
        codeChallengeMethod: challenge.method,
      });
      return { url: withCode(redirectTo, code) };
    }
    const verifier = randomBytes(32).toString('base64url');
    const code = await returning.issueCode({
      accessToken,
      codeChallenge: createHash('sha256').update(verifier).digest('base64url'),
      codeChallengeMethod: 's256',
    });
    const own = await auth.call<Parameters<typeof withSession>[1]>(request, {
      method: 'POST',
      path: '/token?grant_type=pkce',
      body: { auth_code: code, code_verifier: verifier },
    });
    return { url: withSession(redirectTo, own) };
  });

  consentRoutes(app, {
    auth,
    consent: deps.consent,
    bodies: () => bodies,
    async complete(request) {
      const found = await needed(request);
      if (mustStepUp(found.session.tokens.access_token, found.user))
        throw new AccountError('insufficient_aal');
      return found;
    },
  });
}

function answer({ tokens }: OpenSession, user: AuthUser): SessionAnswer {
  return { session: { access_token: tokens.access_token, expires_at: tokens.expires_at, user } };
}

/** A user with a verified factor goes back to an app only after using it. Our own token; its signature is not in doubt. */
function mustStepUp(accessToken: string, user: AuthUser): boolean {
  const verified = user.factors?.some((factor) => factor.status === 'verified') ?? false;
  if (!verified) return false;
  const payload = Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString('utf8');
  return (JSON.parse(payload) as { aal?: string }).aal !== 'aal2';
}
