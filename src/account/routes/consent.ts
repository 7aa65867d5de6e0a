/**
 * The consent page's API: an app's request and the user's decision. Auth decides; this module only determines what
 * users see.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AuthClient, AuthUser } from '../auth-client.ts';
import type { ConsentDeps } from '../auth-deps.ts';
import { AccountError, AuthRefusal } from '../errors.ts';
import type { OpenSession } from '../sessions.ts';
import type * as Bodies from './bodies.ts';

export interface ConsentRouteDeps {
  readonly auth: AuthClient;
  readonly consent: ConsentDeps;
  readonly bodies: () => typeof Bodies;
  /** Returns session and user, after any second factor. @throws {AccountError} not_signed_in, insufficient_aal */
  readonly complete: (request: FastifyRequest) => Promise<{ session: OpenSession; user: AuthUser }>;
}

/**
 * The response from `GET /auth/v1/oauth/authorizations/{id}`: the request, or the redirect if the request was already
 * decided.
 */
type Opened =
  | { readonly redirect_url: string }
  | {
      readonly redirect_uri: string;
      readonly scope: string;
      readonly client: { id: string; name?: string; uri?: string; logo_uri?: string };
    };

export function consentRoutes(app: FastifyInstance, deps: ConsentRouteDeps): void {
  const { auth, consent, bodies, complete } = deps;

  app.get('/consent', async (request) => {
    const id = bodies().authorization(request.query);
    const { session } = await complete(request);
    const opened = await ask<Opened>(request, session, {
      method: 'GET',
      path: `/oauth/authorizations/${id}`,
    });
    if ('redirect_url' in opened) return { url: opened.redirect_url };
    const { client, redirect_uri: redirectUri, scope } = opened;
    const vetted = await consent.isVettedClient(client.id);
    return {
      request: {
        // A client chooses its own picture when it registers, so an unvetted client's picture isn't shown.
        app: { name: client.name ?? '', uri: client.uri, logo: vetted ? client.logo_uri : undefined, vetted },
        redirect_uri: redirectUri,
        scopes: scope.split(' ').filter((each) => each !== ''),
      },
    };
  });

  app.post('/consent', async (request) => {
    const { authorization_id: id, action } = bodies().consent(request.body);
    const { session } = await complete(request);
    const path = `/oauth/authorizations/${id}/consent`;
    const { redirect_url: url } = await ask<{ redirect_url: string }>(request, session, {
      method: 'POST',
      path,
      body: { action },
    });
    return { url };
  });

  // Called before the user signs in as another user to decide the request.
  app.post('/consent/release', async (request) => {
    const id = bodies().authorization(request.body);
    const { user } = await complete(request);
    await consent.releaseAuthorization(id, user.id);
    return {};
  });

  async function ask<Answer>(
    request: FastifyRequest,
    { tokens }: OpenSession,
    call: { method: 'GET' | 'POST'; path: string; body?: unknown },
  ): Promise<Answer> {
    try {
      return await auth.call<Answer>(request, { ...call, accessToken: tokens.access_token });
    } catch (error) {
      const isAnswered = error instanceof AuthRefusal && error.code === 'validation_failed';
      throw isAnswered ? new AccountError('consent_answered', { cause: error }) : error;
    }
  }
}
