/**
 * Creates a data folder by copying a prepared cluster, where initdb and all of Plinth's own migrations have already
 * run. A copy shares nothing secret with the original. It gets its own system identifier, vault key and passwords.
 */
import { randomBytes, randomInt } from 'node:crypto';
import {
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { chmod, copyFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { clusterLogins, type Logins } from '../logins/passwords.ts';
import { flushFolder, flushPath } from './flush-folder.ts';
import type { Identity } from './identity.ts';
import { vaultKeyFile } from './initdb.ts';
import { removeUnfinished, unfinishedPrefix } from './leftovers.ts';
import { readLoginSecret } from './login-secret.ts';
import { newSystemIdentifier, setSystemIdentifier } from './system-identifier.ts';

/** A prepared cluster was created with this password for `postgres`. */
export const preparedPassword = 'postgres';

/**
 * Copies the prepared data folder `source` to `pgdata`. The folder gets its final name only once it is complete. Returns
 * the logins that the copy has until its passwords are changed. Returns undefined if the source can't be used.
 */
export async function copyPrepared(
  source: string,
  pgdata: string,
  identity: Identity,
  options: { readonly durable: boolean },
): Promise<Logins | undefined> {
  const secret = readLoginSecret(source);
  const original = join(source, 'postgres');
  if (secret === undefined || !existsSync(original)) return undefined;
  removeUnfinished(pgdata);
  const work = join(dirname(pgdata), `${unfinishedPrefix}${randomBytes(6).toString('hex')}`);
  try {
    await copyFolder(original, work);
    writeFileSync(join(work, vaultKeyFile), randomBytes(32).toString('hex'), { mode: 0o600 });
    if (!setSystemIdentifier(work, newSystemIdentifier(Date.now(), randomInt(4096 * 1000)))) {
      rmSync(work, { recursive: true, force: true });
      return undefined;
    }
    // Copied files belong to the user of this process, so a server that runs as a different user needs to become their
    // owner.
    if (process.getuid?.() === 0) giveAway(work, identity.kind === 'user' ? identity : { uid: 0, gid: 0 });
    if (options.durable) await flushFolder(work);
    renameSync(work, pgdata);
    if (options.durable) await flushPath(dirname(pgdata));
    return clusterLogins(secret, { password: preparedPassword, shared: false });
  } catch (error) {
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
    throw error;
  }
}

/** Copies the files, sharing their blocks if the file system can (`FICLONE`), a few at a time. */
async function copyFolder(from: string, to: string): Promise<void> {
  mkdirSync(to, { mode: 0o700 });
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  const pathOf = (entry: (typeof entries)[number]) =>
    join(entry.parentPath, entry.name).slice(from.length + 1);
  for (const entry of entries) if (entry.isDirectory()) mkdirSync(join(to, pathOf(entry)), { mode: 0o700 });
  await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const target = join(to, pathOf(entry));
        await copyFile(join(from, pathOf(entry)), target, constants.COPYFILE_FICLONE);
        if (process.platform !== 'win32') await chmod(target, 0o600);
      }),
  );
}

function giveAway(folder: string, { uid, gid }: { readonly uid: number; readonly gid: number }): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    chownSync(join(folder, name), uid, gid);
  chownSync(folder, uid, gid);
}
