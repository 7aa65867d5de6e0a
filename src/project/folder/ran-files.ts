/** Reads the files of the project that an earlier process has applied, for statements that --keep-going retries. */
import { join } from 'node:path';
import { readTextFile } from '../../base/shared/files.ts';
import type { Session } from '../../platform/database/types.ts';
import { splitStatements } from './core/split.ts';
import { readMigrationFolder, readRolesFile, readSeedFiles } from './files.ts';
import { insertApplied, insertStep, selectApplied, selectSeeds, selectSteps, upsertSeed } from './queries.ts';
import type { RanFile } from './run-file.ts';
import type { ProjectDeps } from './types.ts';

export interface RanFiles {
  /** The files in the order in which the project runs them. */
  readonly ran: readonly RanFile[];
  readonly isSeed: (shownPath: string) => boolean;
}

export async function ranFiles(
  { projectDir, config }: Pick<ProjectDeps, 'projectDir' | 'config'>,
  session: Session,
): Promise<RanFiles> {
  const supabaseDir = join(projectDir, 'supabase');
  const seeds = readSeedFiles(supabaseDir, config.db.seed.sql_paths).files;
  const seedPaths = new Set(seeds.map(({ shownPath }) => shownPath));
  const [steps, applied, known] = [
    await selectSteps(session),
    new Set((await selectApplied(session)).map(({ version }) => version)),
    await selectSeeds(session),
  ];
  const ran: RanFile[] = [];
  const roles = steps.has('roles') ? readRolesFile(supabaseDir) : undefined;
  if (roles !== undefined)
    ran.push({
      shownPath: 'supabase/roles.sql',
      statements: splitStatements(roles),
      record: (tx) => insertStep(tx, 'roles'),
    });
  for (const { version, name, path, shownPath } of readMigrationFolder(supabaseDir).files)
    if (applied.has(version))
      ran.push({
        shownPath,
        statements: splitStatements(readTextFile(path)),
        record: (tx, statements) => insertApplied(tx, { version, name, statements }),
      });
  for (const { shownPath, text, hash } of seeds)
    if (known.has(shownPath))
      ran.push({
        shownPath,
        statements: splitStatements(text),
        record: (tx) => upsertSeed(tx, shownPath, known.get(shownPath) ?? hash),
      });
  return { ran, isSeed: (shownPath) => seedPaths.has(shownPath) };
}
