import type { ExternalProfile } from './profile.ts';

/** The user authenticated by an identity provider, and the tokens for the provider's API. */
export interface ProviderResponse {
  readonly profile: ExternalProfile;
  readonly accessToken: string;
  readonly refreshToken: string;
}
