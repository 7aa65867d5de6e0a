/** Finds the providers configured in config.toml and the project's custom providers (`custom:NAME`). */

import type { CustomProvider } from '../common/rows.ts';
import type { AuthContext } from '../context.ts';
import { type AuthError, authError } from '../errors.ts';
import type { ProviderSettings } from '../settings.ts';
import { profileFromIdToken } from './catalog/id-token-profiles.ts';
import { endpointUrl, type ProviderSpec } from './catalog/spec.ts';
import { findProviderSpec, isKnownProvider, oauth1Provider } from './catalog/table.ts';
import { applyClaimRules, type ClaimRules } from './custom-claims.ts';
import { callbackUrl, type ExternalProvider, type OAuth2Client } from './oauth-client.ts';
import type { IssuerLocation } from './oidc.ts';
import { findCustomProvider } from './queries.ts';
import { readConfigured, readUserinfo } from './read-profile.ts';

/**
 * Returns the client for a provider.
 * @param scopes the scopes to request in addition to the default scopes
 * @throws {AuthError} `unsupported(reason)` if the provider doesn't exist, is disabled, or is incomplete
 */
export async function findProvider(
  ctx: AuthContext,
  name: string,
  scopes: string,
  unsupported: (reason: string) => AuthError,
): Promise<ExternalProvider> {
  if (name.startsWith(customPrefix)) return findCustom(ctx, name, scopes, unsupported);
  if (!isKnownProvider(name)) throw unsupported(`Provider ${name} could not be found`);
  const settings = ctx.settings.providers.get(name);
  if (!settings?.enabled) throw unsupported('provider is not enabled');
  if (settings.clientIds.length === 0) throw unsupported('missing OAuth client ID');
  if (settings.secret === '') throw unsupported('missing OAuth secret');
  if (findProviderSpec(name)?.needsUrl && settings.url === '')
    throw unsupported('unable to find URL for the Keycloak provider');
  return providerWith(ctx, name, settings, scopes);
}

/** Returns the client for a provider in config.toml, even if the provider is disabled or incomplete. */
export function providerWith(
  ctx: AuthContext,
  name: string,
  settings: ProviderSettings,
  scopes: string,
): ExternalProvider {
  const redirectUri = settings.redirectUri || callbackUrl(ctx.settings.issuer());
  const spec = findProviderSpec(name);
  if (spec === undefined) {
    return {
      kind: 'oauth1',
      provider: oauth1Provider,
      emailOptional: settings.emailOptional,
      consumerKey: settings.clientIds[0] ?? '',
      consumerSecret: settings.secret,
      redirectUri,
      url: settings.url === '' ? 'https://api.twitter.com' : settings.url.replace(/\/$/, ''),
    };
  }
  return configuredClient(ctx, spec, { name, settings, redirectUri, scopes });
}

function configuredClient(
  ctx: AuthContext,
  spec: ProviderSpec,
  {
    name,
    settings,
    redirectUri,
    scopes,
  }: {
    readonly name: string;
    readonly settings: ProviderSettings;
    readonly redirectUri: string;
    readonly scopes: string;
  },
): OAuth2Client {
  // The issuers of Apple and Google never change, so `url` is ignored for these providers, as in upstream.
  const url = spec.profile.from === 'id-token' && ownsIssuer.has(name) ? '' : settings.url;
  const requestedScopes = spec.fixedScopes || scopes === '' ? [] : scopes.split(',');
  return {
    kind: 'oauth2',
    provider: name,
    emailOptional: settings.emailOptional,
    clientId: settings.clientIds[0] ?? '',
    secret: settings.secret,
    redirectUri,
    authorizeUrl: endpointUrl(spec.authorize, url),
    tokenUrl: endpointUrl(spec.token, url),
    scopes: [...spec.scopes, ...requestedScopes],
    params: spec.authorizeParams ?? {},
    passesParams: !spec.fixedParams,
    pkce: spec.pkce ?? false,
    clientAuth: spec.clientAuth ?? 'basic',
    reach: 'configured',
    advertisedIssuer: undefined,
    readProfile: (token) => readConfigured(ctx, spec, { settings, url, token }),
  };
}

const ownsIssuer = new Set(['apple', 'google']);

