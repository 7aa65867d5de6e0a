/**
 * The specification of a provider: where browsers are sent, where codes are exchanged, and how responses become
 * profiles. Endpoints, default scopes and mappings match GoTrue 2.196.
 */
import type { ExternalProfile } from '../external-profile.ts';
import type { JsonObject } from '../json.ts';

/** An address below a base. A configured `url` replaces the base. */
export interface Endpoint {
  readonly base: string;
  readonly path: string;
  /** The path below a configured `url`, if it differs. */
  readonly ownPath?: string;
}

export function at(base: string, path = '', ownPath?: string): Endpoint {
  return { base: `https://${base}`, path, ...(ownPath === undefined ? {} : { ownPath }) };
}

/** @example endpointUrl(at('github.com', '/login'), 'https://git.example.com/') // 'https://git.example.com/login' */
export function endpointUrl({ base, path, ownPath }: Endpoint, configured: string): string {
  return configured === '' ? base + path : configured.replace(/\/$/, '') + (ownPath ?? path);
}

/** The response of the token endpoint (RFC 6749 section 5.1). */
export interface TokenResponse {
  readonly accessToken: string;
  readonly tokenType: string;
  readonly refreshToken: string;
  readonly idToken: string | undefined;
  /** All members, for providers that send more. */
  readonly members: JsonObject;
}

export interface ProfileContext {
  /** The issuer as stored with identities. */
  readonly issuer: string;
  readonly token: TokenResponse;
}

/** API resources to read with the access token, by name. */
export interface ApiSource {
  readonly from: 'api';
  readonly issuer: Endpoint;
  readonly resources: Readonly<Record<string, Endpoint>>;
  readonly headers?: (clientId: string) => Readonly<Record<string, string>>;
  readonly query?: (request: {
    readonly accessToken: string;
    readonly secret: string;
  }) => Readonly<Record<string, string>>;
  readonly read: (answers: Readonly<Record<string, unknown>>, context: ProfileContext) => ExternalProfile;
}

/** The ID token in the token response. */
export interface IdTokenSource {
  readonly from: 'id-token';
  /**
   * Undefined for Microsoft, because the token specifies the issuer and the configuration decides whether it is
   * accepted.
   */
  readonly issuer: string | undefined;
  /** The behavior without an ID token: fail, accept a user without an address and a name, or read the API. */
  readonly otherwise: 'fail' | 'empty-profile' | ApiSource;
}

/** The token response itself. */
export interface TokenSource {
  readonly from: 'token';
  readonly issuer: Endpoint;
  readonly read: (context: ProfileContext) => ExternalProfile;
}

export type ProfileSource = ApiSource | IdTokenSource | TokenSource;

export interface ProviderSpec {
  readonly authorize: Endpoint;
  readonly token: Endpoint;
  /** The default scopes. The request's scopes are added unless `fixedScopes` is set. */
  readonly scopes: readonly string[];
  readonly fixedScopes?: boolean;
  /** The client authentication at the token endpoint to try first. Defaults to HTTP Basic. */
  readonly clientAuth?: 'post';
  /** Whether to use PKCE with the provider (RFC 7636). */
  readonly pkce?: boolean;
  /** Parameters of every authorization request. */
  readonly authorizeParams?: Readonly<Record<string, string>>;
  /** Whether the app's parameters are ignored. */
  readonly fixedParams?: boolean;
  /** Whether `url` must be configured, because there is no default. */
  readonly needsUrl?: boolean;
  readonly profile: ProfileSource;
}
