/** Implements the backup commands that don't require a running server: list, restore and verify. */
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyMarker, takeOverRequest } from '../base/shared/restore-markers.ts';
import {
  type BackupEntry,
  BackupError,
  type BackupSettings,
  listBackups,
  openConfigured,
  type Restored,
  recordVerification,
  restore,
  type VerificationReport,
} from '../operations/backup/index.ts';
import { type Config, loadConfig, shellEnvironment } from '../platform/config/index.ts';
import { runVerification } from '../server/backend/verification.ts';
import { openBodyStore } from '../services/storage/index.ts';

export type { BackupEntry, Restored, VerificationReport } from '../operations/backup/index.ts';

export interface BackupLocation {
  readonly projectDir: string;
  /** The folder or URL from which backups are read, which overrides `[backup] to`. */
  readonly from?: string | undefined;
}

/**
 * The environment variable that contains the key, for machines that only restore backups and have no plinth.toml. This
 * variable takes precedence over plinth.toml, so that backups encrypted with a previous key can be restored.
 */
export const keyVariable = 'PLINTH_BACKUP_KEY';

export async function listStoredBackups(location: BackupLocation): Promise<BackupEntry[]> {
  const { settings } = settingsOf(location);
  const repository = await openConfigured(settings, location.projectDir);
  try {
    return await listBackups(repository);
  } finally {
    repository.close();
  }
}

export interface RestoreRequest extends BackupLocation {
  readonly dataDir: string;
  readonly toTime?: string | undefined;
  readonly toBackup?: string | undefined;
  /** Whether to restore up to a gap in the WAL instead of failing. */
  readonly allowGap?: boolean | undefined;
  /** Whether the restored server replaces the original. */
  readonly promote: boolean;
  readonly onProgress: (message: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Restores a backup and returns a summary. @throws {BackupError} */
export async function restoreBackup(request: RestoreRequest): Promise<Restored> {
  const { dataDir, toTime, toBackup, allowGap, promote, onProgress, signal } = request;
  const toTimeMs = toTime === undefined ? undefined : parseTime(toTime);
  const { settings, config } = settingsOf(request);
  const repository = await openConfigured(settings, request.projectDir);
  try {
    const openStore = async () => openBodyStore({ config, dataDir });
    return await restore({
      repository,
      dataDir,
      toTimeMs,
      toBackup,
      allowGap,
      openStore,
      promote,
      storesBodies: config.plinth.storage.backend === 'file',
      reservedBytes: config.plinth.database.reserved_space,
      extensionFolders: config.plinth.database.extension_folders,
      onProgress,
      signal,
    });
  } finally {
    repository.close();
  }
}

export interface VerificationRequest extends BackupLocation {
  /** The data folder in which the result is recorded as the last verification. This folder may not exist. */
  readonly dataDir: string;
  readonly toBackup?: string | undefined;
  readonly workDir: string;
  readonly onProgress: (message: string) => void;
  readonly signal: AbortSignal;
}

/** The verification restores object bodies into the temporary folder and never changes the project's storage. */
export async function verifyBackup({
  dataDir,
  from,
  ...request
}: VerificationRequest): Promise<VerificationReport> {
  const { projectDir } = request;
  const run = () => runVerification({ ...settingsOf({ projectDir, from }), ...request });
  return existsSync(dataDir) ? await recordVerification(dataDir, run, request.signal) : await run();
}

interface BackupConfig {
  readonly settings: BackupSettings;
  readonly config: Config;
}

function settingsOf({ projectDir, from }: BackupLocation): BackupConfig {
  const { config } = loadConfig({ projectDir });
  const configured = config.plinth.backup;
  const settings = {
    ...configured,
    to: from ?? configured.to,
    encryption_key: shellEnvironment()[keyVariable] ?? configured.encryption_key,
  };
  if (settings.to === undefined) throw new BackupError('target_unset');
  return { settings, config };
}

/** Parses a time. A time without a time zone is rejected, because its meaning would depend on the machine. */
function parseTime(text: string): number {
  const isIso = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/.test(text);
  const timeMs = isIso ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(timeMs)) throw new BackupError('time_invalid');
  return timeMs;
}

/**
 * Makes this data folder's server the owner of the backup target. The data folder is a restored copy, or the original
 * data folder after a copy was promoted. Returns whether the data folder was a restored copy.
 */
export async function promoteCopy(dataDir: string): Promise<boolean> {
  const marker = join(dataDir, copyMarker);
  const wasCopy = existsSync(marker);
  await writeFile(join(dataDir, takeOverRequest), '', { mode: 0o600 });
  await rm(marker, { force: true });
  return wasCopy;
}

/** The project folder inside a restored data folder. */
export const restoredProjectDir = (dataDir: string): string => join(dataDir, 'restored-project');
