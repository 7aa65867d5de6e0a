/**
 * Stores the secret that the login roles' passwords are derived from (`../logins/passwords.ts`). Only the owner of
 * Plinth's data folder can read the file. The file isn't in PostgreSQL's data folder, because a role with REPLICATION
 * can copy that folder as a base backup. A PostgreSQL server that runs as a different user can't read the file.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const secretBytes = 32;
export const loginSecretFile = 'database-logins.key';
const secretFile = (dataDir: string): string => join(dataDir, loginSecretFile);

export const createLoginSecret = (): Buffer => randomBytes(secretBytes);

/** Returns the secret, or undefined if the file doesn't exist or is invalid. */
export function readLoginSecret(dataDir: string): Buffer | undefined {
  let text: string;
  try {
    text = readFileSync(secretFile(dataDir), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  chmodSync(secretFile(dataDir), 0o600);
  return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, 'hex') : undefined;
}

/** Stores the secret. The caller must hold the data folder's lock. */
export function writeLoginSecret(dataDir: string, secret: Buffer): void {
  const file = secretFile(dataDir);
  const temporary = `${file}.tmp`;
  const handle = openSync(temporary, 'w', 0o600);
  try {
    writeSync(handle, `${secret.toString('hex')}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(temporary, file);
}
