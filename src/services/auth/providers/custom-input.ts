/** Parses and validates a custom provider's settings from a request body (GoTrue 2.196). */

import { requireLength } from '../../../base/shared/text-length.ts';
import type { Fields } from '../common/fields.ts';
import type { JsonObject } from '../common/json.ts';
import type { CustomProvider } from '../common/rows.ts';
import { type AuthError, authError } from '../errors.ts';
import { reservedParams } from './oauth-client.ts';

/** The columns that an administrator can set. All other columns are derived from them. */
export type CustomProviderSettings = Omit<
  CustomProvider,
  'id' | 'cached_discovery' | 'created_at' | 'updated_at'
>;

const invalid = (message: string): AuthError => authError('validation_failed', message);

/** The identifier format that the auth schema requires. */
const identifierFormat = /^[a-z0-9][a-z0-9:-]{0,48}[a-z0-9]$/;
const maxNameChars = 100;
const maxClientIdChars = 512;
const maxUrlChars = 2048;

/** Parses the settings of a new provider. @throws {AuthError} validation_failed */
export function readNewProvider(body: Fields): CustomProviderSettings {
  const type = body.text('provider_type');
  if (type !== 'oauth2' && type !== 'oidc') throw invalid("provider_type must be either 'oauth2' or 'oidc'");
  const identifier = body.text('identifier');
  if (identifier === '') throw invalid('identifier is required');
  requirePrefix(identifier);
  const required = type === 'oidc' ? ['issuer'] : ['authorization_url', 'token_url', 'userinfo_url'];
  for (const name of ['name', 'client_id', 'client_secret']) {
    if (body.text(name) === '') throw invalid(`${name} is required`);
  }
  for (const name of required) {
    const kind = type === 'oidc' ? 'OIDC' : 'OAuth2';
    if (body.text(name) === '') throw invalid(`${name} is required for ${kind} providers`);
  }
  if (!identifierFormat.test(identifier)) {
    throw invalid('identifier must be at most 50 lower-case letters, digits, colons and hyphens');
  }
  return merge({ ...emptySettings, provider_type: type, identifier }, body);
}

export function requirePrefix(identifier: string): void {
  if (identifier.startsWith('custom:')) return;
  throw invalid(`identifier must start with 'custom:' prefix, e.g. 'custom:${identifier}'`);
}

const emptySettings: CustomProviderSettings = {
  provider_type: 'oidc',
  identifier: '',
  name: '',
  client_id: '',
  client_secret: '',
  acceptable_client_ids: [],
  scopes: [],
  pkce_enabled: true,
  attribute_mapping: {},
  custom_claims_allowlist: [],
  authorization_params: {},
  enabled: true,
  email_optional: false,
  issuer: null,
  discovery_url: null,
  skip_nonce_check: false,
  authorization_url: null,
  token_url: null,
  userinfo_url: null,
  jwks_uri: null,
};

/**
 * Merges the body into the current settings. Fields that are missing or empty in the body keep their values. The type
 * and identifier can't be changed.
 * @throws {AuthError} validation_failed
 */
export function merge(current: CustomProviderSettings, body: Fields): CustomProviderSettings {
  const authorizationParams = body.object('authorization_params');
  const attributeMapping = body.object('attribute_mapping');
  const customClaims = body.list('custom_claims_allowlist');
  checkAuthorizationParams(authorizationParams ?? {});
  checkAttributeMapping(attributeMapping ?? {});
  if (customClaims?.some((name) => name.trim() === '')) {
    throw invalid('custom_claims_allowlist entries must be non-empty strings');
  }
  const isOidc = current.provider_type === 'oidc';
  const scopes = body.list('scopes') ?? current.scopes;
  const url = (
    name: 'issuer' | 'discovery_url' | 'authorization_url' | 'token_url' | 'userinfo_url' | 'jwks_uri',
  ) => body.text(name) || current[name];
  const merged: CustomProviderSettings = {
    ...current,
    name: body.text('name') || current.name,
    client_id: body.text('client_id') || current.client_id,
    client_secret: body.text('client_secret') || current.client_secret,
    acceptable_client_ids: body.list('acceptable_client_ids') ?? current.acceptable_client_ids,
    scopes: isOidc && !scopes.includes('openid') ? ['openid', ...scopes] : scopes,
    pkce_enabled: body.flag('pkce_enabled', current.pkce_enabled),
    attribute_mapping: attributeMapping ?? current.attribute_mapping,
    custom_claims_allowlist: customClaims ?? current.custom_claims_allowlist,
    authorization_params: authorizationParams ?? current.authorization_params,
    enabled: body.flag('enabled', current.enabled),
    email_optional: body.flag('email_optional', current.email_optional),
    ...(isOidc
      ? {
          issuer: url('issuer'),
          discovery_url: url('discovery_url'),
          skip_nonce_check: body.flag('skip_nonce_check', current.skip_nonce_check),
        }
      : {
          authorization_url: url('authorization_url'),
          token_url: url('token_url'),
          userinfo_url: url('userinfo_url'),
          jwks_uri: url('jwks_uri'),
        }),
  };
  checkLengths(merged);
  return merged;
}

function checkLengths(settings: CustomProviderSettings): void {
  const check = (what: string, text: string, max: number): void =>
    requireLength(text, max, () => invalid(`${what} must be at most ${max} characters`));
  check('name', settings.name, maxNameChars);
  check('client_id', settings.client_id, maxClientIdChars);
  for (const url of urlsOf(settings)) check('URLs', url, maxUrlChars);
}

/** Returns all URLs in the settings. */
export function urlsOf(settings: CustomProviderSettings): string[] {
  const { issuer, discovery_url, authorization_url, token_url, userinfo_url, jwks_uri } = settings;
  return [issuer, discovery_url, authorization_url, token_url, userinfo_url, jwks_uri].filter(
    (url): url is string => url !== null && url !== '',
  );
}

function checkAuthorizationParams(params: JsonObject): void {
  for (const [name, value] of Object.entries(params)) {
    if (reservedParams.has(name.toLowerCase())) {
      throw invalid(`Cannot override reserved OAuth parameter: ${name}`);
    }
    if (typeof value !== 'string') throw invalid(`Authorization parameter "${name}" must be a string`);
  }
}

/** Fields that no rule can map from a provider's claims, because only this server sets them. */
const protectedFields = new Set([
  'id',
  'aud',
  'role',
  'app_metadata',
  'created_at',
  'updated_at',
  'confirmed_at',
  'email_confirmed_at',
  'phone_confirmed_at',
  'email_verified',
  'phone_verified',
  'banned_until',
  'is_super_admin',
]);

function checkAttributeMapping(mapping: JsonObject): void {
  const field = Object.keys(mapping).find((name) => protectedFields.has(name));
  if (field !== undefined) throw invalid(`Cannot map to protected system field: ${field}`);
}
