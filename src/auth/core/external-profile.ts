/**
 * A user's profile from a provider: email addresses, and claims under their OpenID Connect names. The claims become the
 * identity's data and the user's metadata, so their names match GoTrue 2.196.
 */
import type { Json, JsonObject } from './json.ts';

export interface ProviderEmail {
  readonly email: string;
  /** Whether the provider has verified the address. */
  readonly verified: boolean;
  readonly primary: boolean;
}

export type ExternalClaims = JsonObject & { readonly sub: string };

export interface ExternalProfile {
  readonly emails: readonly ProviderEmail[];
  readonly claims: ExternalClaims;
}

/** Omits empty members: `''`, 0, false, an empty list, null. */
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

/** Returns the address as the only, primary one. Returns an empty list for `''`. */
export function soleEmail(email: string, verified: boolean): ProviderEmail[] {
  return email === '' ? [] : [{ email, verified, primary: true }];
}

/**
 * Returns the claims to store with the identity. They include the primary address or, if none is primary, the last one.
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
