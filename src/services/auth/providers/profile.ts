/**
 * Defines the profile of a user that a provider returns: email addresses, and claims under their OpenID Connect names.
 * The claims become the identity's data and the user's metadata, so the names of the claims match GoTrue 2.196.
 */
import type { Json, JsonObject } from '../common/json.ts';

export interface ProviderEmail {
  readonly email: string;
  /** Whether the provider has verified this address. */
  readonly verified: boolean;
  readonly primary: boolean;
}

export type ExternalClaims = JsonObject & { readonly sub: string };

export interface ExternalProfile {
  readonly emails: readonly ProviderEmail[];
  readonly claims: ExternalClaims;
}

/** The user authenticated by an identity provider, and the tokens for the provider's API. */
export interface ProviderResponse {
  readonly profile: ExternalProfile;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Removes object members that have an empty value: `''`, 0, false, null or an empty list. */
export function claimsOf(members: JsonObject & { readonly sub: string }): ExternalClaims {
  const claims: JsonObject & { sub: string } = { sub: members.sub };
  for (const [name, value] of Object.entries(members)) if (!isEmpty(value)) claims[name] = value;
  return claims;
}

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  (Array.isArray(value) && value.length === 0);

/**
 * Returns a list that contains only this address, as the primary address. Returns an empty list if the address is `''`.
 */
export function soleEmail(email: string, verified: boolean): ProviderEmail[] {
  return email === '' ? [] : [{ email, verified, primary: true }];
}

/**
 * Returns the claims that are stored with the identity. The claims include the primary address or, if no address is
 * primary, the last address.
 */
export function identityDataOf(profile: ExternalProfile): ExternalClaims {
  const { emails, claims } = profile;
  const chosen = emails.find((email) => email.primary) ?? emails.at(-1);
  return {
    ...claims,
    ...(chosen?.email ? { email: chosen.email } : {}),
    email_verified: chosen?.verified ?? false,
    phone_verified: claims.phone_verified === true,
  };
}
