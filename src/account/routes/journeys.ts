/**
 * Round trips to identity providers. `GET /account/with` is a plain link, so it needs no script. Every provider's
 * response arrives at `GET /account/back` as a PKCE code that only this browser can redeem.
 */
import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuthClient, TokenPair } from '../auth-client.ts';
import type { BrowserSignIn } from '../browser-sign-in.ts';
import { carriedFlow } from '../core/html.ts';
import { challengeOf, type Journey, journeyCookie, readJourney, writeJourney } from '../core/journey.ts';
import { scopesFor } from '../core/providers.ts';
import { AccountError, AuthRefusal } from '../errors.ts';
import { cookieOf, keepCookie } from '../request-cookies.ts';
import type { ReturnAddress } from '../return-address.ts';
import { mustStepUp, type Visitors } from '../visitor.ts';
import type * as Bodies from './bodies.ts';

export interface JourneyDeps {
  readonly auth: AuthClient;
  readonly browserSignIn: BrowserSignIn;
  readonly visitors: Visitors;
  readonly returnAddress: ReturnAddress;
  readonly accountUrl: () => string;
}

/** The parameters with which auth sends the browser back to us. */
interface Departure {
  readonly redirect_to: string;
  readonly code_challenge: string;
  readonly code_challenge_method: 's256';
}

/** Stores the purpose of the round trip in the browser's cookie before it leaves. */
function depart(
  { accountUrl }: JourneyDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  purpose: Journey['purpose'],
  flow: string,
): Departure {
  const verifier = randomBytes(32).toString('base64url');
  keepCookie(request, reply, journeyCookie, writeJourney({ verifier, purpose, flow }));
  return {
    redirect_to: backAddress(request, accountUrl()),
    code_challenge: challengeOf(verifier),
    code_challenge_method: 's256',
  };
}

/** Uses the host that has just set the cookie, in case this machine has several names. */
function backAddress({ protocol, host, hostname }: FastifyRequest, accountUrl: string): string {
  const isLocal = isLoopbackName(hostname) && isLoopbackName(new URL(accountUrl).hostname);
  return isLocal ? `${protocol}://${host}/account/back` : `${accountUrl}/back`;
}

const isLoopbackName = (name: string): boolean =>
  name === 'localhost' || name === '[::1]' || /^127(\.\d+){3}$/.test(name);

export function journeyPages(app: FastifyInstance, deps: JourneyDeps): void {
  const { auth, browserSignIn, returnAddress } = deps;

  app.get('/with', async (request, reply) => {
    const query = queryOf(request);
    const provider = query.get('provider') ?? '';
    const departure = depart(deps, request, reply, 'sign-in', carriedFlow(query));
    try {
      const search = new URLSearchParams({ provider, ...departure, ...scopesFor(provider) });
      return reply.redirect(await auth.follow(request, `/authorize?${search}`), 303);
    } catch (error) {
      if (!(error instanceof AuthRefusal)) throw error;
      return reply.redirect(problemPage('sign-in', carriedFlow(query), error.code), 303);
    }
  });

  app.get('/back', async (request, reply) => {
    const journey = readJourney(cookieOf(request, journeyCookie));
    const query = queryOf(request);
    keepCookie(request, reply, journeyCookie, undefined);
    const flow = journey?.flow ?? '';
    const page = journey?.purpose === 'link' ? linkingPage(flow) : 'sign-in';
    if (journey === undefined) return reply.redirect(problemPage(page, flow, 'flow_state_not_found'), 303);
    const code = query.get('code');
    if (code === null) {
      const said = query.get('error_code') ?? query.get('error') ?? '';
      return reply.redirect(problemPage(page, flow, said), 303);
    }
    // The identity is already linked, and the session remains the same.
    if (journey.purpose === 'link') return reply.redirect(pageWith(page, flow, 'linked', '1'), 303);
    try {
      const body = { auth_code: code, code_verifier: journey.verifier };
      const path = '/token?grant_type=pkce';
      const pair = await auth.call<TokenPair>(request, { method: 'POST', path, body });
      const session = await browserSignIn.enter(request, reply, pair);
      const wanted = new URLSearchParams(flow);
      const next = wanted.get('next');
      if (mustStepUp({ session, user: pair.user }))
        return reply.redirect(`/account/mfa${searchOf(flow)}`, 303);
      if (wanted.has('redirect_to') && next === null) {
        const arrived = { session, user: pair.user };
        return reply.redirect(await returnAddress(request, Object.fromEntries(wanted), arrived), 303);
      }
      const isOurs = next === 'consent' || next === 'new-password' || next === 'upgrade';
      const keepsFlow = next === 'consent' || next === 'upgrade';
      return reply.redirect(`/account/${isOurs ? next : 'security'}${keepsFlow ? searchOf(flow) : ''}`, 303);
    } catch (error) {
      if (!(error instanceof AuthRefusal || error instanceof AccountError)) throw error;
      return reply.redirect(problemPage('sign-in', flow, error.code), 303);
    }
  });
}

export function journeyApi(app: FastifyInstance, deps: JourneyDeps, bodies: () => typeof Bodies): void {
  const { auth, visitors } = deps;

  app.post('/sso', async (request, reply) => {
    const { domain, captcha, flow } = bodies().sso(request.body);
    const departure = depart(deps, request, reply, 'sign-in', carriedFlow(new URLSearchParams(flow)));
    const body = {
      domain,
      ...departure,
      skip_http_redirect: true,
      ...captcha,
    };
    const { url } = await auth.call<{ url: string }>(request, { method: 'POST', path: '/sso', body });
    return { url };
  });

  app.post('/link', async (request, reply) => {
    const { provider, flow } = bodies().link(request.body);
    const { session } = await visitors.needed(request);
    const departure = depart(deps, request, reply, 'link', carriedFlow(new URLSearchParams(flow)));
    const search = new URLSearchParams({
      provider,
      ...departure,
      ...scopesFor(provider),
      skip_http_redirect: 'true',
    });
    const { url } = await auth.call<{ url: string }>(request, {
      method: 'GET',
      path: `/user/identities/authorize?${search}`,
      redirectTo: departure.redirect_to,
      accessToken: session.tokens.access_token,
    });
    return { url };
  });
}

function queryOf({ url }: FastifyRequest): URLSearchParams {
  return new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
}

const searchOf = (flow: string): string => (flow === '' ? '' : `?${flow}`);

/** The page that links identities: to save a guest's account, or to add a sign-in method. */
const linkingPage = (flow: string): 'upgrade' | 'security' =>
  new URLSearchParams(flow).get('next') === 'upgrade' ? 'upgrade' : 'security';

type Page = 'sign-in' | ReturnType<typeof linkingPage>;

/** Returns one of our pages that shows the error by its code. Texts in an address are never shown. */
function problemPage(page: Page, flow: string, code: string): string {
  return pageWith(page, flow, 'problem', /^[a-z0-9_]{1,64}$/.test(code) ? code : 'other');
}

function pageWith(page: Page, flow: string, name: string, value: string): string {
  const query = new URLSearchParams(flow);
  query.set(name, value);
  return `/account/${page}?${query}`;
}
