/** Builds the claims of an access token, in the same order as upstream. */

import { isRecord } from '../../../base/shared/json.ts';
import { type Json, type JsonObject, sortKeys } from './json.ts';
import type { AmrClaim, User } from './rows.ts';
import { toMs } from './times.ts';

export type Aal = 'aal1' | 'aal2' | 'aal3';

export interface AmrEntry {
  readonly method: string;
  readonly timestamp: number;
  readonly provider?: string;
}

/**
 * The authentication method (amr) of a one-time recovery code that a user enters instead of using a factor. Upstream
 * doesn't have this authentication method.
 */
export const recoveryCodeMethod = 'mfa/recovery_code';

const secondFactors = new Set(['totp', 'mfa/phone', 'mfa/webauthn', recoveryCodeMethod]);

export const isSecondFactor = (method: string): boolean => secondFactors.has(method);

/** The authentication method (amr) of each factor type. */
export const amrMethodOfFactor = { totp: 'totp', phone: 'mfa/phone', webauthn: 'mfa/webauthn' } as const;

/** Returns the assurance level that results from a session's methods, and the methods sorted from newest to oldest. */
export function assurance(claims: readonly AmrClaim[], user: User): { aal: Aal; amr: AmrEntry[] } {
  const identities = user.identities ?? [];
  const ssoProvider =
    identities.length === 1 && identities[0]?.provider.startsWith('sso:')
      ? identities[0].provider.slice('sso:'.length)
      : undefined;
  const amr = claims
    .map(({ authentication_method, updated_at }) => ({
      method: authentication_method,
      timestamp: Math.floor(toMs(updated_at) / 1000),
      ...(authentication_method === 'sso/saml' && ssoProvider !== undefined ? { provider: ssoProvider } : {}),
    }))
    .sort((a, b) => b.timestamp - a.timestamp);
  const hasSecond = claims.some((claim) => isSecondFactor(claim.authentication_method));
  return { aal: hasSecond ? 'aal2' : 'aal1', amr };
}

export interface TokenInput {
  readonly user: User;
  readonly issuer: string;
  readonly sessionId: string;
  readonly aal: Aal;
  readonly amr: readonly AmrEntry[];
  readonly issuedAtSeconds: number;
  readonly lifetimeSeconds: number;
  readonly clientId?: string;
  readonly scope?: string;
}

export function accessTokenClaims(input: TokenInput): JsonObject {
  const { user } = input;
  const amr = input.amr.map((entry) => ({ ...entry })) as Json[];
  return {
    iss: input.issuer,
    sub: user.id,
    aud: user.aud ?? '',
    exp: input.issuedAtSeconds + input.lifetimeSeconds,
    iat: input.issuedAtSeconds,
    email: user.email ?? '',
    phone: user.phone ?? '',
    app_metadata: sortKeys(user.raw_app_meta_data ?? {}),
    user_metadata: sortKeys(user.raw_user_meta_data ?? {}),
    role: user.role ?? '',
    aal: input.aal,
    ...(amr.length > 0 ? { amr } : {}),
    session_id: input.sessionId,
    is_anonymous: user.is_anonymous,
    ...(input.clientId ? { client_id: input.clientId } : {}),
    ...(input.scope ? { scope: input.scope } : {}),
  };
}

const claimTypes: Readonly<Record<string, (value: unknown) => boolean>> = {
  aud: (value) => typeof value === 'string' || Array.isArray(value),
  exp: Number.isInteger,
  iat: Number.isInteger,
  nbf: Number.isInteger,
  jti: isText,
  iss: isText,
  sub: isText,
  email: isText,
  phone: isText,
  app_metadata: isRecord,
  user_metadata: isRecord,
  role: isText,
  aal: isText,
  amr: Array.isArray,
  session_id: isText,
  client_id: isText,
};

const requiredClaims = [
  'aud',
  'exp',
  'iat',
  'sub',
  'email',
  'phone',
  'role',
  'aal',
  'session_id',
  'is_anonymous',
];

/** Returns the problems in the claims that a hook returned. The list is empty if the claims are valid. */
export function claimFaults(claims: JsonObject): string[] {
  const missing = requiredClaims
    .filter((name) => !(name in claims))
    .map((name) => `(root): ${name} is required`);
  const wrong = Object.entries(claimTypes)
    .filter(([name, fits]) => name in claims && !fits(claims[name]))
    .map(([name]) => `${name}: Invalid type`);
  return [...missing, ...wrong];
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
