/**
 * Restores the database, the key files, the project folder and the object bodies, all as of the same time, to an empty
 * folder.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyMarker, restoreMarker, takeOverRequest } from '../../../base/shared/restore-markers.ts';
import { isAlive } from '../../../base/shared/run-folder.ts';
import { clearLeftovers, type RecoveredCluster, startRecovery } from '../../../platform/database/index.ts';
import { type Choice, readChoice, type WalCatalog } from '../catalog.ts';
import { parseLsn } from '../core/lsn.ts';
import { baseFile, isVersion } from '../core/names.ts';
import { checkAgainst, parsePgManifest } from '../core/pg-manifest.ts';
import { BackupError } from '../errors.ts';
import { readUnused } from '../prune.ts';
import type { Repository } from '../repository.ts';
import { deployedFolder, findSnapshot } from '../snapshot.ts';
import { bodySizes, checkSpace, databaseBytes, type SpaceOptions, sumOf, watchSpace } from '../space.ts';
import type { BodyStore } from '../types.ts';
import { extract } from './extract.ts';
import { checkRecoveryEnd } from './recovery-end.ts';
import { type RestoredBodies, restoreBodies } from './restore-bodies.ts';
import { abortable, archivedFiles, hold } from './source.ts';
import { serveWal } from './wal-requests.ts';

export interface RestoreOptions {
  readonly repository: Repository;
  /** The folder to which the data is restored. This folder must be empty or missing. */
  readonly dataDir: string;
  /** If set, restores the database to this time, including all transactions committed at this time. */
  readonly toTimeMs?: number | undefined;
  /** If set, restores the state at the end of the base backup with this ID. */
  readonly toBackup?: string | undefined;
  /** Whether to restore up to a gap in the WAL instead of failing. */
  readonly allowGap?: boolean | undefined;
  /** Opens the storage of the restored data folder. */
  readonly openStore: () => Promise<BodyStore & { close(): Promise<void> }>;
  readonly onProgress: (message: string) => void;
  /** Aborts the restore and stops the restore's PostgreSQL server. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the object bodies are written to the data folder's disk. */
  readonly storesBodies: boolean;
  /** The value of `[database] reserved_space`. */
  readonly reservedBytes: number | undefined;
  /** Folders that the operator named, in which extensions are searched. */
  readonly extensionFolders?: readonly string[] | undefined;
  /** The folder that messages about disk space name. Defaults to `dataDir`. */
  readonly shownDir?: string | undefined;
  /**
   * Whether the restored copy replaces the original server. If false, the copy sends no emails, text messages or
   * webhooks until an operator promotes it.
   */
  readonly promote: boolean;
  /** Called with the recovered database before the database stops. */
  readonly inspect?: (cluster: RecoveredCluster, bodies: RestoredBodies) => Promise<void>;
}

export interface Restored extends RestoredBodies {
  readonly backup: string;
  /** The commit time of the last transaction, as logged by PostgreSQL. Undefined if no transaction was replayed. */
  readonly lastTransactionAt: string | undefined;
  readonly newestMs: number;
  readonly durationMs: number;
  readonly databaseMs: number;
}

/** The unfinished resumable uploads with the S3 backend. Backups contain only complete objects. */
const notInBackups = ['_plinth.resumable_uploads'];

/** Files that are never restored from a backup, because they control how Plinth treats the data folder. */
const markers = new Set([restoreMarker, copyMarker, takeOverRequest]);

/**
 * The folder for the project's files. This folder is separate from the project folder, so that a restore doesn't
 * overwrite a checkout.
 */
export const restoredProject = 'restored-project';

/**
 * Restores a backup.
 * @throws {BackupError} if the backup can't be restored, or if the disk fills up during the restore
 */
export async function restore(given: RestoreOptions): Promise<Restored> {
  const { dataDir, reservedBytes, shownDir = dataDir } = given;
  const space = { dir: dataDir, shownDir, reservedBytes };
  const watch = watchSpace(space);
  const signal = AbortSignal.any([watch.signal, ...(given.signal === undefined ? [] : [given.signal])]);
  try {
    return await restoreWatched({ ...given, signal, repository: abortable(given.repository, signal) }, space);
  } catch (error) {
    // If the restore was aborted, `error` says only that PostgreSQL exited, so uses the reason for the abort.
    const cause: unknown = watch.signal.aborted ? watch.signal.reason : error;
    if (!isFull(cause)) throw cause;
    await removeUnfinished(dataDir);
    throw cause instanceof BackupError
      ? cause
      : new BackupError('no_space', `more than the space in ${shownDir}.`, cause);
  } finally {
    watch.stop();
  }
}

