/** Parses a JWT secret like PostgREST 16: as text, a JSON Web Key, or a key set (RFC 7517). */
import { algorithmsOf } from './algorithms.ts';
import { type Jwk, type LoadedKey, loadJwk } from './jwk.ts';
import type { VerifierKeys } from './verifier.ts';

export type KeySet = VerifierKeys;

/** The error for a secret that can't verify any token. The message never contains key material. */
export class KeySetError extends Error {
  override name = 'KeySetError';
}

const leastSecretBytes = 32;

/**
 * Parses a secret. Plain text is an HS256 secret of at least 32 bytes. A key without `alg` verifies every algorithm of
 * its type for which it is strong enough.
 * @throws {KeySetError}
 */
export function readKeySet(secret: Uint8Array): KeySet {
  const jwks = jwksOf(new TextDecoder().decode(secret));
  if (jwks === undefined) {
    if (secret.length < leastSecretBytes) {
      throw new KeySetError(`it has ${secret.length} bytes; a secret has at least ${leastSecretBytes}`);
    }
    const verifyKey = { kind: 'secret', secret: Buffer.from(secret) } as const;
    const key = { kid: undefined, alg: 'HS256', verifyKey, signKey: undefined, publicJwk: undefined };
    return { secret: undefined, keys: [key] };
  }
  return { secret: undefined, keys: jwks.filter(mayVerify).flatMap(loadForEach) };
}

/** Returns undefined if the text is neither a JWK nor a key set. */
function jwksOf(text: string): Jwk[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { keys, kty } = value as { keys?: unknown; kty?: unknown };
  if (Array.isArray(keys)) return keys as Jwk[];
  return typeof kty === 'string' ? [value as Jwk] : undefined;
}

/** `use: enc` is for encryption (RFC 7517 section 4.2). */
const mayVerify = (jwk: Jwk): boolean => jwk.use !== 'enc';

function loadForEach(jwk: Jwk): LoadedKey[] {
  const algorithms = typeof jwk.alg === 'string' ? [jwk.alg] : algorithmsOf(jwk.kty, jwk.crv);
  if (algorithms.length === 0)
    throw new KeySetError(`no algorithm is known for a key of type ${String(jwk.kty)}`);
  const loaded: LoadedKey[] = [];
  let fault: unknown;
  for (const alg of algorithms) {
    try {
      loaded.push(loadJwk({ ...jwk, alg }));
    } catch (error) {
      // A secret that is too short for one algorithm may be long enough for another.
      fault ??= error;
    }
  }
  if (loaded.length === 0) throw new KeySetError((fault as Error).message, { cause: fault });
  return loaded;
}
