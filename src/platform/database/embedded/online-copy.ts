/**
 * Copies the data folder of a running PostgreSQL server without disconnecting its clients, with PostgreSQL's low-level
 * backup functions. At its first start, the copy replays the WAL that was written while its files were copied.
 */
import { randomBytes } from 'node:crypto';
import { constants, mkdirSync, readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from '../../../base/kernel/sql.ts';
import { DatabaseError } from '../errors.ts';
import type { Pool, Session } from '../types.ts';
import { vaultKeyFile } from './initdb.ts';

/** Folders whose files PostgreSQL creates again at its next start (the same ones that a base backup leaves out). */
const emptiedFolders = new Set([
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_wal',
]);

const skippedFiles = new Set([
  'backup_label',
  'backup_manifest',
  'postmaster.opts',
  'postmaster.pid',
  'tablespace_map',
  // Each cluster encrypts its vault with a separate key.
  vaultKeyFile,
]);

/** Temporary relations and files of sessions, and caches of the catalogs. */
const isDisposable = (name: string): boolean =>
  /^(t\d+_\d+(_\w+)?(\.\d+)?|pgsql_tmp.*|pg_internal\.init.*)$/.test(name);

/** The number of files that are copied at the same time. */
const parallel = 8;

/** PostgreSQL writes this file last, so that a reader sees a checkpoint that the copied files reach. */
const controlFile = join('global', 'pg_control');

/**
 * Copies the cluster into the folder `target`, which must not exist. If the file system supports it, the copies share
 * disk blocks with the originals. Returns the number of bytes that the copied files have.
 * @param admin the pool of a superuser of the running server
 * @throws {DatabaseError} tablespaces, if the cluster stores data outside its data folder
 */
export async function copyRunningCluster(
  admin: Pool,
  source: string,
  target: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  const from = realpathSync(source);
  if (readdirSync(join(from, 'pg_tblspc')).length > 0) throw new DatabaseError('tablespaces', { dir: from });
  const session = await admin.connect();
  try {
    const first = await beginBackup(session);
    mkdirSync(target, { mode: 0o700 });
    const bytes = await copyFiles(from, target, signal);
    await copyFile(join(from, controlFile), join(target, controlFile), constants.COPYFILE_FICLONE);
    const { label, last } = await endBackup(session);
    writeFileSync(join(target, 'backup_label'), label, { mode: 0o600 });
    await copyWal(join(from, 'pg_wal'), join(target, 'pg_wal'), { first, last });
    writeFileSync(join(target, vaultKeyFile), randomBytes(32).toString('hex'), { mode: 0o600 });
    return bytes;
  } finally {
    // Closing the session ends an unfinished backup and drops the temporary slot.
    session.destroy();
  }
}

/**
 * Starts a backup, and returns the name of the first WAL file that the copy needs. The temporary slot keeps the WAL from
 * this file on.
 */
async function beginBackup(session: Session): Promise<string> {
  const slot = `plinth_copy_${randomBytes(6).toString('hex')}`;
  await session.query(sql`select pg_catalog.pg_create_physical_replication_slot(${slot}, true, true)`);
  const [row] = await session.query<{ file: string }>(
    sql`select pg_catalog.pg_walfile_name(pg_catalog.pg_backup_start('plinth branch', true)) as file`,
  );
  return row?.file ?? '';
}

async function endBackup(session: Session): Promise<{ readonly label: string; readonly last: string }> {
  const [row] = await session.query<{ label: string; last: string }>(sql`
    select b.labelfile as label, pg_catalog.pg_walfile_name(b.lsn) as last
    from pg_catalog.pg_backup_stop(false) b`);
  if (row === undefined) throw new Error('pg_backup_stop returned no row');
  return row;
}

async function copyFiles(from: string, to: string, signal: AbortSignal | undefined): Promise<number> {
  const files: string[] = [];
  const list = async (folder: string): Promise<void> => {
    for (const entry of await readdir(join(from, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (isDisposable(entry.name)) continue;
      if (entry.isDirectory()) {
        mkdirSync(join(to, path), { mode: 0o700 });
        if (!emptiedFolders.has(path)) await list(path);
      } else if (entry.isFile() && !skippedFiles.has(path) && path !== controlFile) {
        files.push(path);
      }
    }
  };
  await list('');
  // PostgreSQL requires these subfolders.
  for (const name of ['archive_status', 'summaries']) mkdirSync(join(to, 'pg_wal', name), { mode: 0o700 });
  let bytes = 0;
  const waiting = files.values();
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      for (const path of waiting) {
        signal?.throwIfAborted();
        bytes += await copyPresent(join(from, path), join(to, path));
      }
    }),
  );
  return bytes;
}

/** Copies a file unless PostgreSQL has removed it in the meantime. The WAL then contains its removal. */
async function copyPresent(from: string, to: string): Promise<number> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    return statSync(to).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

/** Copies the WAL files from `first` to `last`. The names of files on one timeline sort by their position. */
async function copyWal(
  from: string,
  to: string,
  { first, last }: { readonly first: string; readonly last: string },
): Promise<void> {
  for (const name of await readdir(from)) {
    const isNeeded = /^[0-9A-F]{24}$/.test(name) ? name >= first && name <= last : name.endsWith('.history');
    if (isNeeded) await copyFile(join(from, name), join(to, name), constants.COPYFILE_FICLONE);
  }
}
