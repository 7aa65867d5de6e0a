/** Restores a backup (by default, the newest one) with the project's configuration into a temporary folder. */
import {
  type BackupSettings,
  openConfigured,
  type VerificationReport,
  verify,
} from '../../operations/backup/index.ts';
import type { Config } from '../../platform/config/index.ts';
import { openBodyStore } from '../../services/storage/index.ts';

export interface VerificationRequest {
  readonly settings: BackupSettings;
  readonly config: Config;
  /** The folder against which relative target folders are resolved. */
  readonly projectDir: string;
  /** The ID of a base backup. If undefined, the newest recoverable state is restored. */
  readonly toBackup?: string | undefined;
  /** The folder that will contain the temporary folder. */
  readonly workDir: string;
  readonly onProgress: (message: string) => void;
  readonly signal: AbortSignal;
}

/** Restores object bodies into the temporary folder. Never changes the project's storage. */
export async function runVerification(request: VerificationRequest): Promise<VerificationReport> {
  const { settings, config, projectDir, toBackup, workDir, onProgress, signal } = request;
  const repository = await openConfigured(settings, projectDir);
  const storage = { ...config.plinth.storage, backend: 'file' as const };
  const inFiles = { ...config, plinth: { ...config.plinth, storage } };
  try {
    const openStore = async (dataDir: string) => openBodyStore({ config: inFiles, dataDir });
    return await verify({
      repository,
      toBackup,
      workDir,
      reservedBytes: config.plinth.database.reserved_space,
      extensionFolders: config.plinth.database.extension_folders,
      openStore,
      onProgress,
      nowMs: Date.now(),
      signal,
    });
  } finally {
    repository.close();
  }
}
