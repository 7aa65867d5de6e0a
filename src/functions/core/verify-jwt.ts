/** `verify_jwt`: a bearer token with a valid signature that has not expired. The role is not looked at. */
import type { VerifiedToken } from '../../keys/types.ts';
import { errors, type PlatformError } from '../errors.ts';

/** What a project signs with; EdDSA beyond upstream. */
const accepted = new Set(['HS256', 'ES256', 'RS256', 'EdDSA']);

/** Undefined when the request may pass. `nowMs` is the time it is judged at. */
export function judgeAuthorization(
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
  if (result.ok && !isExpired(result.claims.exp, nowMs)) return undefined;
  return algorithm === 'HS256' ? errors.secretToken : errors.asymmetricToken;
}

const isExpired = (exp: unknown, nowMs: number): boolean =>
  exp !== undefined && !(typeof exp === 'number' && exp * 1000 > nowMs);
