/**
 * Stores the secret that the login roles' passwords are derived from (`../logins.ts`). Only the owner of
 * Plinth's data folder can read the file. The file isn't in PostgreSQL's data folder, because a role with REPLICATION
 * can copy that folder as a base backup. A PostgreSQL server that runs as a different user can't read the file.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { quoteLiteral } from '../../../base/kernel/sql.ts';
import { DatabaseError } from '../errors.ts';
import type { Binaries } from './binaries.ts';
import { commandAs, type Identity } from './identity.ts';
import { serverEnvironment } from './server.ts';

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

/**
 * Runs one statement in PostgreSQL's single-user mode, as the cluster's first superuser, while the server isn't
 * running. Single-user mode needs neither a password nor a port, so Plinth uses this mode to reset the superuser's
 * password.
 */
export async function setSuperuserPassword(
  binaries: Binaries,
  identity: Identity,
  pgdata: string,
  verifier: string,
): Promise<void> {
  // Settings that are passed with `-c` override those in the configuration file. The statement runs in a database whose
  // settings can't be changed by projects.
  const { file, args, ids } = commandAs(identity, binaries.postgres, [
    '--single',
    '-D',
    pgdata,
    ...['-c', 'shared_preload_libraries=', '-c', 'log_statement=none', '-c', 'log_min_error_statement=panic'],
    'template1',
  ]);
  const child = spawn(file, args, {
    ...ids,
    cwd: '/',
    env: serverEnvironment(),
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => undefined);
  // In single-user mode, each input line is a separate statement.
  child.stdin.end(`alter role supabase_admin password ${quoteLiteral(verifier)}\n`);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const failed = /^.*(ERROR|FATAL|PANIC): .*$/m.exec(stderr)?.[0];
  if (code !== 0 || failed !== undefined) {
    throw new DatabaseError('start_failed', { reason: failed ?? stderr.trim() });
  }
}
