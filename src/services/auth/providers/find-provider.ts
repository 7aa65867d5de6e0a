/** Finds the providers configured in config.toml and the project's custom providers (`custom:NAME`). */
import type { AuthContext } from '../context.ts';
import { type AuthError, authError } from '../errors.ts';
import type { ProviderSettings } from '../settings.ts';
import { endpointUrl, type ProviderSpec } from './catalog/spec.ts';
import { findProviderSpec, isKnownProvider, oauth1Provider } from './catalog/table.ts';
import { callbackUrl, type ExternalProvider, type OAuth2Client } from './clients.ts';
import { customPrefix, findCustom } from './custom.ts';
import { readConfigured } from './profiles.ts';

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
