/** Administers custom OAuth and OIDC providers. */

import { randomUUID } from 'node:crypto';
import { type AddressFault, OutgoingError } from '../../../base/shared/network/outgoing.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { Fields } from '../common/fields.ts';
import type { JsonObject } from '../common/json.ts';
import type { CustomProvider } from '../common/rows.ts';
import { fromMs } from '../common/times.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, authError, internalError } from '../errors.ts';
import { accountProvider } from './authorize.ts';
import {
  type CustomProviderSettings,
  merge,
  readNewProvider,
  requirePrefix,
  urlsOf,
} from './custom-input.ts';
import type { Discovery } from './oidc.ts';
import {
  countCustomProviders,
  deleteCustomProvider,
  findCustomProvider,
  insertCustomProvider,
  listCustomProviders,
  lockCustomProviders,
  updateCustomProvider,
} from './queries.ts';

/**
 * The maximum number of custom providers, which limits the size of the list of providers. In practice, projects don't
 * reach it.
 */
const maxCustomProviders = 100;

export function listCustom(ctx: AuthContext, type: 'oauth2' | 'oidc' | undefined): Promise<CustomProvider[]> {
  return listCustomProviders(ctx.pool, type);
}

/**
 * Adds a custom provider.
 * @throws {AuthError} validation_failed, over_custom_provider_quota, or conflict with status 400
 */
export async function addCustom(ctx: AuthContext, body: Fields): Promise<CustomProvider> {
  const settings = readNewProvider(body);
  // Checked again when the provider is inserted. This check avoids requests to the provider.
  await requireQuota(ctx.pool);
  await requirePublicAddresses(ctx, settings);
  const taken = () =>
    authError('conflict', 'A custom OAuth provider with this identifier already exists', { status: 400 });
  if (settings.identifier === accountProvider) throw taken();
  if (await findCustomProvider(ctx.pool, settings.identifier)) throw taken();
  const now = fromMs(ctx.clock.now());
  const row: CustomProvider = {
    ...settings,
    id: randomUUID(),
    cached_discovery: await discover(ctx, settings),
    created_at: now,
    updated_at: now,
  };
  const added = ctx.pool.transaction(async (tx) => {
    await lockCustomProviders(tx);
    await requireQuota(tx);
    return insertCustomProvider(tx, row);
  });
  const isNew = await added.catch((cause: unknown) => {
    throw cause instanceof AuthError ? cause : internalError('Error creating custom OAuth provider', cause);
  });
  if (!isNew) throw taken();
  return row;
}

/** @throws {AuthError} over_custom_provider_quota */
async function requireQuota(db: Queryable): Promise<void> {
  if ((await countCustomProviders(db)) < maxCustomProviders) return;
  throw authError('over_custom_provider_quota', 'Maximum number of custom OAuth/OIDC providers reached');
}

/** Changes a custom provider. @throws {AuthError} validation_failed, custom_provider_not_found */
export async function changeCustom(
  ctx: AuthContext,
  current: CustomProvider,
  body: Fields,
): Promise<CustomProvider> {
  const settings = merge(current, body);
  await requirePublicAddresses(ctx, settings);
  const isElsewhere =
    settings.provider_type === 'oidc' &&
    (body.text('issuer') !== '' || body.optionalText('discovery_url') !== undefined);
  const now = ctx.clock.now();
  const row: CustomProvider = {
    ...current,
    ...settings,
    cached_discovery: isElsewhere ? await discover(ctx, settings) : current.cached_discovery,
    updated_at: fromMs(now),
  };
  await updateCustomProvider(ctx.pool, row, now).catch((cause: unknown) => {
    throw internalError('Error updating custom OAuth provider', cause);
  });
  if (current.issuer !== null) ctx.oidc.forget(current.issuer);
  return row;
}

