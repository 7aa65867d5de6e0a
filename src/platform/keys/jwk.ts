/**
 * Parses JSON Web Keys (RFC 7517), generates signing keys, and signs and verifies with the algorithms that they support
 * (RFC 7518).
 */
import {
  constants,
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  randomUUID,
  sign,
  timingSafeEqual,
  verify,
  type webcrypto,
} from 'node:crypto';

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

export type Key =
  | { readonly kind: 'secret'; readonly secret: Buffer }
  | { readonly kind: 'pair'; readonly key: KeyObject };

export interface Algorithm {
  readonly kty: 'oct' | 'RSA' | 'EC' | 'OKP';
  readonly crv?: string;
  sign(key: Key, data: string): Buffer;
  verify(key: Key, data: string, signature: Buffer): boolean;
}

function hmac(hash: string): Algorithm {
  const mac = (key: Key, data: string): Buffer => {
    if (key.kind !== 'secret') throw new TypeError('HMAC needs a secret');
    return createHmac(hash, key.secret).update(data).digest();
  };
  return {
    kty: 'oct',
    sign: mac,
    verify: (key, data, signature) => {
      if (key.kind !== 'secret') return false;
      const expected = mac(key, data);
      return expected.length === signature.length && timingSafeEqual(expected, signature);
    },
  };
}

function asymmetric(
  kty: 'RSA' | 'EC' | 'OKP',
  hash: string | null,
  options: { dsaEncoding?: 'ieee-p1363'; padding?: number; saltLength?: number },
  crv?: string,
): Algorithm {
  return {
    kty,
    crv,
    sign: (key, data) => {
      if (key.kind !== 'pair') throw new TypeError(`${kty} needs a private key`);
      return sign(hash, Buffer.from(data), { key: key.key, ...options });
    },
    verify: (key, data, signature) =>
      key.kind === 'pair' && verify(hash, Buffer.from(data), { key: key.key, ...options }, signature),
  };
}

const p1363 = { dsaEncoding: 'ieee-p1363' } as const;
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };

const table: Readonly<Record<string, Algorithm>> = {
  HS256: hmac('sha256'),
  HS384: hmac('sha384'),
  HS512: hmac('sha512'),
  RS256: asymmetric('RSA', 'sha256', {}),
  RS384: asymmetric('RSA', 'sha384', {}),
  RS512: asymmetric('RSA', 'sha512', {}),
  PS256: asymmetric('RSA', 'sha256', pss),
  PS384: asymmetric('RSA', 'sha384', pss),
  PS512: asymmetric('RSA', 'sha512', pss),
  ES256: asymmetric('EC', 'sha256', p1363, 'P-256'),
  ES384: asymmetric('EC', 'sha384', p1363, 'P-384'),
  ES512: asymmetric('EC', 'sha512', p1363, 'P-521'),
  EdDSA: asymmetric('OKP', null, {}),
};

/** Returns the algorithm with this JWS name. Ignores properties that the table inherits from `Object.prototype`. */
export function findAlgorithm(name: string): Algorithm | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Returns the names of all algorithms that support this key type. */
export function algorithmsOf(kty: unknown, crv: unknown): string[] {
  const fits = ([, algorithm]: [string, Algorithm]) =>
    algorithm.kty === kty && (algorithm.crv === undefined || algorithm.crv === crv);
  return Object.entries(table)
    .filter(fits)
    .map(([name]) => name);
}

export const signingAlgorithms = ['ES256', 'RS256', 'EdDSA', 'HS256'] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

/** The size of RSA keys. RFC 7518 section 3.3 requires at least 2048 bits. */
const rsaBits = 2048;
/** The size of HS256 secrets. They must be at least as long as the SHA-256 hash (RFC 7518 section 3.2). */
const hmacBytes = 32;

/** Returns a private JWK with a random `kid`. The members are in the same order as in the upstream CLI. */
export function generateSigningKey(algorithm: SigningAlgorithm): Jwk {
  const { kty, ...parts } = partsOf(algorithm);
  const head = { kty, kid: randomUUID(), use: 'sig', key_ops: ['sign', 'verify'], alg: algorithm, ext: true };
  return { ...head, ...parts };
}

function partsOf(algorithm: SigningAlgorithm): Jwk {
  switch (algorithm) {
    case 'ES256':
      return exported(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
    case 'RS256':
      return exported(generateKeyPairSync('rsa', { modulusLength: rsaBits }).privateKey);
    case 'EdDSA':
      return exported(generateKeyPairSync('ed25519').privateKey);
    case 'HS256':
      return { kty: 'oct', k: randomBytes(hmacBytes).toString('base64url') };
  }
}

function exported(privateKey: KeyObject): Jwk {
  return { ...privateKey.export({ format: 'jwk' }) };
}
