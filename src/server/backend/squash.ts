/** Squashes the project's migrations for the Console, as "plinth migration squash" does. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../base/kernel/log.ts';
import { readTextFile } from '../../base/shared/files.ts';
import { parseConnectionString } from '../../platform/database/index.ts';
import type { SquashDatabase } from '../../project/diff/index.ts';
import type { ProjectDeps } from '../../project/folder/index.ts';
import { configOfCopy } from './copy.ts';
import type { DriftStep, ScratchBackend } from './drift.ts';
import type { BackendParts } from './parts.ts';
import { openSchemaComparer } from './schema-comparer.ts';

export interface Squashed {
  /** The path of the remaining file. */
  readonly file: string;
  /** The folder with copies of the original files. */
  readonly backup: string;
  /** The statements and objects that the file doesn't contain, such as inserted rows, with their places. */
  readonly omitted: readonly string[];
}

type Project = Pick<
  typeof import('../../project/folder/index.ts'),
  | 'applyProjectMigrations'
  | 'dataStatements'
  | 'ProjectError'
  | 'readMigrationFolder'
  | 'runAsMigration'
  | 'selectApplied'
  | 'squashFiles'
  | 'squashHistory'
>;

export interface SquashDeps {
  readonly project: Project;
  readonly openScratch: (dataDir: string) => Promise<ScratchBackend>;
  readonly onStep: (step: DriftStep) => void;
}

/**
 * Replaces all migrations up to this version, which must be applied, with one file.
 * @throws {ProjectError} `squash_pending`, `squash_single`, `squash_failed`, or the error of a migration
 */
export async function squashMigrations(
  { database, projectDir, supabaseDir, options }: BackendParts,
  version: string,
  { project, openScratch, onStep }: SquashDeps,
): Promise<Squashed> {
  const { ProjectError } = project;
  const pool = database.pool('postgres');
  const files = project.readMigrationFolder(supabaseDir).files.filter((file) => file.version <= version);
  const last = files.at(-1);
  if (last?.version !== version)
    throw new ProjectError('migration_not_found', { version, dir: 'supabase/migrations' });
  if (files.length === 1) throw new ProjectError('squash_single', { file: last.shownPath });
  const applied = new Set((await project.selectApplied(pool)).map((each) => each.version));
  const pending = files.find((file) => !applied.has(file.version));
  if (pending !== undefined) throw new ProjectError('squash_pending', { file: pending.shownPath });
  const texts = new Map(files.map(({ path, shownPath }) => [path, { shownPath, text: readTextFile(path) }]));
  const omitted = project.dataStatements([...texts.values()]).map(({ place, text }) => `${place}: ${text}`);
  const home = mkdtempSync(join(tmpdir(), 'plinth-squash-'));
  const comparer = await openSchemaComparer(options.forkComparer);
  const opened: ScratchBackend[] = [];
  async function open(name: string, upToVersion: string | undefined): Promise<SquashDatabase> {
    const scratch = await openScratch(join(home, name));
    opened.push(scratch);
    const config = configOfCopy(scratch.config);
    const migrations = { ...config.db.migrations, enabled: upToVersion !== undefined };
    const deps: ProjectDeps = {
      database: scratch.database,
      config: { ...config, db: { ...config.db, migrations } },
      keys: scratch.keys,
      projectDir,
      mode: 'development',
      log: silentLogger,
      onProgress: () => undefined,
    };
    await project.applyProjectMigrations(deps, upToVersion === undefined ? {} : { upToVersion });
    return {
      target: { ...parseConnectionString(scratch.database.info.url), applicationName: 'plinth' },
      run: (text) => project.runAsMigration(deps, [{ shownPath: 'squashed migration', text }]),
    };
  }
  try {
    onStep('server');
    const copy = await open('copy', undefined);
    onStep('migrations');
    const original = await open('original', version);
    const [copyUrl = '', originalUrl = ''] = opened.map((each) => each.database.info.url);
    onStep('compare');
    const { SquashError, squashedText } = await import('../../project/diff/index.ts');
    await comparer.read('original', originalUrl);
    const text = await squashedText({
      original,
      copy,
      async differences() {
        onStep('check');
        await comparer.read('copy', copyUrl);
        return await comparer.script('copy', 'original');
      },
      onUnsupported: (object) => void omitted.push(object),
    }).catch((error: unknown) => {
      if (!(error instanceof SquashError)) throw error;
      const { cause, differences } = error;
      const reason = differences ?? (cause instanceof Error ? cause.message : '');
      throw new ProjectError('squash_failed', { message: error.message }, { advice: [reason], cause: error });
    });
    // An editor can have saved a file since it was read.
    if ([...texts].some(([path, before]) => readTextFile(path) !== before.text))
      throw new ProjectError('squash_changed');
    const backup = project.squashFiles(projectDir, files, text);
    await project.squashHistory(pool, projectDir, version);
    return { file: last.shownPath, backup, omitted };
  } finally {
    comparer.close();
    await Promise.allSettled(opened.map((each) => each.stop()));
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}
