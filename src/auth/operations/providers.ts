/** Returns the URLs of identity providers for sign-in, for linking an identity, and for single sign-on. */
import { authError } from '../errors.ts';
import { requireUser } from '../flows/authenticate.ts';
import { linkingAddress, signInAddress } from '../flows/authorize.ts';
import { type SsoPolicy, ssoPolicyOf } from '../flows/enforced-sso.ts';
import { limitChanges } from '../flows/limit-changes.ts';
import { beginSsoSignIn, nameOfConnection } from '../flows/sso-sign-in.ts';
import { requireCaptcha } from './captcha.ts';
import { limitByAddress } from './limit-by-address.ts';
import type { Call, Guard, Operation } from './operation.ts';

export interface ProviderCall extends Call {
  /** The parameters of GET /authorize. */
  readonly query: URLSearchParams;
}

/** Returns the provider's URL to redirect the browser to. */
export const providerSignIn: Operation<ProviderCall, string> = {
  guards: [limitByAddress('authorize')],
  run: (ctx, { caller, query }) => signInAddress(ctx, caller, query),
};

/** Returns the URL of the provider whose identity the user links. */
export const identityLinking: Operation<ProviderCall, string> = {
  guards: [],
  run: async (ctx, { caller, query }) =>
    linkingAddress(ctx, await limitChanges(ctx, await requireUser(ctx, caller)), query),
};

const requireSaml: Guard = ({ settings }) => {
  if (!settings.saml.enabled) throw authError('saml_provider_disabled');
};

/**
 * Returns how SSO applies to a domain. Only the Account pages call this. Like `/sso`, it reveals which domains have a
 * connection, so it has a limit per IP address.
 */
export const ssoPolicy: Operation<Call & { readonly domain: string }, SsoPolicy> = {
  guards: [limitByAddress('sso_policy')],
  run: (ctx, { domain }) => ssoPolicyOf(ctx, ctx.pool, domain),
};

/** Returns the name of a connection, for the page that asks before it opens the identity provider. */
export const ssoConnection: Operation<Call & { readonly id: string }, string> = {
  guards: [requireSaml, limitByAddress('sso_policy')],
  run: (ctx, { id }) => nameOfConnection(ctx, id),
};

/** Returns the URL of the identity provider. */
export const ssoSignIn: Operation<Call, string> = {
  // This guard runs first, so the response reports disabled SAML regardless of rate limits.
  guards: [requireSaml, limitByAddress('sso'), requireCaptcha],
  run: (ctx, { body }) => beginSsoSignIn(ctx, body()),
};
