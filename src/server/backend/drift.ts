/**
 * Finds differences between the database's schema and the schema that the migrations create. The database is compared
 * with a temporary database that is created from the migrations, on a separate PostgreSQL server, because databases on
 * the same server share roles.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../base/kernel/log.ts';
import { readTextFile } from '../../base/shared/files.ts';
import type { ObjectDifference } from '../../project/diff/index.ts';
import type { ProjectDeps } from '../../project/folder/index.ts';
import { configOfCopy } from './copy.ts';
import type { BackendParts } from './parts.ts';
import { openSchemaComparer } from './schema-comparer.ts';

/** A backend with an empty database, whose services don't run. */
export interface ScratchBackend extends Pick<ProjectDeps, 'database' | 'config' | 'keys'> {
  stop(): Promise<void>;
}

/** The steps of a comparison, in order. */
export type DriftStep = 'server' | 'migrations' | 'compare' | 'check';

export interface Drift {
  readonly objects: readonly ObjectDifference[];
  /** The statements that make the same changes in a database with the migrations. Empty if nothing has changed. */
  readonly sql: string;
  /** The reason why the statements can't become a migration: the error that they raise in a database with the migrations. */
  readonly problem: string | null;
  /** The statements that undo the changes in the database. Empty if nothing has changed. */
  readonly undo: string;
  /** Whether the statements in `undo` have run in a temporary database with the changes, so they can be a down script. */
  readonly canUndo: boolean;
}

type Project = Pick<
  typeof import('../../project/folder/index.ts'),
  'applyProjectMigrations' | 'readMigrationFolder' | 'runAsMigration' | 'selectHistory' | 'ProjectError'
>;

export interface DriftDeps {
  readonly project: Project;
  readonly openScratch: (dataDir: string) => Promise<ScratchBackend>;
  readonly onStep: (step: DriftStep) => void;
}

/** Compares the database with the migrations. @throws {ProjectError} if a migration fails in the temporary database */
export async function findDrift(
  parts: Pick<BackendParts, 'database' | 'projectDir' | 'supabaseDir' | 'mode' | 'options'>,
  { project, openScratch, onStep }: DriftDeps,
): Promise<Drift> {
  const { database, projectDir, mode } = parts;
  const home = mkdtempSync(join(tmpdir(), 'plinth-drift-'));
  const comparer = await openSchemaComparer(parts.options.forkComparer);
  try {
    onStep('server');
    const sources = await readMigrations(parts, project);
    const scratch = await openScratch(join(home, 'data'));
    try {
      const config = configOfCopy(scratch.config);
      // In production, the history is complete, but the folder may lack the files of deployed migrations.
      const fromFolder = mode === 'development';
      const migrations = { ...config.db.migrations, enabled: fromFolder && config.db.migrations.enabled };
      const deps: ProjectDeps = {
        database: scratch.database,
        config: { ...config, db: { ...config.db, migrations } },
        keys: scratch.keys,
        projectDir,
        mode: 'development',
        log: silentLogger,
        onProgress: () => undefined,
      };
      await comparer.read('empty', scratch.database.info.url);
      onStep('migrations');
      await project.applyProjectMigrations(deps);
      if (!fromFolder)
        await project.runAsMigration(
          deps,
          sources.map(({ path, text }) => ({ shownPath: path, text })),
        );
      onStep('compare');
      await comparer.read('migrations', scratch.database.info.url);
      await comparer.read('database', database.info.url);
      const sql = await comparer.script('migrations', 'database');
      if (sql === '') return { objects: [], sql: '', problem: null, undo: '', canUndo: false };
      const undo = await comparer.script('database', 'migrations');
      const objects = await comparer.objects({ base: 'empty', from: 'migrations', to: 'database' }, sources);
      onStep('check');
      const checked = await check({
        sql,
        undo,
        run: (text) => project.runAsMigration(deps, [{ shownPath: 'new migration', text }]),
        async rest(to) {
          await comparer.read('checked', scratch.database.info.url);
          return await comparer.script('checked', to);
        },
      });
      return { objects, undo, ...checked };
    } finally {
      await scratch.stop();
    }
  } finally {
    comparer.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Check {
  readonly sql: string;
  readonly undo: string;
  readonly run: (text: string) => Promise<void>;
  /** Returns the statements that are missing before the temporary database equals this schema. */
  readonly rest: (to: 'database' | 'migrations') => Promise<string>;
}

/** Runs the statements in the temporary database, adds statements for the remaining differences, and undoes all. */
async function check({ sql, undo, run, rest }: Check): Promise<Pick<Drift, 'sql' | 'problem' | 'canUndo'>> {
  let all = sql;
  try {
    await run(sql);
    const second = await rest('database');
    if (second !== '') await run(second);
    all = [sql, second].filter((each) => each !== '').join('\n');
  } catch (error) {
    return { sql, problem: error instanceof Error ? error.message : String(error), canUndo: false };
  }
  try {
    await run(undo);
    return { sql: all, problem: null, canUndo: (await rest('migrations')) === '' };
  } catch {
    return { sql: all, problem: null, canUndo: false };
  }
}

/**
 * Returns the migrations that the database should contain: the files in development, and the recorded statements in
 * production. @throws {ProjectError} `not_recorded`
 */
async function readMigrations(
  { database, supabaseDir, mode }: Pick<BackendParts, 'database' | 'supabaseDir' | 'mode'>,
  { readMigrationFolder, selectHistory, ProjectError }: Project,
): Promise<{ readonly path: string; readonly text: string }[]> {
  const { files } = readMigrationFolder(supabaseDir);
  if (mode === 'development')
    return files.map(({ shownPath, path }) => ({ path: shownPath, text: readTextFile(path) }));
  return (await selectHistory(database.pool('postgres'))).map(({ version, name, statements }) => {
    const file = files.find((each) => each.version === version);
    const path = file?.shownPath ?? `${version}_${name}.sql`;
    if (statements.length > 0) return { path, text: `${statements.join(';\n')};\n` };
    if (file === undefined) throw new ProjectError('not_recorded', { version, name });
    return { path, text: readTextFile(file.path) };
  });
}
