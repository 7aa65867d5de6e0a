/**
 * Decrypts secrets in dotenvx's format, `encrypted:BASE64`, which is ECIES over secp256k1 with HKDF-SHA256 and
 * AES-256-GCM. The encrypted bytes are the ephemeral public key (65 bytes), the nonce (16), the tag (16) and the
 * ciphertext.
 */
import { createDecipheriv, createECDH, hkdfSync } from 'node:crypto';

export const encryptedPrefix = 'encrypted:';

/**
 * Returns the private keys from `DOTENV_PRIVATE_KEY` and all `DOTENV_PRIVATE_KEY_*` variables. Each variable contains a
 * comma-separated list.
 */
export function privateKeysFrom(environment: Readonly<Record<string, string>>): string[] {
  return Object.entries(environment)
    .filter(([key]) => key === 'DOTENV_PRIVATE_KEY' || key.startsWith('DOTENV_PRIVATE_KEY_'))
    .flatMap(([, value]) => value.split(','))
    .map((key) => key.trim())
    .filter((key) => key !== '');
}

/** Decrypts the value with the first private key that matches. Returns undefined if no key matches. */
export function decryptSecret(value: string, privateKeys: readonly string[]): string | undefined {
  for (const key of privateKeys) {
    try {
      return decryptWith(key, Buffer.from(value.slice(encryptedPrefix.length), 'base64'));
    } catch {
      // The value was encrypted for a different key, so the next key is tried.
    }
  }
  return undefined;
}

function decryptWith(privateKeyHex: string, message: Buffer): string {
  const ephemeral = message.subarray(0, 65);
  const ecdh = createECDH('secp256k1');
  ecdh.setPrivateKey(Buffer.from(privateKeyHex, 'hex'));
  const points = pointsWithX(ecdh.computeSecret(ephemeral));
  let failure: unknown;
  for (const shared of points) {
    const key = Buffer.from(hkdfSync('sha256', Buffer.concat([ephemeral, shared]), '', '', 32));
    const decipher = createDecipheriv('aes-256-gcm', key, message.subarray(65, 81), { authTagLength: 16 });
    decipher.setAuthTag(message.subarray(81, 97));
    try {
      return Buffer.concat([decipher.update(message.subarray(97)), decipher.final()]).toString('utf8');
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

const fieldPrime = 2n ** 256n - 2n ** 32n - 977n;

/**
 * Returns the two points of secp256k1 that have this x coordinate, in uncompressed form. The function returns both
 * points because the encryption key is derived from the whole shared point, but node:crypto returns only the point's x
 * coordinate. The ciphertext's tag shows which point is the right one.
 */
function pointsWithX(x: Buffer): Buffer[] {
  const xNumber = BigInt(`0x${x.toString('hex')}`);
  const y = power(xNumber ** 3n + 7n, (fieldPrime + 1n) / 4n);
  return [y, fieldPrime - y].map((root) =>
    Buffer.concat([Buffer.of(4), x, Buffer.from(root.toString(16).padStart(64, '0'), 'hex')]),
  );
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = base % fieldPrime;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % fieldPrime;
    square = (square * square) % fieldPrime;
  }
  return result;
}
