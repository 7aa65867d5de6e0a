/** What the consent page asks: which app wants what, and the user's answer. Auth decides; here is only what people see. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AuthClient, AuthUser } from '../auth-client.ts';
import { AccountError, AuthRefusal } from '../errors.ts';
import type { ConsentDeps } from '../index.ts';
import type { OpenSession } from '../sessions.ts';
import type * as Bodies from './bodies.ts';

export interface ConsentRouteDeps {
  readonly auth: AuthClient;
  readonly consent: ConsentDeps;
  readonly bodies: () => typeof Bodies;
  /** Session and user, the second factor included. @throws {AccountError} not_signed_in, insufficient_aal */
  readonly complete: (request: FastifyRequest) => Promise<{ session: OpenSession; user: AuthUser }>;
}

/** Of `GET /auth/v1/oauth/authorizations/{id}`: the question, or the way back where it was answered before. */
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
        // Whoever registers a client chooses its picture: one that nobody has looked at is not shown.
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

  // Before somebody signs in as somebody else to answer it.
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
