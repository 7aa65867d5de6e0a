/** Parses a JWT secret in the forms that PostgREST 16 accepts: text, a JSON Web Key or a key set (RFC 7517). */
import { algorithmsOf, type Jwk, type LoadedKey, loadJwk } from './jwk.ts';
import type { VerifierKeys } from './verifier.ts';

export type KeySet = VerifierKeys;

/** Thrown if a secret can't verify any token. The error's message never contains key material. */
export class KeySetError extends Error {
  override name = 'KeySetError';
}

const minSecretBytes = 32;

/**
 * Parses a secret and returns its keys. Plain text is an HS256 secret of at least 32 bytes. A key without `alg`
 * verifies signatures for all algorithms that support its key type and for which it is strong enough.
 * @throws {KeySetError}
 */
export function readKeySet(secret: Uint8Array): KeySet {
  const jwks = jwksOf(new TextDecoder().decode(secret));
  if (jwks === undefined) {
    if (secret.length < minSecretBytes) {
      throw new KeySetError(
        `it has ${secret.length} bytes, but a secret must have at least ${minSecretBytes}`,
      );
    }
    const verifyKey = { kind: 'secret', secret: Buffer.from(secret) } as const;
    const key = { kid: undefined, alg: 'HS256', verifyKey, signKey: undefined, publicJwk: undefined };
    return { secret: undefined, keys: [key] };
  }
  return { secret: undefined, keys: jwks.filter(mayVerify).flatMap(loadForEach) };
}

/** Parses a JWK or a key set. Returns undefined if the text is neither a JWK nor a key set. */
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

/** Whether a key may verify tokens. A key with `use: enc` is only for encryption (RFC 7517 section 4.2). */
const mayVerify = (jwk: Jwk): boolean => jwk.use !== 'enc';

function loadForEach(jwk: Jwk): LoadedKey[] {
  const algorithms = typeof jwk.alg === 'string' ? [jwk.alg] : algorithmsOf(jwk.kty, jwk.crv);
  if (algorithms.length === 0) throw new KeySetError(`keys of type ${String(jwk.kty)} aren't supported`);
  const loaded: LoadedKey[] = [];
  let fault: unknown;
  for (const alg of algorithms) {
    try {
      loaded.push(loadJwk({ ...jwk, alg }));
    } catch (error) {
      // Doesn't throw yet, because a secret that is too short for one algorithm may be long enough for another.
      fault ??= error;
    }
  }
  if (loaded.length === 0) throw new KeySetError((fault as Error).message, { cause: fault });
  return loaded;
}
