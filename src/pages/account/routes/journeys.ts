/**
 * Declares the routes for round trips to identity providers. `GET /account/with` is a plain link, so it works without
 * scripts. If another site links to this route, a page asks the user for confirmation. Otherwise, the other site could
 * sign the visitor in to an account of the site's choice. Every provider redirects to `GET /account/back` with a PKCE
 * code that only this browser can redeem.
 */

import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AuthRejection } from '../../../base/shared/errors.ts';
import { arrivalAddress, pageWith, problemPage } from '../arrival.ts';
import type { AuthClient } from '../auth-client.ts';
import type { BrowserSignIn } from '../browser-sign-in.ts';
import { carriedFlow } from '../core/html.ts';
import { challengeOf, type Journey, journeyCookie, readJourney, writeJourney } from '../core/journey.ts';
import { scopesFor } from '../core/providers.ts';
import { AccountError } from '../errors.ts';
import { addressOf } from '../identify.ts';
import { cookieOf, keepCookie } from '../request-cookies.ts';
import type { ReturnAddress } from '../return-address.ts';
import type { Visitors } from '../visitor.ts';
import type * as Bodies from './bodies.ts';
import { formOf, isFromOurPage, isOurs, markedForm, queryOf } from './mark.ts';
import type { Send } from './page-names.ts';
import { openElsewhere, sendRefused } from './responses.ts';

export interface JourneyDeps {
  readonly auth: AuthClient;
  readonly browserSignIn: BrowserSignIn;
  readonly visitors: Visitors;
  readonly returnAddress: ReturnAddress;
  readonly accountUrl: () => string;
  /** Returns the name of an identity provider that the project offers. */
  readonly providerName: (id: string) => Promise<string | undefined>;
}

/** The SSO errors for which the pages have a message. */
const ssoRefusals: ReadonlySet<string> = new Set([
  'user_banned',
  'signup_disabled',
  'sso_required',
  'sso_not_allowed',
  'sso_provider_disabled',
  'saml_provider_disabled',
  'over_request_rate_limit',
]);

/** The parameters that make the auth service redirect the browser back to the Account pages. */
interface StartedJourney {
  readonly redirect_to: string;
  readonly code_challenge: string;
  readonly code_challenge_method: 's256';
}

/** Stores the purpose of the round trip in a cookie before the browser is redirected. */
function startJourney(
  { auth, accountUrl }: Pick<JourneyDeps, 'auth' | 'accountUrl'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { purpose, way, flow }: Omit<Journey, 'verifier'>,
): StartedJourney {
  const verifier = randomBytes(32).toString('base64url');
  keepCookie(request, reply, journeyCookie, writeJourney({ verifier, purpose, way, flow }));
  return {
    redirect_to: returnAddress(request, accountUrl(), auth.languageOf(request)),
    code_challenge: challengeOf(verifier),
    code_challenge_method: 's256',
  };
}

/**
 * Returns a URL on the host whose response set the cookie, because this server may have several host names. The URL
 * contains the language of the pages, because the auth service sends emails to the user in this language.
 */
function returnAddress(request: FastifyRequest, accountUrl: string, language: string): string {
  const { protocol, host, hostname } = request;
  const isLocal = isLoopbackName(hostname) && isLoopbackName(new URL(accountUrl).hostname);
  const base = isLocal ? `${protocol}://${host}/account` : accountUrl;
  return `${base}/back?lang=${language}`;
}

const isLoopbackName = (name: string): boolean =>
  name === 'localhost' || name === '[::1]' || /^127(\.\d+){3}$/.test(name);

