/**
 * The types that describe where a provider's sign-in starts, where codes are exchanged, and how responses become
 * profiles. Endpoints, default scopes and mappings match GoTrue 2.196.
 */

import { isJsonObject, type JsonObject } from '../../common/json.ts';
import type { ExternalProfile } from '../profile.ts';

/** The base URL and the path of an endpoint. If the setting `url` is configured, it replaces the base URL. */
interface Endpoint {
  readonly base: string;
  readonly path: string;
  /** The path that is appended to a configured `url`, if this path differs from `path`. */
  readonly ownPath?: string;
}

export function at(base: string, path = '', ownPath?: string): Endpoint {
  return { base: `https://${base}`, path, ...(ownPath === undefined ? {} : { ownPath }) };
}

/**
 * Returns the URL of an endpoint. A configured base URL replaces the default base URL.
 *
 * @example endpointUrl(at('github.com', '/login'), 'https://git.example.com/') // 'https://git.example.com/login'
 */
export function endpointUrl({ base, path, ownPath }: Endpoint, configured: string): string {
  return configured === '' ? base + path : configured.replace(/\/$/, '') + (ownPath ?? path);
}

/** The response from the token endpoint (RFC 6749 section 5.1). */
export interface TokenResponse {
  readonly accessToken: string;
  readonly tokenType: string;
  readonly refreshToken: string;
  readonly idToken: string | undefined;
  /** All members of the response, because some providers send non-standard members. */
  readonly members: JsonObject;
}

interface ProfileContext {
  /** The issuer that is stored with this provider's identities. */
  readonly issuer: string;
  readonly token: TokenResponse;
}

/**
 * Reads the profile from API resources with the access token. `resources` contains the endpoint of each resource by the
 * resource's name.
 */
export interface ApiSource {
  readonly from: 'api';
  readonly issuer: Endpoint;
  readonly resources: Readonly<Record<string, Endpoint>>;
  readonly headers?: (clientId: string) => Readonly<Record<string, string>>;
  readonly query?: (request: {
    readonly accessToken: string;
    readonly secret: string;
  }) => Readonly<Record<string, string>>;
  readonly read: (responses: Readonly<Record<string, unknown>>, context: ProfileContext) => ExternalProfile;
}

/** Reads the profile from the ID token in the token response. */
export interface IdTokenSource {
  readonly from: 'id-token';
  /**
   * The expected issuer. The issuer is undefined for Microsoft, because the issuer in Microsoft's tokens is the tenant.
   * For Microsoft, the configuration determines from which tenants tokens are accepted.
   */
  readonly issuer: string | undefined;
  /**
   * Determines what happens if the token response contains no ID token. `fail` rejects the sign-in. `empty-profile`
   * accepts a user without an address or name. An API source reads the profile from the provider's API.
   */
  readonly otherwise: 'fail' | 'empty-profile' | ApiSource;
}

/** Reads the profile from the token response itself. */
interface TokenSource {
  readonly from: 'token';
  readonly issuer: Endpoint;
  readonly read: (context: ProfileContext) => ExternalProfile;
}

type ProfileSource = ApiSource | IdTokenSource | TokenSource;

export interface ProviderSpec {
  readonly authorize: Endpoint;
  readonly token: Endpoint;
  /** The default scopes, to which the request's scopes are added unless `fixedScopes` is set. */
  readonly scopes: readonly string[];
  readonly fixedScopes?: boolean;
  /**
   * The client authentication method that is tried first at the token endpoint. The default method is HTTP Basic
   * authentication.
   */
  readonly clientAuth?: 'post';
  /** Whether to use PKCE with the provider (RFC 7636). */
  readonly pkce?: boolean;
  /** Parameters added to every authorization request. */
  readonly authorizeParams?: Readonly<Record<string, string>>;
  /** Whether parameters that the app sends are ignored. */
  readonly fixedParams?: boolean;
  /** Whether the setting `url` must be configured, because it has no default. */
  readonly needsUrl?: boolean;
  readonly profile: ProfileSource;
}

// The following functions read values from a provider's response. If a value is missing or has the wrong type, the
// result is the empty value of the expected type.

type Path = readonly (string | number)[];

export function valueAt(value: unknown, ...path: Path): unknown {
  let current = value;
  for (const step of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) return undefined;
    current = (current as Record<string | number, unknown>)[step];
  }
  return current;
}

export function textAt(value: unknown, ...path: Path): string {
  const found = valueAt(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** Returns an ID as a string. Providers send IDs as strings or numbers. */
export function idAt(value: unknown, ...path: Path): string {
  const found = valueAt(value, ...path);
  if (typeof found === 'number' && Number.isSafeInteger(found)) return String(found);
  return typeof found === 'string' ? found : '';
}

export function flagAt(value: unknown, ...path: Path): boolean {
  return valueAt(value, ...path) === true;
}

export function numberAt(value: unknown, ...path: Path): number {
  const found = valueAt(value, ...path);
  return typeof found === 'number' ? found : 0;
}

export function listAt(value: unknown, ...path: Path): readonly unknown[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}

export function objectAt(value: unknown, ...path: Path): JsonObject {
  const found = valueAt(value, ...path);
  return isJsonObject(found) ? found : {};
}
