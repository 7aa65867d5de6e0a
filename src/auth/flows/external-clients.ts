/** A configured provider: the address that browsers are sent to, our client credentials, and how to read profiles. */
import type { Reach } from '../../shared/outgoing.ts';
import type { ExternalProfile } from '../core/external-profile.ts';
import type { ClientAuth } from '../core/oauth-client.ts';
import type { TokenResponse } from '../core/providers/spec.ts';

/** A client of an OAuth 2.0 provider. */
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
  /** The `iss` of the provider's authorization responses (RFC 9207). Undefined if it doesn't send one. */
  readonly answersAs: string | undefined;
  readProfile(token: TokenResponse): Promise<ExternalProfile>;
}

/** A client of an OAuth 1.0a provider. */
export interface OAuth1Client {
  readonly kind: 'oauth1';
  readonly provider: string;
  readonly emailOptional: boolean;
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly redirectUri: string;
  /** The base address. */
  readonly url: string;
}

export type ExternalProvider = OAuth2Client | OAuth1Client;

/** The address that providers redirect browsers to. */
export const callbackUrl = (base: string): string => `${base.replace(/\/+$/, '')}/callback`;