async function restoreWatched(
  options: RestoreOptions & { readonly signal: AbortSignal },
  space: SpaceOptions,
): Promise<Restored> {
  const { repository, dataDir } = options;
  const found = await readChoice(repository, options);
  const { choice } = found;
  if (choice.hasGap && options.allowGap !== true) throw gapError(choice);
  await rejectUsedFolder(dataDir);
  const release = await hold(repository, choice.manifest.id, Date.now());
  try {
    return await restoreChoice(options, space, found);
  } finally {
    await release();
  }
}

async function restoreChoice(
  options: RestoreOptions & { readonly signal: AbortSignal },
  space: SpaceOptions,
  { wal, manifests, choice }: Awaited<ReturnType<typeof readChoice>>,
): Promise<Restored> {
  const { repository, dataDir, onProgress, signal } = options;
  const startedMs = performance.now();
  await removeUnfinished(dataDir);
  const sizes = await bodySizes(repository);
  const unused = await readUnused(repository);
  const bodyBytes = options.storesBodies
    ? sumOf(
        sizes,
        [...sizes.keys()].filter((version) => !unused.has(version)),
      )
    : 0;
  await checkSpace(databaseBytes(choice, wal) + bodyBytes, space);
  await claimFolder(dataDir);
  onProgress(`Restoring base backup ${choice.manifest.id}`);
  await extractBase(repository, choice, join(dataDir, 'postgres'));
  await extractSnapshot(repository, dataDir, options.toTimeMs ?? choice.newestMs);
  onProgress('Recovering the database');
  const timelines = manifests.map(({ timeline }) => timeline);
  const recovered = await recover(options, choice, wal, timelines);
  const databaseMs = performance.now() - startedMs;
  let bodies: RestoredBodies;
  const stop = (): void => void recovered.cluster.stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    onProgress('Restoring objects');
    bodies = await restoreObjects(options, recovered.cluster, sizes, space);
    await options.inspect?.(recovered.cluster, bodies);
  } finally {
    signal.removeEventListener('abort', stop);
    await recovered.cluster.stop();
  }
  const mark = options.promote ? takeOverRequest : copyMarker;
  await writeFile(join(dataDir, mark), choice.manifest.id, { mode: 0o600 });
  await rm(join(dataDir, restoreMarker));
  return {
    backup: choice.manifest.id,
    lastTransactionAt: recovered.lastTransactionAt,
    newestMs: choice.newestMs,
    ...bodies,
    durationMs: performance.now() - startedMs,
    databaseMs,
  };
}

const gapError = ({ newestMs }: Choice): BackupError =>
  new BackupError(
    'wal_gap',
    `It is complete up to ${new Date(newestMs).toISOString()}. To restore that state, add --allow-gap.`,
  );

const isFull = (error: unknown): boolean =>
  (error instanceof BackupError && error.code === 'no_space') ||
  (error as NodeJS.ErrnoException).code === 'ENOSPC';

/**
 * Rejects a folder that contains anything except an interrupted restore.
 * @throws {BackupError} folder_not_empty, restore_running
 */
async function rejectUsedFolder(dataDir: string): Promise<void> {
  if (!existsSync(dataDir) || (await readdir(dataDir)).length === 0) return;
  const marker = join(dataDir, restoreMarker);
  if (!existsSync(marker)) throw new BackupError('folder_not_empty', `(${dataDir})`);
  const pid = Number(await readFile(marker, 'utf8'));
  if (pid !== process.pid && isAlive(pid)) throw new BackupError('restore_running', `(${dataDir})`);
}

/** Removes the files of an interrupted restore, and doesn't remove any files from other folders. */
async function removeUnfinished(dataDir: string): Promise<void> {
  if (!existsSync(join(dataDir, restoreMarker))) return;
  // Stops a PostgreSQL server that a killed process may have left running.
  await clearLeftovers(join(dataDir, 'postgres'));
  // Removes the marker last, so that an interruption can't leave behind a folder without a marker.
  for (const name of await readdir(dataDir))
    if (name !== restoreMarker) await rm(join(dataDir, name), { recursive: true, force: true });
  await rm(join(dataDir, restoreMarker));
}

