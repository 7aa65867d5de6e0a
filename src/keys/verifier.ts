/**
 * The one verifier of tokens: structure, algorithm, key and signature (RFC 7515 section 5.2). What the claims say
 * (expiry, audience, role …) is for the service to judge, at every call.
 */
import type { Key } from './algorithms.ts';
import type { LoadedKey } from './jwk.ts';
import { isSignedBy, type ParsedToken, parseToken } from './token.ts';
import type { TokenFault, VerifiedToken } from './types.ts';

type Accepted = Extract<VerifiedToken, { ok: true }>;

/** Tokens remembered at most, and how long one may be to be remembered: together they bound the memory. */
const cacheEntries = 2000;
const cachedTokenChars = 4096;

export interface VerifierKeys {
  readonly secret: Buffer;
  readonly keys: readonly LoadedKey[];
  /** Keys of an outside issuer that may have signed this token. */
  readonly outside?: (token: ParsedToken) => readonly Key[];
}

export function createVerifier(current: () => VerifierKeys): {
  verify(token: string): VerifiedToken;
  forget(): void;
} {
  const cache = new Map<string, Accepted>();

  function remember(token: string, accepted: Accepted): void {
    if (token.length > cachedTokenChars) return;
    if (cache.size >= cacheEntries) {
      // A Map iterates in insertion order, so the first key is the oldest.
      const oldest = cache.keys().next().value;
      if (oldest !== undefined) cache.delete(oldest);
    }
    cache.set(token, accepted);
  }

  return {
    verify(token) {
      const known = cache.get(token);
      if (known !== undefined) return known;
      const { result, isOwn } = check(token, current());
      // An outside issuer may take a key back, so its tokens are judged each time.
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
  if (isOwn) return { result: accepted(token), isOwn };
  // No secrets: what an outside issuer publishes is known to everybody.
  const outside = token.algorithm.kty === 'oct' ? [] : (keys.outside?.(token) ?? []);
  if (isSignedBy(token, outside)) return { result: accepted(token), isOwn };
  const reason = candidates.length + outside.length === 0 ? 'no-key' : 'signature';
  return refused({ reason, algorithm: alg, kid });
}

const refused = (fault: TokenFault) => ({ result: { ok: false as const, ...fault }, isOwn: false });

function accepted({ header, claims, claimsJson, alg, kid }: ParsedToken): Accepted {
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
  };
}

/** Keys of the right type; with a kid only that key, and for HMAC the project's secret when no key has the kid. */
function candidateKeys(
  alg: string,
  kty: string,
  kid: string | undefined,
  { secret, keys }: VerifierKeys,
): Key[] {
  const usable = keys
    .filter((key) => key.alg === alg && (kid === undefined || key.kid === kid))
    .map((key) => key.verifyKey);
  if (kty === 'oct' && usable.length === 0) return [{ kind: 'secret', secret }];
  return usable;
}
