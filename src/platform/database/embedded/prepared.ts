/**
 * Creates a data folder from a prepared cluster, in which initdb and all of Plinth's own migrations have already run.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { clusterLogins, type Logins } from '../logins/passwords.ts';
import { copyCluster, type Owner } from './copy-cluster.ts';
import { flushFolder, flushPath } from './flush-folder.ts';
import type { Identity } from './identity.ts';
import { removeUnfinished, unfinishedPrefix } from './leftovers.ts';
import { readLoginSecret } from './login-secret.ts';
import { takeSpare } from './spare.ts';

/** The password that `postgres` has in every prepared cluster. */
export const preparedPassword = 'postgres';

/** The maximum number of files that are copied concurrently when the server's start depends on the copy. */
const maxParallel = 8;

/**
 * Creates the data folder `pgdata` from the prepared data folder `source`. Uses the spare copy of `source` if one
 * exists. The folder gets its final name only once it is complete. Returns the copy's logins, which are valid until the
 * passwords are changed, or undefined if the source can't be used.
 */
export async function copyPrepared(
  source: string,
  pgdata: string,
  identity: Identity,
  options: {
    readonly durable: boolean;
    /** Called when files are being copied, so that this process can do other work in the meantime. */
    readonly whileCopying?: (() => void) | undefined;
  },
): Promise<Logins | undefined> {
  const secret = readLoginSecret(source);
  if (secret === undefined || !existsSync(join(source, 'postgres'))) return undefined;
  removeUnfinished(pgdata);
  const home = dirname(pgdata);
  const work = join(home, `${unfinishedPrefix}${randomBytes(6).toString('hex')}`);
  try {
    // This process's user owns the copied files. If the server runs as a different user, that user must own the copied
    // files.
    const owner: Owner =
      process.getuid?.() !== 0 ? undefined : identity.kind === 'user' ? identity : { uid: 0, gid: 0 };
    const isSpare = options.durable && takeSpare(source, work, owner);
    if (!isSpare) {
      const copied = copyCluster(source, work, { owner, parallel: maxParallel });
      options.whileCopying?.();
      if (!(await copied)) return undefined;
      if (options.durable) await flushFolder(work);
    }
    // An existing extension folder is kept. If an existing extension folder is from another version, it is updated when
    // the server starts.
    const extensions = join(home, 'extensions');
    const copiedExtensions = join(work, 'extensions');
    if (existsSync(copiedExtensions) && !existsSync(extensions)) renameSync(copiedExtensions, extensions);
    renameSync(join(work, 'postgres'), pgdata);
    // Flushes the renames to disk before the server starts, so that a spare copy that is in use can't reappear in the
    // cache after a crash.
    if (options.durable) await flushPath(home);
    if (isSpare) await flushPath(source);
    return clusterLogins(secret, { password: preparedPassword, shared: false });
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  }
}
