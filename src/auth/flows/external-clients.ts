/** A provider ready for use: where the browser goes, who we are there, and how its users are read. */
import type { Reach } from '../../kernel/outgoing.ts';
import type { ExternalProfile } from '../core/external-profile.ts';
import type { ClientAuth } from '../core/oauth-client.ts';
import type { TokenResponse } from '../core/providers/spec.ts';

/** Client of an OAuth 2.0 provider. */
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
  /** The `iss` that its answer to the browser bears (RFC 9207); undefined where it says that it bears none. */
  readonly answersAs: string | undefined;
  readProfile(token: TokenResponse): Promise<ExternalProfile>;
}

/** Client of an OAuth 1.0a provider. */
export interface OAuth1Client {
  readonly kind: 'oauth1';
  readonly provider: string;
  readonly emailOptional: boolean;
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly redirectUri: string;
  /** Base of its addresses. */
  readonly url: string;
}

export type ExternalProvider = OAuth2Client | OAuth1Client;

/** Where providers send browsers back to. */
export const callbackUrl = (base: string): string => `${base.replace(/\/+$/, '')}/callback`;
