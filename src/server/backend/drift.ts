/**
 * Finds changes to the database's schema that no migration contains. The database is compared with a temporary database
 * that is created from the project's migrations, on a separate PostgreSQL server, because databases on the same server
 * share roles.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../base/kernel/log.ts';
import { parseConnectionString } from '../../platform/database/index.ts';
import type { Database } from '../../platform/database/types.ts';
import { compareSnapshots, diffScript, readSnapshot, type Snapshot } from '../../project/diff/index.ts';
import type { ProjectDeps } from '../../project/folder/index.ts';
import type { BackendParts } from './parts.ts';

/** A backend with an empty database, whose services don't run. */
export interface ScratchBackend extends Pick<ProjectDeps, 'database' | 'config' | 'keys'> {
  stop(): Promise<void>;
}

export interface Drift {
  /** The statements that make the same changes in a database with the migrations. Empty if nothing has changed. */
  readonly sql: string;
  /** The reason why the statements can't become a migration: the error that they raise in a database with the migrations. */
  readonly problem: string | null;
}

type Project = Pick<
  typeof import('../../project/folder/index.ts'),
  'applyProjectMigrations' | 'runAsMigration'
>;

/** Compares the database with the migrations. @throws {ProjectError} if a migration fails in the temporary database */
export async function findDrift(
  { database, projectDir }: Pick<BackendParts, 'database' | 'projectDir'>,
  project: Project,
  openScratch: (dataDir: string) => Promise<ScratchBackend>,
): Promise<Drift> {
  const home = mkdtempSync(join(tmpdir(), 'plinth-drift-'));
  try {
    const scratch = await openScratch(join(home, 'data'));
    try {
      const deps: ProjectDeps = {
        database: scratch.database,
        config: scratch.config,
        keys: scratch.keys,
        projectDir,
        mode: 'development',
        log: silentLogger,
        onProgress: () => undefined,
      };
      await project.applyProjectMigrations(deps);
      return await compare(scratch.database, await snapshotOf(database), (text) =>
        project.runAsMigration(deps, [{ shownPath: 'new migration', text }]),
      );
    } finally {
      await scratch.stop();
    }
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Runs the statements in the temporary database, and adds statements for the differences that remain. */
async function compare(
  scratch: Database,
  after: Snapshot,
  run: (text: string) => Promise<void>,
): Promise<Drift> {
  const rest = async (): Promise<string> =>
    diffScript(compareSnapshots(await snapshotOf(scratch), after, { schemas: [] }));
  const first = await rest();
  if (first === '') return { sql: '', problem: null };
  try {
    await run(first);
    const second = await rest();
    if (second !== '') await run(second);
    return { sql: [first, second].filter((each) => each !== '').join('\n'), problem: null };
  } catch (error) {
    return { sql: first, problem: error instanceof Error ? error.message : String(error) };
  }
}

const snapshotOf = (database: Database): Promise<Snapshot> =>
  readSnapshot({ ...parseConnectionString(database.info.url), applicationName: 'plinth' });
