/**
 * Creates a data folder for PostgreSQL. The folder gets its final name only when it is complete, so an incomplete
 * folder is never used.
 */

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseError } from '../errors.ts';
import type { Binaries } from './binaries.ts';
import { commandAs, type Identity } from './identity.ts';
import { removeUnfinished, unfinishedPrefix } from './leftovers.ts';
import { serverEnvironment } from './server.ts';

/**
 * The path to the file that contains the root key of the vault extension. The path is relative to the data folder, as
 * required by pg_read_file.
 */
export const vaultKeyFile = 'plinth_vault.key';

export async function initialize(
  binaries: Binaries,
  identity: Identity,
  pgdata: string,
  options: { readonly durable: boolean; readonly superuserPassword: string },
): Promise<void> {
  removeUnfinished(pgdata);
  const work = join(dirname(pgdata), `${unfinishedPrefix}${randomBytes(6).toString('hex')}`);
  // initdb requires an empty folder, so the password file is written next to the folder. If the password file remains
  // after a crash, the next start recognizes the file by its name and removes it.
  const passwordFile = `${work}.password`;
  mkdirSync(work, { mode: 0o700 });
  if (identity.kind === 'user') chownSync(work, identity.uid, identity.gid);
  try {
    writeFileSync(passwordFile, options.superuserPassword, { mode: 0o600 });
    if (identity.kind === 'user') chownSync(passwordFile, identity.uid, identity.gid);
    await runInitdb(binaries, identity, { dir: work, passwordFile, durable: options.durable });
    const key = join(work, vaultKeyFile);
    writeFileSync(key, randomBytes(32).toString('hex'), { mode: 0o600 });
    if (identity.kind === 'user') chownSync(key, identity.uid, identity.gid);
    if (options.durable) syncPath(key);
    renameSync(work, pgdata);
    if (options.durable) syncPath(dirname(pgdata));
  } catch (error) {
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
    throw error;
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

async function runInitdb(
  binaries: Binaries,
  identity: Identity,
  {
    dir,
    passwordFile,
    durable,
  }: { readonly dir: string; readonly passwordFile: string; readonly durable: boolean },
): Promise<void> {
  let reason = '';
  // The character type (ctype) determines which characters are letters in pg_trgm and in text search dictionaries. The
  // locale C is used if the system doesn't have the preferred locale.
  for (const ctype of [process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8', 'C']) {
    const { file, args, ids } = commandAs(identity, binaries.initdb, [
      `--pgdata=${dir}`,
      '--username=supabase_admin',
      '--encoding=UTF8',
      '--locale=C',
      `--lc-ctype=${ctype}`,
      '--locale-provider=icu',
      '--icu-locale=en_US.UTF-8',
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      ...(durable ? [] : ['--no-sync']),
    ]);
    const result = await run(file, args, ids);
    if (result.code === 0) return;
    reason = result.stderr.trim();
    if (!/locale/.test(reason)) break;
  }
  throw new DatabaseError('initdb_failed', { dir: dirname(dir), reason });
}

function run(
  file: string,
  args: string[],
  ids: { uid?: number; gid?: number },
): Promise<{ code: number; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      ...ids,
      cwd: '/',
      env: serverEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, stderr }));
  });
}

function syncPath(path: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