async function claimFolder(dataDir: string): Promise<void> {
  // If PostgreSQL runs as a different user, this user must be able to traverse the folder.
  await mkdir(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  await writeFile(join(dataDir, restoreMarker), String(process.pid), { mode: 0o600, flag: 'wx' });
}

async function extractBase(repository: Repository, { manifest }: Choice, postgres: string): Promise<void> {
  const listed = await repository.readBytes(baseFile(manifest.id, 'pg-manifest'));
  const data = await repository.read(baseFile(manifest.id, 'data'));
  if (listed === undefined || data === undefined) throw new BackupError('damaged', `(${manifest.id})`);
  const check = checkAgainst(parsePgManifest(listed.toString('utf8')));
  try {
    await extract(data, postgres, { onFile: ({ name, ...facts }) => check.file(name, facts) });
    check.end();
  } catch (error) {
    if (error instanceof BackupError || (error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    throw new BackupError('damaged', (error as Error).message, error);
  }
}

async function extractSnapshot(repository: Repository, dataDir: string, timeMs: number): Promise<void> {
  const name = await findSnapshot(repository, timeMs);
  const archive = name === undefined ? undefined : await repository.read(name);
  if (archive === undefined) return;
  await extract(archive, dataDir, {
    rename(entry) {
      if (entry.startsWith('supabase/')) return `${restoredProject}/${entry}`;
      if (entry.startsWith(`${deployedFolder}/`)) return entry;
      const key = /^keys\/([^/]+)$/.exec(entry)?.[1];
      return key !== undefined && markers.has(key) ? undefined : key;
    },
  });
}

interface Recovered {
  readonly cluster: RecoveredCluster;
  readonly lastTransactionAt: string | undefined;
}

async function recover(
  { repository, dataDir, toTimeMs, allowGap, extensionFolders, signal }: RestoreOptions,
  { manifest, until, end }: Choice,
  wal: WalCatalog,
  knownTimelines: readonly number[],
): Promise<Recovered> {
  const { timeline } = manifest;
  const backupEnd = parseLsn(manifest.endLsn);
  const find = archivedFiles({ repository, wal, timeline, backupEnd, knownTimelines });
  const requests = serveWal(dataDir, find);
  let lastTransactionAt: string | undefined;
  const onLine = (line: string): void => {
    lastTransactionAt =
      /last completed transaction was at log time (.+)$/.exec(line)?.[1] ?? lastTransactionAt;
  };
  const settings = { restore_command: requests.command, recovery_target_timeline: 'current' };
  const start = (target: Readonly<Record<string, string>>): Promise<RecoveredCluster> =>
    startRecovery({
      dataDir,
      recovery: { ...settings, ...target },
      emptied: notInBackups,
      extensionFolders,
      onLine,
      signal,
    });
  try {
    const { cluster, isWhole } = await startAtTarget(start, until, toTimeMs);
    if (isWhole && allowGap !== true)
      await orStop(cluster, checkRecoveryEnd({ postgres: join(dataDir, 'postgres'), timeline, end, find }));
    return { cluster, lastTransactionAt };
  } catch (error) {
    const cause = requests.error() ?? error;
    if (cause instanceof BackupError) throw cause;
    throw new BackupError('recovery_failed', (cause as Error).message, cause);
  } finally {
    await requests.stop();
  }
}

async function orStop(cluster: RecoveredCluster, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/**
 * Starts PostgreSQL, which recovers the database up to the recovery target. Returns `isWhole`, which is true if
 * PostgreSQL replayed the entire archive.
 */
async function startAtTarget(
  start: (target: Readonly<Record<string, string>>) => Promise<RecoveredCluster>,
  until: Choice['until'],
  toTimeMs: number | undefined,
): Promise<{ readonly cluster: RecoveredCluster; readonly isWhole: boolean }> {
  const startWhole = async () => ({ cluster: await start({}), isWhole: true });
  const startUntil = async (target: Readonly<Record<string, string>>) => ({
    cluster: await start({ ...target, recovery_target_action: 'promote' }),
    isWhole: false,
  });
  if (until === 'backup') return await startUntil({ recovery_target: 'immediate' });
  if (toTimeMs === undefined) return await startWhole();
  // Writes the time zone as an offset, because PostgreSQL reads this setting before it loads time zone abbreviations
  // such as Z.
  const recovery_target_time = new Date(toTimeMs).toISOString().replace('Z', '+00');
  try {
    return await startUntil({ recovery_target_time, recovery_target_inclusive: 'on' });
  } catch (error) {
    // PostgreSQL reports this error if no transaction was committed after the target time. The archive is complete up
    // to the target time, so replays the entire archive instead.
    if (!/recovery ended before configured recovery target was reached/.test((error as Error).message))
      throw error;
    return await startWhole();
  }
}

async function restoreObjects(
  { repository, openStore, storesBodies }: RestoreOptions,
  { reader }: RecoveredCluster,
  sizes: ReadonlyMap<string, number>,
  space: SpaceOptions,
): Promise<RestoredBodies> {
  // Collects each version only once, because a project can add several rows with the same version.
  const versions = new Set<string>();
  await reader.copyOut('storage.objects (version)', ([version]) => {
    if (version != null && isVersion(version)) versions.add(version);
  });
  if (storesBodies) await checkSpace(sumOf(sizes, versions), space);
  const store = await openStore();
  try {
    return await restoreBodies(repository, store, versions, sizes);
  } finally {
    await store.close();
  }
}
