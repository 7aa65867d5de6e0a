/** Fills the folders of a new branch with data: a copy, the restored state of a time, or migrations for an empty database. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adoptRestored, type BranchRecord, copyData, foldersOf } from '../../../operations/branches/index.ts';
import type { BranchesDeps } from './types.ts';

export async function fillBranch(
  deps: Pick<BranchesDeps, 'source' | 'config' | 'projectDir'>,
  record: BranchRecord,
  { upToVersion, signal }: { readonly upToVersion: string | undefined; readonly signal: AbortSignal },
): Promise<void> {
  const { source, config } = deps;
  const folders = foldersOf(source.dataDir, record.ref);
  const masked = record.isMasked ? config.current.plinth.branches.mask.columns : undefined;
  if (!record.withData) {
    await writeHistory(deps, folders.projectDir, upToVersion);
    return;
  }
  if (record.fromTime === undefined) {
    await copyData(source, folders, { masked, signal });
    return;
  }
  rmSync(folders.dataDir, { recursive: true, force: true });
  rmSync(folders.projectDir, { recursive: true, force: true });
  const { restoreForBranch } = await import('./restored.ts');
  await restoreForBranch({ ...deps, dataDir: folders.dataDir, toTime: record.fromTime, signal });
  await adoptRestored(source, folders, { masked, signal });
}

/**
 * Writes the project's applied migrations into the branch's folder. The folder of a server in production often lacks
 * them, because they were applied with `db push`.
 */
async function writeHistory(
  { source }: Pick<BranchesDeps, 'source'>,
  projectDir: string,
  upToVersion: string | undefined,
): Promise<void> {
  const { selectHistory } = await import('../../../project/folder/index.ts');
  const folder = join(projectDir, 'supabase', 'migrations');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const versions = new Set(readdirSync(folder).map((name) => /^\d+/.exec(name)?.[0]));
  for (const { version, name, statements } of await selectHistory(source.database.pool('postgres'))) {
    // Everyone who can run SQL in the project can write its history, so a version could be a path.
    if (!/^\d+$/.test(version) || versions.has(version) || statements.length === 0) continue;
    const file = join(folder, `${version}_${name.replace(/[^\w.-]+/g, '_') || 'migration'}.sql`);
    if (!existsSync(file)) writeFileSync(file, `${statements.join(';\n\n')};\n`, { mode: 0o600 });
  }
  if (upToVersion === undefined) return;
  for (const name of readdirSync(folder)) {
    const version = /^(\d+)_/.exec(name)?.[1];
    if (version !== undefined && version > upToVersion) rmSync(join(folder, name));
  }
}
