/**
 * Manages `.plinth/secrets.json`, which contains the keys that `plinth serve` generates on its first start. The file
 * mode is 0600. The content is written to a temporary file, which is synced and then linked, so a crash leaves either
 * no file or a complete file.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { newApiKey } from './api-keys.ts';
import { generateSigningKey, type Jwk } from './jwk.ts';

export interface Secrets {
  readonly version: 1;
  readonly jwtSecret: string;
  readonly publishableKey: string;
  readonly secretKey: string;
  readonly s3: { readonly accessKeyId: string; readonly secretAccessKey: string; readonly region: string };
  readonly signingKeys: readonly Jwk[];
  readonly databasePassword: string;
}

/**
 * Reads the secrets from the file, or creates the file if it doesn't exist. Never overwrites an existing file.
 * @throws {Error} if the file is invalid
 */
export function loadOrCreateSecrets(file: string): Secrets {
  try {
    return readSecrets(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return create(file);
}

/** Reads the secrets from the file. @throws {Error} if the file is missing or invalid */
export function readSecrets(file: string): Secrets {
  const text = readFileSync(file, 'utf8');
  let parsed: Partial<Secrets> | undefined;
  try {
    parsed = JSON.parse(text) as Partial<Secrets>;
  } catch {
    parsed = undefined;
  }
  if (
    parsed?.version !== 1 ||
    !parsed.jwtSecret ||
    !parsed.publishableKey ||
    !parsed.secretKey ||
    !parsed.signingKeys?.length ||
    !parsed.s3?.secretAccessKey ||
    !parsed.databasePassword
  ) {
    throw new Error(
      `${file} is damaged. This file contains the project's keys. Restore it from a backup, or move it to generate new keys, which invalidates all sessions and API keys.`,
    );
  }
  return parsed as Secrets;
}

function create(file: string): Secrets {
  const secrets: Secrets = {
    version: 1,
    jwtSecret: randomBytes(48).toString('base64url'),
    publishableKey: newApiKey('publishable'),
    secretKey: newApiKey('secret'),
    s3: {
      accessKeyId: randomBytes(16).toString('hex'),
      secretAccessKey: randomBytes(32).toString('hex'),
      region: 'local',
    },
    signingKeys: [generateSigningKey('ES256')],
    databasePassword: randomBytes(24).toString('base64url'),
  };
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // The name is unique, so a file left behind by a crash doesn't cause a conflict.
  const temporary = `${file}.${randomUUID()}.tmp`;
  const handle = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(handle, `${JSON.stringify(secrets, null, 2)}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  try {
    // Creates a hard link because, unlike a rename, a link never replaces a file that another process created first.
    linkSync(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return loadOrCreateSecrets(file);
  } finally {
    unlinkSync(temporary);
  }
  return secrets;
}
