/**
 * The shared token verifier, which checks structure, algorithm, key and signature (RFC 7515 section 5.2). Each service
 * must check the claims (expiry, audience, role and so on) on each call.
 */
import type { Key } from './algorithms.ts';
import type { LoadedKey } from './jwk.ts';
import { isSignedBy, type ParsedToken, parseToken } from './token.ts';
import type { TokenFault, VerifiedToken } from './types.ts';

type Accepted = Extract<VerifiedToken, { ok: true }>;

/**
 * The maximum number of cached tokens. Together with the maximum length of a cached token, this number limits memory
 * use.
 */
const cacheEntries = 2000;
const cachedTokenChars = 4096;

export interface VerifierKeys {
  /** The key that verifies an HMAC signature if no other key matches, even if the token has a different `kid`. */
  readonly secret: Buffer | undefined;
  readonly keys: readonly LoadedKey[];
  /** Returns those keys of an external issuer with which this token may have been signed. */
  readonly outside?: (token: ParsedToken) => readonly Key[];
}

export interface VerifierCache {
  /** The maximum number of cached tokens. 0 disables the cache. */
  readonly entries?: number | undefined;
  /** Called for each cache lookup. */
  readonly onLookup?: ((hit: boolean) => void) | undefined;
  readonly onEviction?: (() => void) | undefined;
}

export function createVerifier(
  current: () => VerifierKeys,
  { entries = cacheEntries, onLookup, onEviction }: VerifierCache = {},
): {
  verify(token: string): VerifiedToken;
  forget(): void;
} {
  const cache = new Map<string, Accepted>();

  function remember(token: string, accepted: Accepted): void {
    if (token.length > cachedTokenChars || entries === 0) return;
    if (cache.size >= entries) {
      // A Map iterates in insertion order, so the first key is the oldest.
      const oldest = cache.keys().next().value;
      if (oldest !== undefined && cache.delete(oldest)) onEviction?.();
    }
    cache.set(token, accepted);
  }

  return {
    verify(token) {
      const known = cache.get(token);
      if (entries > 0) onLookup?.(known !== undefined);
      if (known !== undefined) return known;
      const { result, isOwn } = check(token, current());
      // Tokens from an external issuer aren't cached, because the issuer can revoke a key.
      if (result.ok && isOwn) remember(token, result);
      return result;
    },
    forget: () => cache.clear(),
  };
}

function check(text: string, keys: VerifierKeys): { result: VerifiedToken; isOwn: boolean } {
  const token = parseToken(text);
  if ('reason' in token) return refused(token);
  const { alg, kid } = token;
  const candidates = candidateKeys(alg, token.algorithm.kty, kid, keys);
  const isOwn = isSignedBy(token, candidates);
  if (isOwn) return { result: accepted(token, true), isOwn };
  // Excludes symmetric keys, because an external issuer's keys are public.
  const outside = token.algorithm.kty === 'oct' ? [] : (keys.outside?.(token) ?? []);
  if (isSignedBy(token, outside)) return { result: accepted(token, false), isOwn };
  const reason = candidates.length + outside.length === 0 ? 'no-key' : 'signature';
  return refused({ reason, algorithm: alg, kid });
}

const refused = (fault: TokenFault) => ({ result: { ok: false as const, ...fault }, isOwn: false });

function accepted({ header, claims, claimsJson, alg, kid }: ParsedToken, isOwn: boolean): Accepted {
  const typ = typeof header.typ === 'string' ? header.typ : undefined;
  return {
    ok: true,
    claims: Object.freeze(claims),
    header: Object.freeze({
      alg,
      ...(kid === undefined ? {} : { kid }),
      ...(typ === undefined ? {} : { typ }),
    }),
    claimsJson,
    isOwn,
  };
}

/**
 * Returns the keys that may verify a token with this algorithm. If the token has a `kid`, returns only the key with
 * this `kid`. For HMAC, returns the key for the project's JWT secret if no other key matches.
 */
function candidateKeys(
  alg: string,
  kty: string,
  kid: string | undefined,
  { secret, keys }: VerifierKeys,
): Key[] {
  const usable = keys
    .filter((key) => key.alg === alg && (kid === undefined || key.kid === kid))
    .map((key) => key.verifyKey);
  if (kty === 'oct' && usable.length === 0 && secret !== undefined) return [{ kind: 'secret', secret }];
  return usable;
}
