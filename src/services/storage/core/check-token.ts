/**
 * Checks the bearer tokens of storage requests. The error messages are those of the JWT library that upstream uses
 * (jose). The shared verifier checks the signature. This module checks the time claims on every call.
 */
import type { Claims, VerifiedToken } from '../../../platform/keys/types.ts';

export type TokenCheck = { readonly claims: Readonly<Claims> } | { readonly refusal: string };

export function checkToken(token: VerifiedToken, nowMs: number): TokenCheck {
  if (!token.ok) return { refusal: rejectionOf(token) };
  const nowSeconds = Math.floor(nowMs / 1000);
  const { exp, nbf } = token.claims;
  if (nbf !== undefined) {
    if (typeof nbf !== 'number') return { refusal: '"nbf" claim must be a number' };
    if (nbf > nowSeconds) return { refusal: '"nbf" claim timestamp check failed' };
  }
  if (exp !== undefined) {
    if (typeof exp !== 'number') return { refusal: '"exp" claim must be a number' };
    if (exp <= nowSeconds) return { refusal: '"exp" claim timestamp check failed' };
  }
  return { claims: token.claims };
}

function rejectionOf(token: VerifiedToken & { ok: false }): string {
  switch (token.reason) {
    case 'malformed':
      return token.parts === 3 ? 'JWS Protected Header is invalid' : 'Invalid Compact JWS';
    case 'algorithm':
      return token.algorithm === undefined
        ? 'JWS "alg" (Algorithm) Header Parameter missing or invalid'
        : '"alg" (Algorithm) Header Parameter value not allowed';
    case 'no-key':
    case 'signature':
      return 'signature verification failed';
    case 'kind':
      return 'unexpected "typ" JWT header value';
  }
}