/** Returns the error that `/authorize` reports for an unsupported provider. */
export function unsupportedProvider(reason: string): AuthError {
  return authError('validation_failed', `Unsupported provider: ${reason}`);
}

export const customPrefix = 'custom:';

/**
 * Returns the client for a custom provider. Requests to custom providers can reach only public networks.
 * @param scopes the scopes to request. If the list is empty, the scopes in the provider's settings are requested.
 * @throws {AuthError} `unsupported(reason)` if the provider doesn't exist, is disabled, or can't be reached
 */
async function findCustom(
  ctx: AuthContext,
  identifier: string,
  scopes: string,
  unsupported: (reason: string) => AuthError,
): Promise<OAuth2Client> {
  const row = await findCustomProvider(ctx.pool, identifier);
  if (!row) throw unsupported(`custom provider ${identifier} not found`);
  if (!row.enabled) throw unsupported(`custom provider ${identifier} is disabled`);
  const requestedScopes = scopes.split(/\s+/).filter((scope) => scope !== '');
  const common = {
    kind: 'oauth2',
    provider: identifier,
    emailOptional: row.email_optional,
    clientId: row.client_id,
    secret: row.client_secret,
    redirectUri: callbackUrl(ctx.settings.externalUrl()),
    params: textsOf(row.authorization_params),
    passesParams: true,
    pkce: row.pkce_enabled,
    clientAuth: 'basic',
    reach: 'public',
  } as const;
  const requested = requestedScopes.length === 0 ? row.scopes : requestedScopes;
  return row.provider_type === 'oidc'
    ? customOidc(ctx, row, { ...common, scopes: withOpenid(requested) }, unsupported)
    : customOAuth2(ctx, row, { ...common, scopes: requested });
}

const withOpenid = (scopes: readonly string[]): readonly string[] =>
  scopes.includes('openid') ? scopes : ['openid', ...scopes];

const textsOf = (values: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );

type CommonClient = Omit<OAuth2Client, 'authorizeUrl' | 'tokenUrl' | 'advertisedIssuer' | 'readProfile'>;

function customOAuth2(ctx: AuthContext, row: CustomProvider, common: CommonClient): OAuth2Client {
  return {
    ...common,
    authorizeUrl: row.authorization_url ?? '',
    tokenUrl: row.token_url ?? '',
    advertisedIssuer: undefined,
    readProfile: (token) => readUserinfo(ctx, row.userinfo_url ?? '', token, rulesOf(row)),
  };
}

async function customOidc(
  ctx: AuthContext,
  row: CustomProvider,
  common: CommonClient,
  unsupported: (reason: string) => AuthError,
): Promise<OAuth2Client> {
  const location = issuerLocation(row);
  const discovery = await ctx.oidc.discover(location).catch((cause: unknown) => {
    ctx.log.warn({ provider: row.identifier, error: cause }, 'failed to fetch the discovery document');
    throw unsupported(`error creating OIDC provider: ${(cause as Error).message}`);
  });
  return {
    ...common,
    authorizeUrl: discovery.authorizationEndpoint,
    tokenUrl: discovery.tokenEndpoint,
    advertisedIssuer: discovery.namesItself ? discovery.issuer : undefined,
    async readProfile(token) {
      if (token.idToken === undefined) {
        if (discovery.userinfoEndpoint === '') throw new Error('no ID token or userinfo endpoint available');
        return readUserinfo(ctx, discovery.userinfoEndpoint, token, rulesOf(row));
      }
      const claims = await ctx.oidc.verify(token.idToken, {
        location,
        audience: [row.client_id, ...row.acceptable_client_ids],
        accessToken: undefined,
      });
      // Applies the claim rules only to the claims, so that the rules can't change the email addresses.
      const profile = profileFromIdToken(claims);
      return { ...profile, claims: applyClaimRules(profile.claims, claims, rulesOf(row)) };
    },
  };
}

export function issuerLocation(row: CustomProvider): IssuerLocation {
  return {
    issuer: row.issuer ?? '',
    reach: 'public',
    ...(row.discovery_url ? { discoveryUrl: row.discovery_url } : {}),
  };
}

const rulesOf = (row: CustomProvider): ClaimRules => ({
  attributeMapping: row.attribute_mapping,
  customClaims: row.custom_claims_allowlist,
});
