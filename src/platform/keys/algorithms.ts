/**
 * Implements JSON Web Algorithms (RFC 7518 section 3.1, RFC 8037) using node:crypto. Each algorithm is bound to a key
 * type, so a public key can never be used as an HMAC secret (algorithm confusion).
 */
import { constants, createHmac, type KeyObject, sign, timingSafeEqual, verify } from 'node:crypto';

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
