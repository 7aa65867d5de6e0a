/**
 * Declares the routes for single sign-on with SAML 2.0. The routes serve this server's metadata and handle the
 * redirects to and from the identity provider. Also declares /scim/v2. The code for SAML is loaded by the first request,
 * because few projects use it.
 */

import type { Call, Guard, Operation } from '../common/operation.ts';
import { errorParams } from '../common/public-errors.ts';
import { withParams } from '../common/redirects.ts';
import { authError } from '../errors.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Route } from '../http/route.ts';
import { limitByAddress, requireCaptcha } from '../limits/guards.ts';
import type { SignInRedirect } from '../providers/callback.ts';
import { type SsoPolicy, ssoPolicyOf } from './enforced.ts';
import type { OwnMetadata } from './metadata.ts';

export function ssoRoutes(route: Route): void {
  route(ssoSignIn, {
    render: (url, { body, reply }) =>
      body().flag('skip_http_redirect') ? { url } : reply.redirect(url, 303),
  });
  route(consumeAssertion, {
    render: ({ location, status }, { reply }) => reply.redirect(location, status),
  });
  route(readMetadata, {
    render: ({ xml, maxAgeSeconds }, { query, reply }) => {
      if (isDownload(query)) reply.header('content-disposition', 'attachment; filename="metadata.xml"');
      return reply
        .header('cache-control', `public, max-age=${maxAgeSeconds}`)
        .type('application/xml')
        .send(xml);
    },
  });
  route(oidcCallback, {
    render: ({ location, status }, { reply }) => reply.redirect(location, status),
  });
  for (const resource of ['ServiceProviderConfig', 'ResourceTypes', 'Schemas']) route(refuseScim(resource));
}

/** Also admits the connections of organizations, which don't depend on `[auth.saml]`. */
const requireSaml: Guard = ({ settings, hasOwnTables }) => {
  if (!settings.saml.enabled && !(settings.organizations.enabled && hasOwnTables))
    throw authError('saml_provider_disabled');
};

/** Returns the identity provider's URL. */
export const ssoSignIn: Operation<Call, string> = {
  on: 'POST /sso',
  // `requireSaml` runs first, so that the response says that SAML is disabled even if a rate limit is exceeded.
  guards: [requireSaml, limitByAddress('sso'), requireCaptcha],
  run: async (ctx, { body }) => (await import('./begin.ts')).beginSsoSignIn(ctx, body()),
};

/**
 * Returns the identity provider's URL for links and forms on the Account pages in which users can't solve a captcha.
 * Only the Account pages call this operation. Like `/authorize`, the operation doesn't require a captcha, because it
 * neither reads nor reveals an account.
 */
export const ssoJourney: Operation<Call, string> = {
  on: 'POST /sso',
  guards: [requireSaml, limitByAddress('sso')],
  run: async (ctx, { body }) => (await import('./begin.ts')).beginSsoSignIn(ctx, body()),
};

/** Returns a connection's name for the page that asks for confirmation before opening the identity provider. */
export const ssoConnection: Operation<Call & { readonly id: string }, string> = {
  on: 'POST /sso',
  guards: [requireSaml, limitByAddress('sso_policy')],
  run: async (ctx, { id }) => (await import('./begin.ts')).nameOfConnection(ctx, id),
};

/**
 * Returns a domain's SSO policy. Only the Account pages call this operation. Like `/sso`, this operation reveals which
 * domains have a connection, so it is limited per IP address.
 */
export const ssoPolicy: Operation<Call & { readonly domain: string }, SsoPolicy> = {
  on: 'POST /sso',
  guards: [limitByAddress('sso_policy')],
  run: (ctx, { domain }) => ssoPolicyOf(ctx, ctx.pool, domain),
};

/**
 * Accepts the identity provider's response. If an error occurs, redirects the browser (status 303) to the Account page
 * where the sign-in started, or to the site URL, so that the page or the app can show the error.
 */
const consumeAssertion: Operation<Exchange, SignInRedirect> = {
  on: 'POST /sso/saml/acs',
  guards: [requireSaml, limitByAddress('saml_assertion')],
  errorPage: ({ settings }) => settings.siteUrl,
  async run(ctx, { caller, path, text }) {
    const { finishSamlSignIn, SamlFailure } = await import('./finish.ts');
    try {
      const params = new URLSearchParams(text);
      const location = await ctx.signIns.track('saml', () => finishSamlSignIn(ctx, caller, params));
      return { location, status: 302 };
    } catch (thrown) {
      const [page, error] =
        thrown instanceof SamlFailure ? [thrown.page, thrown.cause] : [ctx.settings.siteUrl, thrown];
      return { location: withParams(page, errorParams(ctx, path, error)), status: 303 };
    }
  },
};

/** Accepts the response of an organization's OpenID provider. Each connection has a separate URL. */
const oidcCallback: Operation<Exchange, SignInRedirect> = {
  on: 'GET /sso/oidc/:id/callback',
  guards: [limitByAddress('saml_assertion')],
  errorPage: ({ settings }) => settings.siteUrl,
  async run(ctx, { caller, query, params }) {
    const id = params.id ?? '';
    const { finishOidcTest } = await import('../organizations/connections/test.ts');
    const tested = await finishOidcTest(ctx, id, query);
    if (tested !== undefined) return { location: tested, status: 303 };
    const { finishProviderSignIn } = await import('../providers/callback.ts');
    return finishProviderSignIn(ctx, caller, query, `sso:${id}`);
  },
};

const readMetadata: Operation<Exchange, OwnMetadata> = {
  on: 'GET /sso/saml/metadata',
  guards: [requireSaml],
  run: async (ctx, { query }) => (await import('./metadata.ts')).ownMetadata(ctx, isDownload(query)),
};

const isDownload = (query: URLSearchParams): boolean => query.get('download') === 'true';

/** SCIM isn't supported. The response is the same as in upstream if SCIM is disabled. */
const refuseScim = (resource: string): Operation<Call, never> => ({
  on: `GET /scim/v2/${resource}`,
  run() {
    throw authError('feature_disabled', 'SCIM server is disabled');
  },
});
