/**
 * Applies seed files. Each file runs once. If a file has changed since it ran, the change is only reported, and the
 * file runs again after the next reset.
 */
import type { Session } from '../../platform/database/types.ts';
import type { SeedFile } from './files.ts';
import type { PrivilegedRunner } from './privileged.ts';
import { ensureHistory, selectSeeds, upsertSeed } from './queries.ts';
import { type KeepGoing, type RunOptions, runFile } from './run-file.ts';

export interface SeedOptions {
  readonly session: Session;
  readonly privileged: PrivilegedRunner;
  readonly embedded: RunOptions['embedded'];
  readonly readExtensions?: RunOptions['readExtensions'];
  readonly readSources: RunOptions['readSources'];
  readonly readTypes?: RunOptions['readTypes'];
  readonly findSchemaTool?: RunOptions['findSchemaTool'];
  readonly keepGoing?: KeepGoing;
  readonly isFlushedLater?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress: (message: string) => void;
}

/**
 * Applies the seeds.
 * @throws {ProjectError} for the first file that fails. If this file runs in a single transaction, that transaction is
 * rolled back.
 */
export async function applySeeds(files: readonly SeedFile[], options: SeedOptions): Promise<void> {
  const { session, onProgress } = options;
  if (files.length === 0) return;
  await ensureHistory(session, options.isFlushedLater);
  const known = await selectSeeds(session);
  for (const file of files) {
    const before = known.get(file.shownPath);
    if (before === file.hash) continue;
    if (before !== undefined) {
      onProgress(`Updating seed hash to ${file.shownPath}...`);
      await upsertSeed(session, file.shownPath, file.hash);
      continue;
    }
    onProgress(`Seeding data from ${file.shownPath}...`);
    const record = async (tx: Parameters<typeof upsertSeed>[0]) => upsertSeed(tx, file.shownPath, file.hash);
    await runFile(file, { ...options, quiet: true, record });
  }
}