export async function removeCustom(ctx: AuthContext, row: CustomProvider): Promise<void> {
  await deleteCustomProvider(ctx.pool, row.identifier);
  if (row.issuer !== null) ctx.oidc.forget(row.issuer);
}

/** Finds a custom provider. @throws {AuthError} validation_failed, custom_provider_not_found */
export async function requireCustom(ctx: AuthContext, identifier: string): Promise<CustomProvider> {
  requirePrefix(identifier);
  const row = await findCustomProvider(ctx.pool, identifier);
  if (!row) throw authError('custom_provider_not_found', 'Custom OAuth provider not found');
  return row;
}

const addressFaults: Readonly<Record<AddressFault, string>> = {
  format: 'Invalid URL format',
  scheme: 'URL must use HTTPS',
  hostname: 'URL must have a valid hostname',
  localhost: 'URL cannot point to localhost or loopback addresses',
  unresolved: 'Unable to resolve hostname',
  loopback: 'URL cannot resolve to loopback addresses',
  private: 'URL cannot resolve to private network addresses',
  'link-local': 'URL cannot resolve to link-local addresses',
  multicast: 'URL cannot resolve to multicast addresses',
  unspecified: 'URL cannot resolve to unspecified addresses',
  reserved: 'URL cannot resolve to private network addresses',
};

/**
 * Rejects URLs in private networks, because the server will send requests to these URLs (server-side request forgery).
 */
async function requirePublicAddresses(ctx: AuthContext, settings: CustomProviderSettings): Promise<void> {
  for (const url of urlsOf(settings)) {
    await ctx.outgoing.requirePublic(url).catch((cause: unknown) => {
      throw addressError(cause);
    });
  }
}

function addressError(cause: unknown): AuthError {
  const fault = cause instanceof OutgoingError ? cause.fault : undefined;
  return authError('validation_failed', addressFaults[fault ?? 'unresolved'], { cause });
}

/**
 * Fetches and returns the discovery document, so that the administrator, and not the first user, learns that a provider
 * is invalid.
 */
async function discover(ctx: AuthContext, settings: CustomProviderSettings): Promise<JsonObject | null> {
  if (settings.provider_type !== 'oidc') return null;
  const issuer = settings.issuer ?? '';
  const url = settings.discovery_url || `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`;
  const failure = (reason: string, cause?: unknown) =>
    authError('validation_failed', `OIDC discovery from "${url}" failed: ${reason}`, { cause });
  ctx.oidc.forget(issuer);
  const location = { issuer, reach: 'public', discoveryUrl: url } as const;
  const found = await ctx.oidc.discover(location).catch((cause: unknown) => {
    throw failure((cause as Error).message, cause);
  });
  const missing = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'].filter(
    (name) => typeof found.document[name] !== 'string' || found.document[name] === '',
  );
  if (missing.length > 0) {
    throw authError(
      'validation_failed',
      `OIDC discovery document is missing required fields: ${missing.join(', ')}`,
    );
  }
  for (const endpoint of [found.tokenEndpoint, found.jwksUri, found.userinfoEndpoint]) {
    if (endpoint === '') continue;
    await ctx.outgoing.requirePublic(endpoint).catch((cause: unknown) => {
      throw failure(addressError(cause).message, cause);
    });
  }
  return storedDiscovery(found);
}

function storedDiscovery({ document, ...discovery }: Discovery): JsonObject {
  const lists = [
    'scopes_supported',
    'response_types_supported',
    'grant_types_supported',
    'subject_types_supported',
  ];
  return {
    issuer: discovery.issuer,
    authorization_endpoint: discovery.authorizationEndpoint,
    token_endpoint: discovery.tokenEndpoint,
    ...(discovery.userinfoEndpoint === '' ? {} : { userinfo_endpoint: discovery.userinfoEndpoint }),
    jwks_uri: discovery.jwksUri,
    ...Object.fromEntries(
      lists.filter((name) => Array.isArray(document[name])).map((name) => [name, document[name]]),
    ),
  };
}
