/**
 * Reads user profiles from ID tokens. The rules depend on the token's issuer, as in GoTrue 2.196. The caller must
 * already have verified the token's signature, issuer and audience.
 */

import type { Json, JsonObject } from '../../common/json.ts';
import { claimsOf, type ExternalClaims, type ExternalProfile, soleEmail } from '../profile.ts';
import { snapchatIssuer } from './social.ts';
import { flagAt, idAt, objectAt, textAt, valueAt } from './spec.ts';
import { issuers } from './work.ts';

export type IdTokenClaims = Readonly<Record<string, unknown>>;

const azureIssuer = /^https:\/\/login\.microsoftonline\.com\/[^/]+\/v2\.0\/?$/;
/** The issuer format of Microsoft Entra External ID. */
const azureCiamIssuer = /^https:\/\/[a-z0-9-]+\.ciamlogin\.com\/[^/]+\/v2\.0\/?$/;

export const isAzureIssuer = (issuer: string): boolean => azureIssuer.test(issuer);
export const isAzureCiamIssuer = (issuer: string): boolean => azureCiamIssuer.test(issuer);

const appleIssuers = new Set<string>([issuers.apple, 'https://account.apple.com']);
export const isAppleIssuer = (issuer: string): boolean => appleIssuers.has(issuer);

/** The URLs of Microsoft's multi-tenant endpoints. They never appear as the issuer of a token. */
const azureShared = new Set([
  'https://login.microsoftonline.com/common/v2.0',
  'https://login.microsoftonline.com/organizations/v2.0',
]);

/**
 * Returns the issuer of the single tenant whose tokens are accepted. Returns undefined if the configured URL doesn't
 * specify a tenant.
 */
export function expectedAzureIssuer(url: string): string | undefined {
  const issuer = `${url.replace(/\/$/, '')}/v2.0`;
  const isTenant = isAzureIssuer(issuer) || isAzureCiamIssuer(issuer);
  return isTenant && !azureShared.has(issuer) ? issuer : undefined;
}

const readers = new Map<string, (claims: IdTokenClaims) => ExternalProfile>([
  [issuers.google, google],
  [issuers.linkedin, linkedin],
  [issuers.kakao, kakao],
  [issuers.vercelMarketplace, vercelMarketplace],
  [issuers.facebook, facebook],
  [snapchatIssuer, snapchat],
]);

export function profileFromIdToken(claims: IdTokenClaims): ExternalProfile {
  const issuer = textAt(claims, 'iss');
  const read = readers.get(issuer);
  if (read) return read(claims);
  if (isAzureIssuer(issuer)) return azure(claims);
  if (isAppleIssuer(issuer)) return apple(claims);
  return generic(claims);
}

function google(claims: IdTokenClaims): ExternalProfile {
  const sub = textAt(claims, 'sub');
  const name = textAt(claims, 'name');
  const picture = textAt(claims, 'picture');
  const domain = textAt(claims, 'hd');
  const isVerified = flagAt(claims, 'email_verified') || flagAt(claims, 'verified_email');
  return {
    emails: soleEmail(textAt(claims, 'email'), isVerified),
    claims: claimsOf({
      iss: textAt(claims, 'iss'),
      sub,
      name,
      picture,
      avatar_url: picture,
      full_name: name,
      provider_id: sub,
      ...(domain === '' ? {} : { custom_claims: { hd: domain } }),
    }),
  };
}

/** Reads a token from Facebook's Limited Login. These tokens contain only confirmed addresses. */
function facebook(claims: IdTokenClaims): ExternalProfile {
  const sub = textAt(claims, 'sub');
  return {
    emails: soleEmail(textAt(claims, 'email'), true),
    claims: claimsOf({
      iss: textAt(claims, 'iss'),
      sub,
      name: textAt(claims, 'name'),
      picture: textAt(claims, 'picture'),
      provider_id: sub,
    }),
  };
}

function apple(claims: IdTokenClaims): ExternalProfile {
  const sub = textAt(claims, 'sub');
  const isPrivate = valueAt(claims, 'is_private_email');
  const authTime = valueAt(claims, 'auth_time');
  const transferSub = textAt(claims, 'transfer_sub');
  const custom: JsonObject = {
    // Apple sends either a boolean or the string "true".
    ...(isPrivate === undefined ? {} : { is_private_email: isPrivate === true || isPrivate === 'true' }),
    ...(typeof authTime === 'number' ? { auth_time: authTime } : {}),
    ...(transferSub === '' ? {} : { transfer_sub: transferSub }),
  };
  return {
    // Users with a managed account can sign in, even though the account has no email address.
    emails: [{ email: textAt(claims, 'email'), verified: true, primary: true }],
    claims: claimsOf({
      iss: textAt(claims, 'iss'),
      sub,
      provider_id: sub,
      ...(Object.keys(custom).length === 0 ? {} : { custom_claims: custom }),
    }),
  };
}

