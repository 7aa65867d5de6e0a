/**
 * How sign-in with one provider goes: where users are sent, where codes are redeemed, and how what the provider then
 * says becomes a profile. Endpoints, default scopes and mappings are those of GoTrue 2.196.
 */
import type { ExternalProfile } from '../external-profile.ts';
import type { JsonObject } from '../json.ts';

/** An address below a base; `url` of the configuration takes the base's place. */
export interface Endpoint {
  readonly base: string;
  readonly path: string;
  /** The path below a configured `url`, where it is another. */
  readonly ownPath?: string;
}

export function at(base: string, path = '', ownPath?: string): Endpoint {
  return { base: `https://${base}`, path, ...(ownPath === undefined ? {} : { ownPath }) };
}

/** @example endpointUrl(at('github.com', '/login'), 'https://git.example.com/') // 'https://git.example.com/login' */
export function endpointUrl({ base, path, ownPath }: Endpoint, configured: string): string {
  return configured === '' ? base + path : configured.replace(/\/$/, '') + (ownPath ?? path);
}

/** What the token endpoint answered (RFC 6749 section 5.1). */
export interface TokenResponse {
  readonly accessToken: string;
  readonly tokenType: string;
  readonly refreshToken: string;
  readonly idToken: string | undefined;
  /** All of it, for providers that send more. */
  readonly members: JsonObject;
}

export interface ProfileContext {
  /** What identities name as the issuer. */
  readonly issuer: string;
  readonly token: TokenResponse;
}

/** Resources that the access token opens, by name; all are read. */
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

/** The ID token that came with the access token. */
export interface IdTokenSource {
  readonly from: 'id-token';
  /** Undefined: the token says which, and the configuration whether that one counts (Microsoft). */
  readonly issuer: string | undefined;
  /** When none came: the sign-in fails, the user has no address and no name, or the API is asked. */
  readonly otherwise: 'fail' | 'nobody' | ApiSource;
}

/** The answer of the token endpoint itself. */
export interface TokenSource {
  readonly from: 'token';
  readonly issuer: Endpoint;
  readonly read: (context: ProfileContext) => ExternalProfile;
}

export type ProfileSource = ApiSource | IdTokenSource | TokenSource;

export interface ProviderSpec {
  readonly authorize: Endpoint;
  readonly token: Endpoint;
  /** The scopes of a request are added, unless `fixedScopes`. */
  readonly scopes: readonly string[];
  readonly fixedScopes?: boolean;
  /** How the client authenticates at the token endpoint, tried first; HTTP Basic unless said. */
  readonly clientAuth?: 'post';
  /** PKCE towards the provider (RFC 7636). */
  readonly pkce?: boolean;
  /** Parameters of every authorization request. */
  readonly authorizeParams?: Readonly<Record<string, string>>;
  /** Parameters of the app do not pass to the provider. */
  readonly fixedParams?: boolean;
  /** There is no default: `url` has to be configured. */
  readonly needsUrl?: boolean;
  readonly profile: ProfileSource;
}
