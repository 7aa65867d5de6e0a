/** Generates signing keys. */
import { generateKeyPairSync, type KeyObject, randomBytes, randomUUID } from 'node:crypto';
import type { Jwk } from './jwk.ts';

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