function linkedin(claims: IdTokenClaims): ExternalProfile {
  const sub = textAt(claims, 'sub');
  const given = textAt(claims, 'given_name');
  const family = textAt(claims, 'family_name');
  const isVerified = flagAt(claims, 'email_verified') || textAt(claims, 'email_verified') === 'true';
  return {
    emails: soleEmail(textAt(claims, 'email'), isVerified),
    claims: claimsOf({
      iss: textAt(claims, 'iss'),
      sub,
      name: `${given} ${family}`.trim(),
      given_name: given,
      family_name: family,
      locale: textAt(claims, 'locale'),
      picture: textAt(claims, 'picture'),
      provider_id: sub,
    }),
  };
}

/** Claims that aren't copied to the profile, because they don't describe the user or are stored separately. */
const azureProtocolClaims = new Set(
  'aud iss iat nbf exp c_hash at_hash aio nonce rh uti jti ver sub name preferred_username'.split(' '),
);

function azure(claims: IdTokenClaims): ExternalProfile {
  const sub = textAt(claims, 'sub');
  const custom = Object.entries(claims).filter(([name]) => !azureProtocolClaims.has(name));
  return {
    emails: soleEmail(textAt(claims, 'email'), isAzureEmailVerified(claims)),
    claims: claimsOf({
      iss: textAt(claims, 'iss'),
      sub,
      provider_id: sub,
      preferred_username: textAt(claims, 'preferred_username'),
      full_name: textAt(claims, 'name'),
      custom_claims: Object.fromEntries(custom) as JsonObject,
    }),
  };
}

/**
 * Whether the email address is verified. The claim `xms_edov` is true, "true" or "1" if the tenant owns the domain of
 * the address. An address without this claim counts as verified, because Microsoft sends unverified addresses without
 * the claim only to single-tenant apps (Microsoft, "Migrate away from using email claims").
 */
function isAzureEmailVerified(claims: IdTokenClaims): boolean {
  const edov = valueAt(claims, 'xms_edov') ?? undefined;
  return edov === undefined || edov === true || edov === '1' || edov === 'true';
}

function kakao(claims: IdTokenClaims): ExternalProfile {
  const sub = textAt(claims, 'sub');
  const name = textAt(claims, 'nickname');
  return {
    emails: soleEmail(textAt(claims, 'email'), true),
    claims: claimsOf({
      iss: textAt(claims, 'iss'),
      sub,
      name,
      preferred_username: name,
      provider_id: sub,
      picture: textAt(claims, 'picture'),
    }),
  };
}

function vercelMarketplace(claims: IdTokenClaims): ExternalProfile {
  const globalId = textAt(claims, 'global_user_id');
  const sub = globalId === '' ? textAt(claims, 'sub') : `global_user_id:${globalId}`;
  return {
    emails: [{ email: textAt(claims, 'user_email'), verified: true, primary: true }],
    claims: claimsOf({
      iss: textAt(claims, 'iss'),
      sub,
      provider_id: sub,
      name: textAt(claims, 'user_name'),
      picture: textAt(claims, 'user_avatar_url'),
    }),
  };
}

function snapchat(claims: IdTokenClaims): ExternalProfile {
  const standard = standardClaims(claims);
  return { emails: soleEmail(textAt(claims, 'email'), true), claims: standard };
}

function generic(claims: IdTokenClaims): ExternalProfile {
  return profileFromClaims(standardClaims(claims));
}

/** Returns the profile, including the email address and whether the issuer has verified the address. */
export function profileFromClaims(claims: ExternalClaims): ExternalProfile {
  return { emails: soleEmail(textAt(claims, 'email'), claims.email_verified === true), claims };
}

const textClaims =
  'iss name family_name given_name middle_name nickname preferred_username profile picture website gender birthdate ' +
  'zoneinfo locale email phone full_name avatar_url slug provider_id user_name';

/**
 * Returns the claims defined in OpenID Connect Core section 5.1, and the older claims that upstream stores. Drops all
 * other claims.
 */
export function standardClaims(claims: IdTokenClaims): ExternalClaims {
  const aud = valueAt(claims, 'aud');
  const custom = objectAt(claims, 'custom_claims');
  const members: JsonObject & { sub: string } = { sub: idAt(claims, 'sub') };
  for (const name of textClaims.split(' ')) members[name] = textAt(claims, name);
  members.aud = typeof aud === 'string' ? [aud] : Array.isArray(aud) ? (aud.filter(isText) as Json[]) : [];
  for (const name of ['iat', 'exp']) members[name] = numberOrZero(valueAt(claims, name));
  members.updated_at = asTime(valueAt(claims, 'updated_at'));
  for (const name of ['email_verified', 'phone_verified']) members[name] = flagAt(claims, name);
  if (Object.keys(custom).length > 0) members.custom_claims = custom;
  return claimsOf(members);
}

const isText = (value: unknown): boolean => typeof value === 'string';
const numberOrZero = (value: unknown): number => (typeof value === 'number' ? value : 0);

/**
 * Converts seconds since the epoch to an RFC 3339 time, which is the format of times in identities. Also accepts RFC
 * 3339 times.
 */
function asTime(value: unknown): string {
  const ms =
    typeof value === 'number' ? Math.trunc(value) * 1000 : Date.parse(isText(value) ? String(value) : '');
  return Number.isFinite(ms) && Math.abs(ms) < 8.64e15
    ? new Date(ms).toISOString().replace('.000Z', 'Z')
    : '';
}
