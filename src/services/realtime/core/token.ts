/**
 * Checks the claims of a verified token, and determines the client that a token identifies. `role` and `exp` are
 * required, and `exp` must be in the future. The error messages are the same as upstream's error messages. Upstream
 * doesn't check `nbf`.
 */

import { timingSafeEqual } from 'node:crypto';
import { networkOf } from '../../../base/shared/network/network-of.ts';
import type { RequestClient } from '../../../platform/database/types.ts';
import type { Claims, Keys, VerifiedToken } from '../../../platform/keys/types.ts';

export interface Caller {
  readonly role: string;
  readonly sub: string | undefined;
  /** Seconds since the epoch. The number can have a fraction. */
  readonly expiresAt: number;
  readonly claims: Readonly<Claims>;
  readonly claimsJson: string;
}

export type TokenFault =
  | { readonly kind: 'expired'; readonly secondsAgo: number }
  | { readonly kind: 'early' }
  | { readonly kind: 'missing-claims' }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'signature' }
  | { readonly kind: 'signer'; readonly kid: string | undefined };

type CheckedToken =
  | { readonly ok: true; readonly caller: Caller }
  | { readonly ok: false; readonly fault: TokenFault };

/**
 * Roles that a caller's token must not contain. The first of these roles is the service's own role, which owns
 * realtime.messages and bypasses its policies. The second is PostgreSQL's keyword for returning to the service's own
 * role (`SET ROLE none`).
 */
const forbiddenRoles: ReadonlySet<string> = new Set(['supabase_realtime_admin', 'none']);

/** The tolerated clock skew for `nbf`, in seconds. It is the same as in the REST service. */
const notBeforeSkew = 30;

/** Whether the token has the secret key's role and is therefore treated as a secret key. */
export const isSecret = ({ role }: Caller): boolean => role === 'service_role';

/** Decodes percent-encoding and removes whitespace within a token, before verification. */
export function cleanToken(token: string): string {
  let decoded = token;
  try {
    decoded = decodeURIComponent(token);
  } catch {
    // The token's percent-encoding isn't valid, so the token isn't decoded.
  }
  return decoded.replace(/\s/g, '');
}

export function checkToken(token: VerifiedToken, nowMs: number): CheckedToken {
  const refuse = (fault: TokenFault): CheckedToken => ({ ok: false, fault });
  if (!token.ok) {
    switch (token.reason) {
      case 'malformed':
        return refuse({ kind: 'malformed' });
      case 'signature':
        return refuse({ kind: 'signature' });
      case 'no-key':
        return refuse({ kind: 'signer', kid: token.kid });
      case 'algorithm':
        return refuse({ kind: 'signer', kid: undefined });
      case 'kind':
        return refuse({ kind: 'missing-claims' });
    }
  }
  return checkClaims(token.claims, token.claimsJson, nowMs);
}

/** Checks the claims of a token with a valid signature. */
export function checkClaims(claims: Readonly<Claims>, claimsJson: string, nowMs: number): CheckedToken {
  const refuse = (fault: TokenFault): CheckedToken => ({ ok: false, fault });
  const { exp, nbf, role } = claims;
  if (exp === undefined || role === undefined) return refuse({ kind: 'missing-claims' });
  if (typeof exp !== 'number' || typeof role !== 'string') return refuse({ kind: 'signature' });
  if (forbiddenRoles.has(role)) return refuse({ kind: 'signature' });
  if (claims.iat !== undefined && typeof claims.iat !== 'number') return refuse({ kind: 'signature' });
  const now = nowMs / 1000;
  if (exp <= now) return refuse({ kind: 'expired', secondsAgo: Math.floor(now - exp) });
  if (nbf !== undefined && nbf !== null) {
    if (typeof nbf !== 'number') return refuse({ kind: 'signature' });
    if (now + notBeforeSkew < nbf) return refuse({ kind: 'early' });
  }
  const sub = typeof claims.sub === 'string' ? claims.sub : undefined;
  return {
    ok: true,
    caller: { role, sub, expiresAt: exp, claims, claimsJson },
  };
}

const early = 'Token is not valid yet';
const missingClaims = 'Fields `role` and `exp` are required in JWT';
const malformed = 'The token provided is not a valid JWT';
const badSignature = 'Failed to validate JWT signature';

function signerText(kid: string | undefined): string {
  const key = kid === undefined ? '' : ` for key ID (kid) ${JSON.stringify(kid)}`;
  return `Failed to generate JWT signer${key}, check your JWT secret or JWKS configuration`;
}

/** Formats the error for a rejected handshake. */
export function handshakeText(fault: TokenFault): string {
  switch (fault.kind) {
    case 'expired':
      return 'Token has expired';
    case 'signer':
      return fault.kid === undefined
        ? signerText(undefined)
        : `Failed to generate JWT signer for key ID (kid) ${fault.kid}, check your JWT secret or JWKS configuration`;
    default:
      return systemText(fault);
  }
}

/**
 * Formats the error for a system message. The text mentions the token because a system message provides no other
 * context.
 */
export function systemText(fault: TokenFault): string {
  switch (fault.kind) {
    case 'expired':
      return `Token has expired ${fault.secondsAgo} seconds ago`;
    case 'early':
      return early;
    case 'missing-claims':
      return missingClaims;
    case 'malformed':
      return malformed;
    case 'signature':
      return badSignature;
    case 'signer':
      return signerText(fault.kid);
  }
}

/** Formats the error, including its code, for the reply to a join. */
export function joinReason(fault: TokenFault): string {
  const code = {
    expired: 'InvalidJWTToken',
    early: 'InvalidJWTToken',
    'missing-claims': 'InvalidJWTToken',
    malformed: 'MalformedJWT',
    signature: 'JwtSignatureError',
    signer: 'JwtSignerError',
  }[fault.kind];
  return `${code}: ${systemText(fault)}`;
}

/**
 * Returns the client to which a join or message is attributed when clients take turns using database connections.
 * Identifies the client by the user's ID or, if the caller isn't signed in, by the network of the IP address. Anonymous
 * users are grouped by network, because anyone can create many anonymous users.
 */
export function clientOf(
  { role, sub, claims }: Pick<Caller, 'role' | 'sub' | 'claims'>,
  address: string,
): RequestClient {
  const isAnonymousUser = claims.is_anonymous === true;
  const user = isAnonymousUser ? undefined : sub;
  return { key: user ?? networkOf(address), isAnonymous: isAnonymousUser || role === 'anon' };
}

/** Returns the JWT for the role that an `sb_` key has. */
export function tokenOfKey(keys: Keys, key: string): string {
  if (equals(key, keys.publishableKey)) return keys.anonKey;
  if (equals(key, keys.secretKey)) return keys.serviceRoleKey;
  const kind = keys.kindOfApiKey(key);
  if (kind !== undefined) return kind === 'secret' ? keys.serviceRoleKey : keys.anonKey;
  return key;
}

function equals(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
