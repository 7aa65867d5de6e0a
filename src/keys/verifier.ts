/**
 * The one verifier of tokens: structure, algorithm, key and signature (RFC 7515 section 5.2). What the claims say
 * (expiry, audience, role …) is for the service to judge, at every call.
 */
import { findAlgorithm, type Key } from './algorithms.ts';
import type { LoadedKey } from './jwk.ts';
import type { Claims, VerifiedToken } from './types.ts';

type Accepted = Extract<VerifiedToken, { ok: true }>;

/** Tokens remembered at most, and how long one may be to be remembered: together they bound the memory. */
const cacheEntries = 2000;
const cachedTokenChars = 4096;

export interface VerifierKeys {
  readonly secret: Buffer;
  readonly keys: readonly LoadedKey[];
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
      const result = check(token, current());
      if (result.ok) remember(token, result);
      return result;
    },
    forget: () => cache.clear(),
  };
}

function check(token: string, keys: VerifierKeys): VerifiedToken {
  const parts = token.split('.');
  const [head, body, tail] = parts;
  if (parts.length !== 3 || !head || !body || tail === undefined) {
    return { ok: false, reason: 'malformed', parts: parts.length };
  }
  const header = parseObject(head)?.value;
  const payload = parseObject(body);
  if (header === undefined || payload === undefined || !isBase64Url(tail)) {
    return { ok: false, reason: 'malformed', parts: 3 };
  }
  const name = typeof header.alg === 'string' ? header.alg : undefined;
  const alg = name === 'Ed25519' ? 'EdDSA' : name;
  const algorithm = alg === undefined ? undefined : findAlgorithm(alg);
  // `crit` names extensions that must be understood; we know none (RFC 7515 section 4.1.11).
  if (alg === undefined || algorithm === undefined || header.crit !== undefined) {
    return { ok: false, reason: 'algorithm', algorithm: name };
  }
  const kid = typeof header.kid === 'string' && header.kid !== '' ? header.kid : undefined;
  const candidates = candidateKeys(alg, algorithm.kty, kid, keys);
  if (candidates.length === 0) return { ok: false, reason: 'no-key', algorithm: alg, kid };
  const signature = Buffer.from(tail, 'base64url');
  const signed = `${head}.${body}`;
  if (!candidates.some((key) => algorithm.verify(key, signed, signature))) {
    return { ok: false, reason: 'signature', algorithm: alg, kid };
  }
  const typ = typeof header.typ === 'string' ? header.typ : undefined;
  return {
    ok: true,
    claims: Object.freeze(payload.value),
    header: Object.freeze({
      alg,
      ...(kid === undefined ? {} : { kid }),
      ...(typ === undefined ? {} : { typ }),
    }),
    claimsJson: payload.text,
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

const base64Url = /^[A-Za-z0-9_-]+$/;
const isBase64Url = (text: string): boolean => base64Url.test(text);

function parseObject(part: string): { value: Claims; text: string } | undefined {
  if (!isBase64Url(part)) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url'));
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return { value: value as Claims, text };
  } catch {
    return undefined;
  }
}
