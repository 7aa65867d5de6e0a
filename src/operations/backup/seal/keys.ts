/** The operator's key, which wraps a separate key for each file. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { BackupError } from '../errors.ts';

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
export const wrappedBytes = nonceBytes + keyBytes + tagBytes;

/**
 * Parses the operator's key. The error message doesn't contain the key.
 * @throws {BackupError} key_missing, key_invalid
 */
export function readOperatorKey(text: string | undefined): Buffer {
  const trimmed = text?.trim() ?? '';
  if (trimmed === '') throw new BackupError('key_missing');
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return Buffer.from(trimmed, 'hex');
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(trimmed)) return Buffer.from(trimmed, 'base64');
  throw new BackupError('key_invalid');
}

/** Derives the key that wraps a target's file keys (RFC 5869). */
export const deriveWrappingKey = (operatorKey: Buffer, targetId: string): Buffer =>
  Buffer.from(hkdfSync('sha256', operatorKey, targetId, 'plinth backup: wrap file keys', keyBytes));

export const newFileKey = (): Buffer => randomBytes(keyBytes);

/** Wraps a file key. `bound` is authenticated with the key and contains the file's name and format. */
export function wrapKey(wrappingKey: Buffer, fileKey: Buffer, bound: Buffer): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', wrappingKey, nonce).setAAD(bound);
  return Buffer.concat([nonce, cipher.update(fileKey), cipher.final(), cipher.getAuthTag()]);
}

/** Unwraps a file key. @throws {BackupError} damaged */
export function unwrapKey(wrappingKey: Buffer, wrapped: Buffer, bound: Buffer): Buffer {
  const nonce = wrapped.subarray(0, nonceBytes);
  const decipher = createDecipheriv('aes-256-gcm', wrappingKey, nonce, { authTagLength: tagBytes })
    .setAAD(bound)
    .setAuthTag(wrapped.subarray(nonceBytes + keyBytes));
  try {
    return Buffer.concat([
      decipher.update(wrapped.subarray(nonceBytes, nonceBytes + keyBytes)),
      decipher.final(),
    ]);
  } catch (cause) {
    throw new BackupError('damaged', undefined, cause);
  }
}
