/** Implements the server side of Proof Key for Code Exchange (RFC 7636). */
import { createHash } from 'node:crypto';
import { authError } from '../errors.ts';
import { sameSecret } from './secrets.ts';

export type CodeChallengeMethod = 's256' | 'plain';

export interface Challenge {
  readonly codeChallenge: string;
  readonly method: CodeChallengeMethod;
}

/**
 * Parses a PKCE challenge. Returns undefined if the request contains no challenge.
 * @throws {AuthError} validation_failed
 */
export function parseChallenge(codeChallenge: string, method: string): Challenge | undefined {
  if ((codeChallenge === '') !== (method === '')) {
    throw authError('validation_failed', 'PKCE flow requires code_challenge_method and code_challenge');
  }
  if (codeChallenge === '') return undefined;
  if (codeChallenge.length < 43 || codeChallenge.length > 128) {
    throw authError('validation_failed', 'code challenge has to be between 43 and 128 characters');
  }
  if (!/^[a-zA-Z._~0-9-]+$/.test(codeChallenge)) {
    throw authError(
      'validation_failed',
      'code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes',
    );
  }
  const lower = method.toLowerCase();
  if (lower !== 's256' && lower !== 'plain') {
    throw authError('validation_failed', `unsupported code_challenge method "${method}"`);
  }
  return { codeChallenge, method: lower };
}

/** Whether the verifier matches the challenge (RFC 7636 section 4.6). */
export function isVerifierOf(challenge: Challenge, verifier: string): boolean {
  const derived =
    challenge.method === 's256' ? createHash('sha256').update(verifier).digest('base64url') : verifier;
  return sameSecret(derived, challenge.codeChallenge);
}

/** Checks the verifier. @throws {AuthError} bad_code_verifier if the verifier doesn't match the challenge */
export function checkVerifier(challenge: Challenge, verifier: string): void {
  if (!isVerifierOf(challenge, verifier)) throw authError('bad_code_verifier');
}

const prefix = 'pkce_';

/**
 * Prefixes the hash if the link belongs to a PKCE flow. A link whose hash has the prefix returns a code to the app
 * instead of a session.
 */
export function withFlowPrefix(hash: string, isPkce: boolean): string {
  return isPkce ? prefix + hash : hash;
}

export function isPkceHash(hash: string): boolean {
  return hash.startsWith(prefix);
}

/** Whether the hash of a typed code equals the stored hash. The stored hash may have the prefix. */
export function hashMatches(actual: string, stored: string): boolean {
  return sameSecret(actual, stored) || sameSecret(prefix + actual, stored);
}
