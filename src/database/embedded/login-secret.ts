/**
 * The secret that the passwords of the login roles come from (`../logins/passwords.ts`), a file of Plinth's data folder that
 * its owner alone reads. It isn't in PostgreSQL's folder: a role with REPLICATION may copy that one as a base backup, and
 * where the server runs as another user, the server couldn't read it either.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const secretBytes = 32;
export const loginSecretFile = 'database-logins.key';
const secretFile = (dataDir: string): string => join(dataDir, loginSecretFile);

export const createLoginSecret = (): Buffer => randomBytes(secretBytes);

/** Undefined when there is none, or what is there isn't one. */
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

/** With the data folder's lock held. */
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
