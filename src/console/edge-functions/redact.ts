/** Keeps secrets that a function sends back or prints from the browser: those it was given, and every other secret key. */
import type { Keys } from '../../keys/types.ts';

export type Redact = (text: string) => string;

/** Only hashes are kept of additional keys, so they are known by their form. */
const secretKeys = /sb_secret_[\w-]+/g;

/**
 * @example
 * createRedact(keys)(`key: ${keys.secretKey}`); // 'key: [secret key]'
 */
export function createRedact(keys: Pick<Keys, 'serviceRoleKey' | 'secretKey' | 'jwtSecret' | 's3'>): Redact {
  // Asked for each time: keys change while the server runs.
  return (text) =>
    text
      .replaceAll(keys.serviceRoleKey, '[service_role key]')
      .replaceAll(keys.secretKey, '[secret key]')
      .replaceAll(keys.jwtSecret, '[JWT secret]')
      .replaceAll(keys.s3.secretAccessKey, '[S3 secret]')
      .replaceAll(secretKeys, '[secret key]');
}
