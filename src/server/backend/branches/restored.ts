/** Restores an earlier state of the project from its backups into the data folder of a branch. */

import { BranchError } from '../../../base/shared/branches.ts';
import { openConfigured, restore } from '../../../operations/backup/index.ts';
import { openBodyStore } from '../../../services/storage/index.ts';
import type { BranchesDeps } from './types.ts';

interface RestoreForBranch extends Pick<BranchesDeps, 'config' | 'projectDir'> {
  readonly dataDir: string;
  /** The time in ISO 8601. */
  readonly toTime: string;
  readonly signal: AbortSignal;
}

export async function restoreForBranch({
  config,
  projectDir,
  dataDir,
  toTime,
  signal,
}: RestoreForBranch): Promise<void> {
  const { plinth } = config.current;
  // Bodies are restored into the branch's folder, even if the project stores its objects in a bucket.
  const inFiles = { plinth: { ...plinth, storage: { ...plinth.storage, backend: 'file' as const } } };
  const repository = await openConfigured(plinth.backup, projectDir);
  try {
    await restore({
      repository,
      dataDir,
      toTimeMs: Date.parse(toTime),
      openStore: async () => openBodyStore({ config: inFiles, dataDir }),
      storesBodies: plinth.storage.backend === 'file',
      reservedBytes: plinth.database.reserved_space,
      extensionFolders: plinth.database.extension_folders,
      promote: false,
      onProgress: () => undefined,
      signal,
    });
  } catch (error) {
    if ((error as Error).name === 'BackupError')
      throw new BranchError('copy_failed', (error as Error).message, error);
    throw error;
  } finally {
    repository.close();
  }
}
