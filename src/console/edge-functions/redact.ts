/** Service credentials that a function was given and sends back, or prints, do not reach the browser. */
import type { Keys } from '../../keys/types.ts';

export type Redact = (text: string) => string;

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
      .replaceAll(keys.s3.secretAccessKey, '[S3 secret]');
}
