/** Returns the identity providers' URLs for sign-in, for linking an identity, and for single sign-on. */

import { limitChanges } from '../common/limit-changes.ts';
import type { Call, Guard, Operation } from '../common/operation.ts';
import { authError } from '../errors.ts';
import { requireCaptcha } from '../limits/captcha.ts';
import { limitByAddress } from '../limits/limit-by-address.ts';
import { requireUser } from '../sessions/authenticate.ts';
import { beginSsoSignIn, nameOfConnection } from '../sso/begin.ts';
import { type SsoPolicy, ssoPolicyOf } from '../sso/enforced.ts';
import { linkingAddress, signInAddress } from './authorize.ts';

export interface ProviderCall extends Call {
  /** The parameters of GET /authorize. */
  readonly query: URLSearchParams;
}

/** Returns the provider's URL, to which the caller must redirect the browser. */
export const providerSignIn: Operation<ProviderCall, string> = {
  guards: [limitByAddress('authorize')],
  run: (ctx, { caller, query }) => signInAddress(ctx, caller, query),
};

/** Returns the URL of the provider at which the user links an identity. */
export const identityLinking: Operation<ProviderCall, string> = {
  guards: [],
  run: async (ctx, { caller, query }) =>
    linkingAddress(ctx, await limitChanges(ctx, await requireUser(ctx, caller)), query),
};

const requireSaml: Guard = ({ settings }) => {
  if (!settings.saml.enabled) throw authError('saml_provider_disabled');
};

/**
 * Returns a domain's SSO policy. Only the Account pages call this operation. Like `/sso`, this operation reveals which
 * domains have a connection, so it is limited per IP address.
 */
export const ssoPolicy: Operation<Call & { readonly domain: string }, SsoPolicy> = {
  guards: [limitByAddress('sso_policy')],
  run: (ctx, { domain }) => ssoPolicyOf(ctx, ctx.pool, domain),
};

/** Returns a connection's name for the page that asks for confirmation before opening the identity provider. */
export const ssoConnection: Operation<Call & { readonly id: string }, string> = {
  guards: [requireSaml, limitByAddress('sso_policy')],
  run: (ctx, { id }) => nameOfConnection(ctx, id),
};

/**
 * Returns the identity provider's URL for links and forms on the Account pages in which users can't solve a captcha.
 * Only the Account pages call this operation. Like `/authorize`, the operation doesn't require a captcha, because it
 * neither reads nor reveals an account.
 */
export const ssoJourney: Operation<Call, string> = {
  guards: [requireSaml, limitByAddress('sso')],
  run: (ctx, { body }) => beginSsoSignIn(ctx, body()),
};

/** Returns the identity provider's URL. */
export const ssoSignIn: Operation<Call, string> = {
  // `requireSaml` runs first, so that the response says that SAML is disabled even if a rate limit is exceeded.
  guards: [requireSaml, limitByAddress('sso'), requireCaptcha],
  run: (ctx, { body }) => beginSsoSignIn(ctx, body()),
};
