/**
 * Encrypts short secrets with AES-256-GCM. The key is stored in a file in the data folder. The key file is created on
 * first use with mode 0600.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileStamp } from '../kernel/replace-file.ts';

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

export interface Seal {
  /**
   * Encrypts a string. {@link open} requires the same `about`, so a string encrypted for one purpose can't be decrypted
   * for another.
   */
  close(text: string, about: string): Buffer;
  /** Decrypts a string. Returns undefined if the key, `about` or the format isn't correct. */
  open(sealed: Buffer, about: string): string | undefined;
}

/** Returns a seal that reads or creates its key on first use, and reads it again if the file was replaced. */
export function createSeal(file: string): Seal {
  let known: { readonly key: Buffer; readonly stamp: string | undefined } | undefined;
  const key = (): Buffer => {
    const stamp = fileStamp(file);
    if (known === undefined || (stamp !== undefined && stamp !== known.stamp)) {
      const read = readOrCreate(file);
      known = { key: read, stamp: fileStamp(file) };
    }
    return known.key;
  };
  return {
    close(text, about) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key(), nonce).setAAD(Buffer.from(about));
      return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed, about) {
      if (sealed.length < nonceBytes + tagBytes) return undefined;
      const decipher = createDecipheriv(algorithm, key(), sealed.subarray(0, nonceBytes));
      decipher.setAAD(Buffer.from(about)).setAuthTag(sealed.subarray(-tagBytes));
      try {
        const text = decipher.update(sealed.subarray(nonceBytes, -tagBytes), undefined, 'utf8');
        return text + decipher.final('utf8');
      } catch {
        return undefined;
      }
    },
  };
}

/** Creates the file with a new key if it doesn't exist. */
export const createSealKey = (file: string): void => void readOrCreate(file);

function readOrCreate(file: string): Buffer {
  try {
    writeFileSync(file, `${randomBytes(keyBytes).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64url');
  if (key.length !== keyBytes)
    throw new Error(`${file} is damaged because it doesn't contain a key of ${keyBytes} bytes.`);
  return key;
}
