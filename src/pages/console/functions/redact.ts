/**
 * Masks secrets in the responses and output of functions, whose environment contains the project's keys and the
 * database password.
 */
import type { Keys } from '../../../platform/keys/types.ts';

export type Redact = (text: string) => string;

/** The texts that replace secrets. */
export const masks = [
  '[service_role key]',
  '[secret key]',
  '[JWT secret]',
  '[S3 secret]',
  '[password]',
] as const;
const [serviceRoleMask, secretKeyMask, jwtSecretMask, s3Mask, passwordMask] = masks;

/** Matches additional secret keys by their format, because Plinth stores only the hashes of these keys. */
const secretKeys = /sb_secret_[\w-]+/g;
/** Matches signed tokens (JWTs). */
const signedTokens = /\beyJ[\w-]+\.(eyJ[\w-]+)\.[\w-]+/g;
/** Matches the password in a database URL. */
const databasePassword = /(\bpostgres(?:ql)?:\/\/[^\s:@/"']+:)[^\s@/"']+(?=@)/g;

/** Masks a token of service_role, such as the token that a function receives for a secret key. */
function maskServiceToken(token: string, payload: string): string {
  const claims = Buffer.from(payload, 'base64url').toString('utf8');
  return /"role"\s*:\s*"service_role"/.test(claims) ? serviceRoleMask : token;
}

/** Returns the forms in which a secret can appear: in plain text and in JSON. */
const formsOf = (secret: string): string[] => [secret, JSON.stringify(secret).slice(1, -1)];

/**
 * Returns a function that masks secrets.
 * @example
 * createRedact(keys)(`key: ${keys.secretKey}`); // 'key: [secret key]'
 */
export function createRedact(keys: Pick<Keys, 'serviceRoleKey' | 'secretKey' | 'jwtSecret' | 's3'>): Redact {
  // The keys are read on each call because they can change while the server runs.
  return (text) => {
    const masks: readonly (readonly [secret: string, mask: string])[] = [
      [keys.serviceRoleKey, serviceRoleMask],
      [keys.secretKey, secretKeyMask],
      // A JWKS contains the JWT secret in base64url.
      ...[...formsOf(keys.jwtSecret), Buffer.from(keys.jwtSecret).toString('base64url')].map(
        (form) => [form, jwtSecretMask] as const,
      ),
      ...formsOf(keys.s3.secretAccessKey).map((form) => [form, s3Mask] as const),
    ];
    return masks
      .reduce((shown, [secret, mask]) => shown.replaceAll(secret, mask), text)
      .replaceAll(signedTokens, maskServiceToken)
      .replaceAll(secretKeys, secretKeyMask)
      .replaceAll(databasePassword, `$1${passwordMask}`);
  };
}

/** Masks secrets in a file. All other bytes stay the same, also in a file that doesn't contain text. */
export function redactFile<File extends { readonly content: Buffer }>(file: File, redact: Redact): File {
  const text = file.content.toString('latin1');
  return { ...file, content: Buffer.from(redact(text), 'latin1') };
}

/** Masks secrets in all strings of a value. */
export function redactAll<T>(value: T, redact: Redact): T {
  const masked = (inner: unknown): unknown => {
    if (typeof inner === 'string') return redact(inner);
    if (Array.isArray(inner)) return inner.map(masked);
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, each]) => [redact(name), masked(each)]));
  };
  return masked(value) as T;
}
