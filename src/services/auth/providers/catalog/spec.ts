/**
 * The types that describe where a provider's sign-in starts, where codes are exchanged, and how responses become
 * profiles. Endpoints, default scopes and mappings match GoTrue 2.196.
 */

import type { JsonObject } from '../../common/json.ts';
import type { ExternalProfile } from '../profile.ts';

/** The base URL and the path of an endpoint. If the setting `url` is configured, it replaces the base URL. */
export interface Endpoint {
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

export interface ProfileContext {
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
export interface TokenSource {
  readonly from: 'token';
  readonly issuer: Endpoint;
  readonly read: (context: ProfileContext) => ExternalProfile;
}

export type ProfileSource = ApiSource | IdTokenSource | TokenSource;

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
