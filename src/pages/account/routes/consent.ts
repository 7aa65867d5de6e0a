/**
 * Declares the API of the consent page. The page uses it to read an app's request and to submit the user's decision.
 * The auth service enforces all rules. This module only determines what users see.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AuthRejection } from '../../../base/shared/errors.ts';
import type { AuthClient, AuthUser } from '../auth-client.ts';
import type { ConsentDeps } from '../auth-deps.ts';
import { AccountError } from '../errors.ts';
import type { OpenSession } from '../sessions.ts';
import type * as Bodies from './bodies.ts';

export interface ConsentRouteDeps {
  readonly auth: AuthClient;
  readonly consent: ConsentDeps;
  readonly bodies: () => typeof Bodies;
  /**
   * Returns the session and the user. If a second factor is required, the user must have verified one in this session.
   * @throws {AccountError} not_signed_in, insufficient_aal, factor_required
   */
  readonly complete: (request: FastifyRequest) => Promise<{ session: OpenSession; user: AuthUser }>;
}

export function consentRoutes(app: FastifyInstance, deps: ConsentRouteDeps): void {
  const { auth, consent, bodies, complete } = deps;

  app.get('/consent', async (request) => {
    const id = bodies().authorization(request.query);
    const { session } = await complete(request);
    const opened = await pending(auth.user(request, session).openAuthorization(id));
    if ('redirect_url' in opened) return { url: opened.redirect_url };
    const { client, redirect_uri: redirectUri, scope } = opened;
    const trusted = await consent.isTrustedClient(client.id);
    return {
      request: {
        // An app that registers itself can choose any logo, so the logo is hidden unless an administrator registered
        // the app.
        app: {
          name: client.name ?? '',
          uri: client.uri,
          logo: trusted ? client.logo_uri : undefined,
          vetted: trusted,
        },
        redirect_uri: redirectUri,
        scopes: scope.split(' ').filter((each) => each !== ''),
      },
    };
  });

  app.post('/consent', async (request) => {
    const { authorization_id: id, action } = bodies().consent(request.body);
    const { session } = await complete(request);
    return { url: await pending(auth.user(request, session).decideAuthorization(id, { action })) };
  });

  // The page calls this route before the user switches to the account that will approve or deny the request.
  app.post('/consent/release', async (request) => {
    const id = bodies().authorization(request.body);
    const { user } = await complete(request);
    await consent.releaseAuthorization(id, user.id);
    return {};
  });
}

/**
 * Replaces the auth service's error for a request that the user has already approved or denied.
 * @throws {AccountError} consent_answered
 */
async function pending<Result>(operation: Promise<Result>): Promise<Result> {
  try {
    return await operation;
  } catch (error) {
    const isAnswered = error instanceof AuthRejection && error.code === 'validation_failed';
    throw isAnswered ? new AccountError('consent_answered', { cause: error }) : error;
  }
}