export function journeyPages(app: FastifyInstance, deps: JourneyDeps, send: Send): void {
  const { auth, browserSignIn, returnAddress, providerName } = deps;

  app.get('/with', (request, reply) =>
    orProblem(request, reply, async () => {
      if (isFromOurPage(request)) return reply.redirect(await begin(request, reply), 303);
      const connection = await connectionName(request);
      if (connection === undefined) throw new AccountError('bad_request');
      return send(request, reply, 'plain/with', {
        fields: markedForm(request, reply),
        connection,
        isStill: true,
      });
    }),
  );

  app.post('/with', async (request, reply) => {
    if (!isOurs(request, formOf(request))) return sendRefused(send, request, reply);
    return orProblem(request, reply, async () =>
      openElsewhere(send, request, reply, await begin(request, reply)),
    );
  });

  /** Starts the round trip and returns the identity provider's URL. */
  async function begin(request: FastifyRequest, reply: FastifyReply): Promise<string> {
    const query = queryOf(request);
    const provider = query.get('provider') ?? '';
    const connection = query.get('sso');
    const isSso = connection !== null || provider === 'sso';
    const way = isSso ? 'sso' : provider;
    const journey = startJourney(deps, request, reply, { purpose: 'sign-in', way, flow: carriedFlow(query) });
    if (isSso) {
      // If the identity provider started the sign-in, the request already contains the ID of its connection. Otherwise,
      // the auth service looks up the connection by the domain of the address.
      const to = connection === null ? { domain: domainOfAddress(request) } : { provider_id: connection };
      return auth.visitor(request).ssoJourney({ ...to, ...journey });
    }
    const search = new URLSearchParams({ provider, ...journey, ...scopesFor(provider) });
    return auth.visitor(request).providerAddress(search);
  }

  /** Returns the name of the identity provider at which the sign-in continues, or the domain of the user's address. */
  async function connectionName(request: FastifyRequest): Promise<string | undefined> {
    const query = queryOf(request);
    const [provider, connection] = [query.get('provider') ?? '', query.get('sso')];
    if (connection !== null) return auth.visitor(request).ssoConnection(connection);
    return provider === 'sso' ? domainOfAddress(request) || undefined : providerName(provider);
  }

  /** Runs the operation. If the operation fails, redirects to the sign-in page, which shows the error. */
  async function orProblem(
    request: FastifyRequest,
    reply: FastifyReply,
    work: () => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AuthRejection || error instanceof AccountError)) throw error;
      return reply.redirect(problemPage('sign-in', carriedFlow(queryOf(request)), error.code), 303);
    }
  }

  app.get('/back', async (request, reply) => {
    const journey = readJourney(cookieOf(request, journeyCookie));
    const query = queryOf(request);
    keepCookie(request, reply, journeyCookie, undefined);
    const flow = journey?.flow ?? '';
    const page = journey?.purpose === 'link' ? linkingPage(flow) : 'sign-in';
    if (journey === undefined) return reply.redirect(problemPage(page, flow, 'flow_state_not_found'), 303);
    const code = query.get('code');
    if (code === null) {
      const reported = query.get('error_code') ?? query.get('error') ?? '';
      // The details of a failed SAML assertion aren't useful to the user or the app.
      const isUnclear = journey.way === 'sso' && !ssoRefusals.has(reported);
      const providerError = isUnclear ? 'sso_failed' : reported;
      return reply.redirect(problemPage(page, flow, providerError), 303);
    }
    // Linking an identity doesn't change the session, so the user returns to the page that started the linking.
    if (journey.purpose === 'link') return reply.redirect(pageWith(page, flow, 'linked', journey.way), 303);
    try {
      const pair = await auth.visitor(request).redeemCode(code, journey.verifier);
      const session = await browserSignIn.enter(request, reply, pair, journey.way);
      const arrived = { session, user: pair.user };
      const requested = new URLSearchParams(flow);
      return reply.redirect(await arrivalAddress(returnAddress, request, requested, arrived), 303);
    } catch (error) {
      if (!(error instanceof AuthRejection || error instanceof AccountError)) throw error;
      return reply.redirect(problemPage('sign-in', flow, error.code), 303);
    }
  });
}

/** Returns the domain of the address with which the user is signing in. The user may have typed only a domain. */
function domainOfAddress(request: FastifyRequest): string {
  const address = addressOf(request) ?? '';
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}

export function journeyApi(
  app: FastifyInstance,
  deps: Pick<JourneyDeps, 'auth' | 'visitors' | 'accountUrl'>,
  bodies: () => typeof Bodies,
): void {
  const { auth, visitors } = deps;

  app.post('/sso', async (request, reply) => {
    const { domain, captcha, flow } = bodies().sso(request.body);
    const journey = startJourney(deps, request, reply, {
      purpose: 'sign-in',
      way: 'sso',
      flow: carriedFlow(new URLSearchParams(flow)),
    });
    const body = {
      domain,
      ...journey,
      ...captcha,
    };
    return { url: await auth.visitor(request).ssoAddress(body) };
  });

  app.post('/link', async (request, reply) => {
    const { provider, flow } = bodies().link(request.body);
    const { session } = await visitors.needed(request);
    const journey = startJourney(deps, request, reply, {
      purpose: 'link',
      way: provider,
      flow: carriedFlow(new URLSearchParams(flow)),
    });
    const search = new URLSearchParams({
      provider,
      ...journey,
      ...scopesFor(provider),
    });
    return { url: await auth.user(request, session).linkingAddress(search) };
  });
}

/** Returns the page on which the user links identities, either to save a guest account or to add a sign-in method. */
const linkingPage = (flow: string): 'upgrade' | 'security' =>
  new URLSearchParams(flow).get('next') === 'upgrade' ? 'upgrade' : 'security';
