/**
 * Backups that a developer creates with one press, in the data folder of the project. They are the same base backups as
 * those of a server, without a schedule and without an archive of changes.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../base/kernel/clock.ts';
import type { BackupEntry, BackupSettings, Backups, BodyStore } from '../../operations/backup/index.ts';
import type { BackendParts } from './parts.ts';

export interface LocalBackups {
  /** The folder that contains the backups. */
  readonly folder: string;
  /** The file with the key that encrypts the backups. */
  readonly keyFile: string;
  readonly isRunning: boolean;
  /** The number of backups that have ended since the server started. */
  readonly ended: number;
  /** The reason why the last backup failed. */
  readonly error: string | undefined;
  /** Creates a backup, or waits for the one that is being created. */
  run(): Promise<BackupEntry>;
  /** Returns the backups, oldest first. */
  list(): Promise<readonly BackupEntry[]>;
}

const keyBytes = 32;

/** Returns undefined if the project's backups are configured, or can't be created by this server. */
export function createLocalBackups(
  { config, live, database, mode, projectDir, supabaseDir, dataDir, isCopy, log: allLog }: BackendParts,
  store: BodyStore,
): LocalBackups | undefined {
  const isOffered = mode === 'development' && database.info.embedded && !isCopy;
  if (!isOffered || config.plinth.backup.to !== undefined) return undefined;
  const folder = join(dataDir, 'backups');
  const keyFile = join(dataDir, 'backups.key');
  let backups: Backups | undefined;
  let running: Promise<BackupEntry> | undefined;
  let error: string | undefined;
  let ended = 0;

  const settingsWith = (key: string): BackupSettings => ({
    ...live.current.plinth.backup,
    to: folder,
    encryption_key: key,
    wal: false,
  });

  async function create(): Promise<BackupEntry> {
    const backup = await import('../../operations/backup/index.ts');
    const key = readOrCreateKey(keyFile);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    backups ??= backup.createBackups({
      settings: settingsWith(key),
      database,
      journal: backup.openJournal(dataDir),
      store,
      sources: { dataDir, supabaseDir },
      projectDir,
      now: () => systemClock.now(),
      log: allLog.child({ service: 'backup' }),
    });
    const entry = await backups.run();
    await backups.prune();
    return entry;
  }

  return {
    folder,
    keyFile,
    get isRunning() {
      return running !== undefined;
    },
    get ended() {
      return ended;
    },
    get error() {
      return error;
    },
    run() {
      running ??= create()
        .then(
          (entry) => {
            error = undefined;
            return entry;
          },
          (cause: unknown) => {
            error = cause instanceof Error ? cause.message : String(cause);
            throw cause;
          },
        )
        .finally(() => {
          ended += 1;
          running = undefined;
        });
      return running;
    },
    async list() {
      if (!existsSync(keyFile)) return [];
      const { listBackups, openConfigured } = await import('../../operations/backup/index.ts');
      // The first backup creates the folder's catalog.
      if (running !== undefined && backups === undefined) return [];
      const repository = await openConfigured(settingsWith(readFileSync(keyFile, 'utf8')), projectDir);
      try {
        return await listBackups(repository);
      } finally {
        repository.close();
      }
    },
  };
}

function readOrCreateKey(file: string): string {
  if (!existsSync(file))
    writeFileSync(file, randomBytes(keyBytes).toString('hex'), { mode: 0o600, flag: 'wx' });
  return readFileSync(file, 'utf8');
}
