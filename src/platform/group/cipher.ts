/**
 * Encrypts the shared state with AES-256-GCM. The keys are derived from the group's secret and a salt with HKDF-SHA256
 * (RFC 5869). A row's name and version are authenticated with its content, so a row can't be exchanged for another one.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

export const newSalt = (): Buffer => randomBytes(32);

const derive = (secret: string, salt: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, `plinth group ${purpose}`, keyBytes));

/** Returns a value that identifies the secret without revealing it. */
export const fingerprintOf = (secret: string, salt: Buffer): Buffer => derive(secret, salt, 'fingerprint');

export const isFingerprintOf = (fingerprint: Buffer, secret: string, salt: Buffer): boolean => {
  const expected = fingerprintOf(secret, salt);
  return expected.length === fingerprint.length && timingSafeEqual(expected, fingerprint);
};

export interface GroupCipher {
  /** Returns a hash of the content that reveals nothing about it without the secret. */
  digest(name: string, content: Buffer): string;
  close(name: string, version: number, content: Buffer): Buffer;
  /** @throws {Error} if the content was changed or belongs to another name or version */
  open(name: string, version: number, sealed: Buffer): Buffer;
}

export function createCipher(secret: string, salt: Buffer): GroupCipher {
  const key = derive(secret, salt, 'state');
  const digestKey = derive(secret, salt, 'digest');
  const about = (name: string, version: number): Buffer => Buffer.from(`${version} ${name}`);
  return {
    digest: (name, content) =>
      createHmac('sha256', digestKey).update(`${name}\0`).update(content).digest('hex'),
    close(name, version, content) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(about(name, version));
      return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
    },
    open(name, version, sealed) {
      try {
        const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes));
        decipher.setAAD(about(name, version)).setAuthTag(sealed.subarray(-tagBytes));
        const content = decipher.update(sealed.subarray(nonceBytes, -tagBytes));
        return Buffer.concat([content, decipher.final()]);
      } catch (error) {
        throw new Error(`The content of ${name} in _plinth.group_state was changed outside Plinth.`, {
          cause: error,
        });
      }
    },
  };
}
