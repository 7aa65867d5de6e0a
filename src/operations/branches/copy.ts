/** Creates the folders of a branch: a project folder, and a data folder with or without the project's data. */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { reserveOf } from '../../base/kernel/disk.ts';
import { sql } from '../../base/kernel/sql.ts';
import { BranchError } from '../../base/shared/branches.ts';
import { copyMarker } from '../../base/shared/restore-markers.ts';
import { copyRunningCluster, createDatabase } from '../../platform/database/index.ts';
import type { Database } from '../../platform/database/types.ts';
import { copyDeployed, copyProject, shareBodies } from './copy-files.ts';
import { type MaskedColumns, maskData } from './mask.ts';
import { neutralize } from './neutralize.ts';
import { type BranchFolders, makeFolder } from './records.ts';

/** The project from which a branch is created. */
export interface BranchSource {
  readonly database: Database;
  readonly dataDir: string;
  readonly supabaseDir: string;
  /** Whether the bodies of objects are files in the data folder. */
  readonly storesBodies: boolean;
  readonly extensionFolders: readonly string[];
  /** `[database] reserved_space`. */
  readonly reservedBytes: number | undefined;
}

export interface CopyOptions {
  /** Columns to mask. Undefined if the data isn't masked. */
  readonly masked: MaskedColumns | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Copies the project folder and the deployed functions, which every branch has. */
export async function copyCode(source: BranchSource, folders: BranchFolders): Promise<void> {
  makeFolder(folders.home);
  makeFolder(folders.dataDir);
  await copyProject(source.supabaseDir, join(folders.projectDir, 'supabase'));
  await copyDeployed(join(source.dataDir, 'deployed'), join(folders.dataDir, 'deployed'));
}

/**
 * Copies the database and the objects. The database is copied first: an object whose row is in the copy then still has
 * its body, unless it was deleted in the meantime.
 * @throws {BranchError}
 */
export async function copyData(
  source: BranchSource,
  folders: BranchFolders,
  { masked, signal }: CopyOptions,
): Promise<void> {
  if (!source.database.info.embedded) throw new BranchError('external_database');
  await checkSpace(source, folders);
  const admin = source.database.pool('supabase_admin');
  await copyRunningCluster(
    admin,
    join(source.dataDir, 'postgres'),
    join(folders.dataDir, 'postgres'),
    signal,
  );
  if (source.storesBodies)
    await shareBodies(
      join(source.dataDir, 'storage', 'objects'),
      join(folders.dataDir, 'storage', 'objects'),
    );
  await prepareCopy(source, folders, { masked, signal }, source.dataDir);
}

/** The files and folders of a restored data folder that a branch keeps. Keys and secrets aren't among them. */
const kept = new Set(['postgres', 'storage', 'deployed', 'restored-project']);

/** Turns a data folder that was restored from a backup into that of a branch. */
export async function adoptRestored(
  source: BranchSource,
  folders: BranchFolders,
  options: CopyOptions,
): Promise<void> {
  for (const name of readdirSync(folders.dataDir))
    if (!kept.has(name)) rmSync(join(folders.dataDir, name), { recursive: true, force: true });
  const project = join(folders.dataDir, 'restored-project', 'supabase');
  await mkdir(folders.projectDir, { recursive: true, mode: 0o700 });
  // The files are copied instead of moved, so that the secrets of functions stay behind.
  if (existsSync(project)) await copyProject(project, join(folders.projectDir, 'supabase'));
  await rm(join(folders.dataDir, 'restored-project'), { recursive: true, force: true });
  const vaultKey = join(folders.dataDir, 'postgres', 'plinth_vault.key');
  if (existsSync(vaultKey)) writeFileSync(vaultKey, randomBytes(32).toString('hex'));
  await rm(join(folders.dataDir, copyMarker), { force: true });
  await prepareCopy(source, folders, options);
}

/**
 * Settings with which the copy of a database runs while it is prepared. Subscriptions must not receive changes, event
 * triggers must not run, and no statistics must be collected from values that will be masked.
 */
const guards = {
  max_logical_replication_workers: 0,
  event_triggers: false,
  autovacuum: false,
  // One call flushes all copied files, instead of one call per file.
  ...(process.platform === 'linux' ? { recovery_init_sync_method: 'syncfs' } : {}),
} as const;

/** Starts the copy without a port, and removes what belongs to the project alone. */
async function prepareCopy(
  { extensionFolders }: BranchSource,
  { dataDir }: BranchFolders,
  { masked, signal }: CopyOptions,
  copiedFrom?: string,
): Promise<void> {
  const database = await createDatabase({
    dataDir,
    copiedFrom,
    port: null,
    password: randomBytes(24).toString('base64url'),
    dbSettings: guards,
    extensionFolders,
    signal,
  });
  try {
    await neutralize(database);
    if (masked !== undefined) await maskData(database, masked);
  } finally {
    await database.stop();
  }
}

/** The copy can grow by its own WAL. */
const walBytes = 64 * 1024 * 1024;

/** @throws {BranchError} no_space, if the copy doesn't fit beside the reserve */
async function checkSpace({ database, reservedBytes }: BranchSource, { home }: BranchFolders): Promise<void> {
  const [row] = await database
    .pool('supabase_admin')
    .query<{ bytes: string }>(
      sql`select pg_catalog.sum(pg_catalog.pg_database_size(oid))::text as bytes from pg_catalog.pg_database`,
    );
  const { bsize, bavail, blocks } = await statfs(home);
  const reserve = reserveOf({ totalBytes: blocks * bsize }, reservedBytes);
  if (bavail * bsize - Number(row?.bytes ?? 0) - walBytes < reserve * 2) throw new BranchError('no_space');
}
