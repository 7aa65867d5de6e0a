import type { ExternalProfile } from '../core/external-profile.ts';

/** The user that an identity provider has authenticated, and the tokens for the provider's API. */
export interface ProviderResponse {
  readonly profile: ExternalProfile;
  readonly accessToken: string;
  readonly refreshToken: string;
}
