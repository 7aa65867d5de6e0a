/** /admin/custom-providers: OAuth2 and OIDC providers that the project adds by itself. The secret is never told. */
import { randomUUID } from 'node:crypto';
import { type AddressFault, OutgoingError } from '../../kernel/outgoing.ts';
import type { AuthContext } from '../context.ts';
import {
  type CustomProviderSettings,
  merge,
  readNewProvider,
  requirePrefix,
  urlsOf,
} from '../core/custom-provider-input.ts';
import type { JsonObject } from '../core/json.ts';
import { fromMs, toRfc3339 } from '../core/times.ts';
import { type AuthError, authError, internalError } from '../errors.ts';
import { requireAdmin } from '../http/authenticate.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Discovery } from '../oidc.ts';
import {
  countCustomProviders,
  deleteCustomProvider,
  findCustomProvider,
  insertCustomProvider,
  listCustomProviders,
  updateCustomProvider,
} from '../queries/custom-providers.ts';
import type { CustomProvider } from '../rows.ts';
import { accountProvider } from './external.ts';
import type { Define } from './route.ts';

/** Nobody needs more; a list without end would be. */
const maxCustomProviders = 100;

export function customProviderRoutes(define: Define, ctx: AuthContext): void {
  define('GET', '/admin/custom-providers', async (exchange) => {
    await requireAdmin(ctx, exchange);
    const type = exchange.query.get('type') ?? '';
    if (type !== '' && type !== 'oauth2' && type !== 'oidc') {
      throw authError('validation_failed', "type must be either 'oauth2' or 'oidc'");
    }
    const rows = await listCustomProviders(ctx.pool, type === '' ? undefined : type);
    return { providers: rows.map(render) };
  });

  define('POST', '/admin/custom-providers', async (exchange) => {
    await requireAdmin(ctx, exchange);
    const settings = readNewProvider(exchange.body());
    if ((await countCustomProviders(ctx.pool)) >= maxCustomProviders) {
      throw authError('over_custom_provider_quota', 'Maximum number of custom OAuth/OIDC providers reached');
    }
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
    const isNew = await insertCustomProvider(ctx.pool, row).catch((cause: unknown) => {
      throw internalError('Error creating custom OAuth provider', cause);
    });
    if (!isNew) throw taken();
    return exchange.reply.code(201).send(render(row));
  });

  define('GET', '/admin/custom-providers/:id', async (exchange) => {
    await requireAdmin(ctx, exchange);
    return render(await requireProvider(ctx, exchange));
  });

  define('PUT', '/admin/custom-providers/:id', async (exchange) => {
    await requireAdmin(ctx, exchange);
    const body = exchange.body();
    const current = await requireProvider(ctx, exchange);
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
    return render(row);
  });

  define('DELETE', '/admin/custom-providers/:id', async (exchange) => {
    await requireAdmin(ctx, exchange);
    const row = await requireProvider(ctx, exchange);
    await deleteCustomProvider(ctx.pool, row.identifier);
    if (row.issuer !== null) ctx.oidc.forget(row.issuer);
    return exchange.reply.code(204).send();
  });
}

async function requireProvider(ctx: AuthContext, { params }: Exchange): Promise<CustomProvider> {
  const identifier = params.id ?? '';
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

/** This server will ask these addresses; they must not be its own neighbours (SSRF). */
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

/** The document of an OIDC provider as it is kept; a fault is told now instead of at somebody's sign-in. */
async function discover(ctx: AuthContext, settings: CustomProviderSettings): Promise<JsonObject | null> {
  if (settings.provider_type !== 'oidc') return null;
  const issuer = settings.issuer ?? '';
  const url = settings.discovery_url || `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`;
  const failure = (reason: string, cause?: unknown) =>
    authError('validation_failed', `OIDC discovery from "${url}" failed: ${reason}`, { cause });
  ctx.oidc.forget(issuer);
  const place = { issuer, reach: 'public', discoveryUrl: url } as const;
  const found = await ctx.oidc.discover(place).catch((cause: unknown) => {
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
  return keptDiscovery(found);
}

function keptDiscovery({ document, ...discovery }: Discovery): JsonObject {
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

/** In upstream's order; null addresses are left out. */
function render(row: CustomProvider): JsonObject {
  const optional = (value: string | null) => value ?? undefined;
  return {
    id: row.id,
    provider_type: row.provider_type,
    identifier: row.identifier,
    name: row.name,
    client_id: row.client_id,
    acceptable_client_ids: [...row.acceptable_client_ids],
    scopes: [...row.scopes],
    pkce_enabled: row.pkce_enabled,
    attribute_mapping: row.attribute_mapping,
    custom_claims_allowlist: [...row.custom_claims_allowlist],
    authorization_params: row.authorization_params,
    enabled: row.enabled,
    email_optional: row.email_optional,
    issuer: optional(row.issuer),
    discovery_url: optional(row.discovery_url),
    skip_nonce_check: row.skip_nonce_check,
    discovery_document: row.cached_discovery ?? undefined,
    authorization_url: optional(row.authorization_url),
    token_url: optional(row.token_url),
    userinfo_url: optional(row.userinfo_url),
    jwks_uri: optional(row.jwks_uri),
    created_at: toRfc3339(row.created_at),
    updated_at: toRfc3339(row.updated_at),
  };
}
