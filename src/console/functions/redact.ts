/**
 * Masks secrets in a function's responses and output: the secrets that the function receives, and all other secret
 * keys.
 */
import type { Keys } from '../../keys/types.ts';

export type Redact = (text: string) => string;

/** For additional keys, only hashes are stored, so these keys are recognized by their format. */
const secretKeys = /sb_secret_[\w-]+/g;

/**
 * Returns a function that masks secrets.
 * @example
 * createRedact(keys)(`key: ${keys.secretKey}`); // 'key: [secret key]'
 */
export function createRedact(keys: Pick<Keys, 'serviceRoleKey' | 'secretKey' | 'jwtSecret' | 's3'>): Redact {
  // The keys are read on each call because they can change while the server runs.
  return (text) =>
    text
      .replaceAll(keys.serviceRoleKey, '[service_role key]')
      .replaceAll(keys.secretKey, '[secret key]')
      .replaceAll(keys.jwtSecret, '[JWT secret]')
      .replaceAll(keys.s3.secretAccessKey, '[S3 secret]')
      .replaceAll(secretKeys, '[secret key]');
}
