/** Reads and changes the migration history of a database, which can be a database that Plinth doesn't manage. */
import { join } from 'node:path';
import { readTextFile } from '../../base/shared/files.ts';
import type { Pool, Session } from '../../platform/database/types.ts';
import { splitStatements } from './core/split.ts';
import { ProjectError } from './errors.ts';
import { readMigrationFolder, readRolesFile, readSeedFiles } from './files.ts';
import { compareMigrations, type MigrationState, readForHistory } from './migrations.ts';
import {
  deleteApplied,
  ensureHistory,
  insertApplied,
  insertStep,
  selectApplied,
  selectHistory,
  selectSeeds,
  selectSteps,
  upsertSeed,
} from './queries.ts';
import type { RanFile } from './run-file.ts';
import type { ProjectDeps } from './types.ts';

export async function readHistory(pool: Pool, projectDir: string): Promise<MigrationState[]> {
  const applied = await selectApplied(pool);
  const { files } = readMigrationFolder(join(projectDir, 'supabase'));
  return compareMigrations(
    files,
    applied.map(({ version }) => version),
  );
}

/**
 * Marks versions as applied or as not applied, without running any statement. With `isWhole`, all recorded versions are
 * removed first.
 * @throws {ProjectError} `migration_not_found`
 */
export async function repairHistory(
  pool: Pool,
  projectDir: string,
  { versions, status, isWhole = false }: HistoryRepair,
): Promise<void> {
  const { files } = readMigrationFolder(join(projectDir, 'supabase'));
  await changeHistory(pool, {
    applied: status === 'applied' ? versions.map((version) => readForHistory(files, version)) : [],
    reverted: status === 'reverted' ? versions : [],
    isWhole,
  });
}

/** Changes the history in one transaction, without running any statement. */
export async function changeHistory(
  pool: Pool,
  { applied, reverted, isWhole }: HistoryChange,
): Promise<void> {
  const known = await selectApplied(pool);
  await pool.transaction(async (tx) => {
    await ensureHistory(tx);
    await deleteApplied(tx, isWhole ? known.map(({ version }) => version) : reverted);
    for (const migration of applied) await insertApplied(tx, migration);
  });
}

export interface HistoryChange {
  readonly applied: readonly {
    readonly version: string;
    readonly name: string;
    readonly statements: readonly string[];
  }[];
  readonly reverted: readonly string[];
  /** Whether all recorded versions are removed first. */
  readonly isWhole: boolean;
}

/**
 * Replaces all earlier versions in the history with this version, whose file now contains the statements of all of
 * them. Returns false and changes nothing if this version isn't applied to the database, because the database then
 * lacks some of the file's statements.
 */
export async function squashHistory(pool: Pool, projectDir: string, version: string): Promise<boolean> {
  const { files } = readMigrationFolder(join(projectDir, 'supabase'));
  const squashed = readForHistory(files, version);
  return await pool.transaction(async (tx) => {
    const applied = (await selectApplied(tx)).map((row) => row.version);
    if (!applied.includes(version)) return false;
    await deleteApplied(
      tx,
      applied.filter((one) => one <= version),
    );
    await insertApplied(tx, squashed);
    return true;
  });
}

export interface HistoryRepair {
  readonly versions: readonly string[];
  readonly status: 'applied' | 'reverted';
  readonly isWhole?: boolean;
}

export interface RecordedMigration {
  readonly entry: string;
  readonly text: string;
}

/** Returns the recorded migrations and their statements. */
export async function recordedMigrations(pool: Pool): Promise<RecordedMigration[]> {
  return (await selectHistory(pool)).map(recordedFile);
}

/** Returns a recorded migration as a file. @throws {ProjectError} `version_invalid` */
export function recordedFile({
  version,
  name,
  statements,
}: HistoryChange['applied'][number]): RecordedMigration {
  // The version and the name become a file name, which messages and other tools show.
  if (!/^\d+$/.test(version) || !/^[^/\\\p{Cc}]*$/u.test(name))
    throw new ProjectError('version_invalid', { version, name });
  return { entry: `${version}_${name}.sql`, text: `${statements.join(';\n')};\n` };
}

interface RanFiles {
  /** The files in the order in which the project runs them. */
  readonly ran: readonly RanFile[];
  readonly isSeed: (shownPath: string) => boolean;
}

/** Reads the files of the project that an earlier process has applied, for statements that --keep-going retries. */
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
