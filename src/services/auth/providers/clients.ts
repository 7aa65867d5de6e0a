/**
 * Defines the client for a configured provider. The client consists of the URL to which browsers are redirected, the
 * client credentials, and a function that reads profiles.
 */
import type { Reach } from '../../../base/shared/network/outgoing.ts';
import type { TokenResponse } from './catalog/spec.ts';
import type { ClientAuth } from './oauth-client.ts';
import type { ExternalProfile } from './profile.ts';

export interface OAuth2Client {
  readonly kind: 'oauth2';
  readonly provider: string;
  readonly emailOptional: boolean;
  readonly clientId: string;
  readonly secret: string;
  readonly redirectUri: string;
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly scopes: readonly string[];
  readonly params: Readonly<Record<string, string>>;
  readonly passesParams: boolean;
  readonly pkce: boolean;
  readonly clientAuth: ClientAuth;
  readonly reach: Reach;
  /**
   * The value of the `iss` parameter in the provider's authorization responses (RFC 9207). Undefined if the provider
   * doesn't send this parameter.
   */
  readonly advertisedIssuer: string | undefined;
  readProfile(token: TokenResponse): Promise<ExternalProfile>;
}

export interface OAuth1Client {
  readonly kind: 'oauth1';
  readonly provider: string;
  readonly emailOptional: boolean;
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly redirectUri: string;
  /** The provider's base URL. */
  readonly url: string;
}

export type ExternalProvider = OAuth2Client | OAuth1Client;

/** Returns the URL to which providers redirect browsers. */
export const callbackUrl = (base: string): string => `${base.replace(/\/+$/, '')}/callback`;
