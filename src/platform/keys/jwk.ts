/** Loads JSON Web Keys (RFC 7517) for the key store. */
import { createPrivateKey, createPublicKey, type KeyObject, type webcrypto } from 'node:crypto';
import { findAlgorithm, type Key } from './algorithms.ts';

export type Jwk = Readonly<Record<string, unknown>>;

/** A loaded key. `sign` is set if the key's private part is present and `key_ops` allows signing. */
export interface LoadedKey {
  readonly kid: string | undefined;
  readonly alg: string;
  readonly verifyKey: Key;
  readonly signKey: Key | undefined;
  /** The key without its private members. Undefined for `oct` keys, which have no public form. */
  readonly publicJwk: Jwk | undefined;
}

/** The members that make a JWK private (RFC 7518 sections 6.2.2, 6.3.2, 6.4.1; RFC 8037 section 2). */
const privateMembers = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']);

const defaultAlgorithm = (jwk: Jwk): string | undefined => {
  if (typeof jwk.alg === 'string') return jwk.alg === 'Ed25519' ? 'EdDSA' : jwk.alg;
  if (jwk.kty === 'oct') return 'HS256';
  if (jwk.kty === 'RSA') return 'RS256';
  if (jwk.kty === 'OKP') return 'EdDSA';
  return { 'P-256': 'ES256', 'P-384': 'ES384', 'P-521': 'ES512' }[String(jwk.crv)];
};

export function withoutPrivateParts(jwk: Jwk): Jwk {
  return Object.fromEntries(Object.entries(jwk).filter(([name]) => !privateMembers.has(name)));
}

/** The minimum size of an RSA key (RFC 7518 section 3.3). */
const minRsaBits = 2048;

/**
 * Loads a JWK.
 * @throws {Error} if the key is unusable. The message describes the problem and never contains key material.
 */
export function loadJwk(jwk: Jwk): LoadedKey {
  const alg = defaultAlgorithm(jwk);
  const algorithm = alg === undefined ? undefined : findAlgorithm(alg);
  const kid = typeof jwk.kid === 'string' && jwk.kid !== '' ? jwk.kid : undefined;
  const label = kid === undefined ? 'a key without kid' : `key ${kid}`;
  if (alg === undefined || algorithm === undefined)
    throw new Error(`${label}: unknown algorithm ${String(jwk.alg)}`);
  if (algorithm.kty !== jwk.kty)
    throw new Error(`${label}: ${alg} needs kty ${algorithm.kty}, not ${String(jwk.kty)}`);
  if (algorithm.crv !== undefined && algorithm.crv !== jwk.crv)
    throw new Error(`${label}: ${alg} needs crv ${algorithm.crv}`);
  const operations = Array.isArray(jwk.key_ops) ? jwk.key_ops : undefined;
  const maySign = operations === undefined || operations.includes('sign');
  if (jwk.kty === 'oct') {
    if (typeof jwk.k !== 'string' || jwk.k === '') throw new Error(`${label}: member k is missing`);
    const key: Key = { kind: 'secret', secret: Buffer.from(jwk.k, 'base64url') };
    // The minimum length of a symmetric key, according to RFC 7518 section 3.2. An attacker could guess a shorter
    // secret from a single token.
    const least = Number(alg.slice(2)) / 8;
    if (key.secret.length < least)
      throw new Error(`${label}: ${alg} requires a secret of at least ${least} bytes`);
    return { kid, alg, verifyKey: key, signKey: maySign ? key : undefined, publicJwk: undefined };
  }
  const publicJwk: Jwk = { ...withoutPrivateParts(jwk), key_ops: ['verify'] };
  let verifyKey: KeyObject;
  let signKey: KeyObject | undefined;
  try {
    verifyKey = createPublicKey({ key: publicJwk as webcrypto.JsonWebKey, format: 'jwk' });
    if (typeof jwk.d === 'string' && maySign) {
      signKey = createPrivateKey({ key: jwk as webcrypto.JsonWebKey, format: 'jwk' });
    }
  } catch {
    throw new Error(`${label}: not a usable ${String(jwk.kty)} key`);
  }
  const bits = verifyKey.asymmetricKeyDetails?.modulusLength ?? minRsaBits;
  if (bits < minRsaBits)
    throw new Error(`${label}: ${alg} requires at least ${minRsaBits} bits, not ${bits}`);
  const pair = (key: KeyObject): Key => ({ kind: 'pair', key });
  return { kid, alg, verifyKey: pair(verifyKey), signKey: signKey && pair(signKey), publicJwk };
}
