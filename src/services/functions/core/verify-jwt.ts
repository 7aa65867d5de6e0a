/**
 * Implements `verify_jwt`, which requires a bearer token with a valid signature that is valid at this time. The role in
 * the token doesn't matter.
 */
import type { VerifiedToken } from '../../../platform/keys/types.ts';
import { errors, type PlatformError } from '../errors.ts';

/** The algorithms that a project can use to sign tokens. Upstream supports all of these algorithms except EdDSA. */
const accepted = new Set(['HS256', 'ES256', 'RS256', 'EdDSA']);

/**
 * Checks the Authorization header. Returns the reason for rejecting the request, or undefined if the request is
 * authorized. `nowMs` is the current time in milliseconds.
 */
export function checkAuthorization(
  authorization: string | undefined,
  verify: (token: string) => VerifiedToken,
  nowMs: number,
): PlatformError | undefined {
  if (authorization === undefined || authorization === '') return errors.missingToken;
  const token = /^bearer\s+(\S+)$/i.exec(authorization)?.[1];
  if (token === undefined) return errors.tokenFormat;
  const result = verify(token);
  if (!result.ok && result.reason === 'malformed') return errors.tokenFormat;
  const algorithm = result.ok ? result.header.alg : result.algorithm;
  if (algorithm === undefined || !accepted.has(algorithm)) {
    return { ...errors.tokenAlgorithm, message: `Unsupported JWT algorithm ${algorithm ?? 'none'}` };
  }
  if (result.ok && !isExpired(result.claims.exp, nowMs) && !isEarly(result.claims.nbf, nowMs))
    return undefined;
  return algorithm === 'HS256' ? errors.secretToken : errors.asymmetricToken;
}

const isExpired = (exp: unknown, nowMs: number): boolean =>
  exp !== undefined && !(typeof exp === 'number' && exp * 1000 > nowMs);

const isEarly = (nbf: unknown, nowMs: number): boolean =>
  nbf !== undefined && !(typeof nbf === 'number' && nbf * 1000 <= nowMs);
