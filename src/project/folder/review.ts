/**
 * Reviews the project's migrations. Reports which migrations are pending, changed or missing, and whether the pending
 * files would succeed.
 */
import { join } from 'node:path';
import { isPostgresError } from '../../base/shared/errors.ts';
import { readTextFile } from '../../base/shared/files.ts';
import type { Pool, Session } from '../../platform/database/types.ts';
import { planFile, type Step } from './core/plan.ts';
import { sameStatements } from './core/same-statements.ts';
import { splitStatements } from './core/split.ts';
import { findDown } from './down.ts';
import { statementFailed } from './errors.ts';
import { extensionOptions } from './external-extensions.ts';
import { type MigrationFile, readMigrationFolder } from './files.ts';
import { withUserSession } from './first-start.ts';
import { compareMigrations, type MigrationState, pendingMigrations } from './migrations.ts';
import type { PrivilegedRunner } from './privileged.ts';
import { selectHistory } from './queries.ts';
import type { ProjectDeps } from './types.ts';

export interface ReviewedMigration {
  readonly version: string;
  readonly name: string;
  /**
   * `changed`: the file differs from the statements that the database recorded. `missing`: the migration was applied,
   * but its file doesn't exist. `recorded`: as `missing`, but on a server in production, whose folder doesn't receive the
   * files that deployments apply.
   */
  readonly state: 'applied' | 'pending' | 'changed' | 'missing' | 'recorded';
  /** The path to the file. Null if the file doesn't exist. */
  readonly file: string | null;
  /** Whether the migration is pending even though a newer migration is applied. */
  readonly isOlder: boolean;
  /** Whether the migration has a down script. */
  readonly hasDown: boolean;
}

interface Compared extends MigrationState {
  readonly name: string;
  /** The statements that the database recorded when it applied the migration. */
  readonly recorded: readonly string[];
}

async function compare(pool: Pool, projectDir: string): Promise<Compared[]> {
  const history = new Map((await selectHistory(pool)).map((entry) => [entry.version, entry]));
  const { files } = readMigrationFolder(join(projectDir, 'supabase'));
  return compareMigrations(files, [...history.keys()]).map((state) => {
    const entry = history.get(state.version);
    return { ...state, name: state.file?.name ?? entry?.name ?? '', recorded: entry?.statements ?? [] };
  });
}

/**
 * Returns all migrations, sorted by version.
 *
 * @param keepsFiles whether the folder should contain the files of all migrations, as in development
 */
export async function reviewMigrations(
  pool: Pool,
  projectDir: string,
  keepsFiles: boolean,
): Promise<ReviewedMigration[]> {
  const all = await compare(pool, projectDir);
  const newest = all.findLast(({ applied }) => applied)?.version ?? '';
  return all.map((migration) => {
    const { version, name, file, applied } = migration;
    const state = !applied
      ? 'pending'
      : file === undefined
        ? keepsFiles || migration.recorded.length === 0
          ? 'missing'
          : 'recorded'
        : isChanged(file, migration)
          ? 'changed'
          : 'applied';
    return {
      version,
      name,
      state,
      file: file?.shownPath ?? null,
      isOlder: !applied && version < newest,
      hasDown: findDown(join(projectDir, 'supabase'), { version, name }) !== undefined,
    };
  });
}

/**
 * Whether the file differs from the recorded statements, apart from differences in whitespace and final semicolons.
 * Returns false if no statements were recorded.
 */
function isChanged({ path }: MigrationFile, { recorded }: Compared): boolean {
  if (recorded.length === 0) return false;
  return !sameStatements(
    recorded,
    splitStatements(readTextFile(path)).map(({ text }) => text),
  );
}

export interface MigrationText {
  /** The text of the file. Null if the file doesn't exist. */
  readonly file: string | null;
  /** The statements that were applied. Null if the migration isn't applied, or if its statements weren't recorded. */
  readonly applied: string | null;
  /** The text of the down script. Null if the migration has none. */
  readonly down: string | null;
}

/** Returns the migration's text, or undefined if the version is unknown. */
export async function migrationText(
  pool: Pool,
  projectDir: string,
  version: string,
): Promise<MigrationText | undefined> {
  const found = (await compare(pool, projectDir)).find((each) => each.version === version);
  if (found === undefined) return undefined;
  const { file, recorded } = found;
  const down = findDown(join(projectDir, 'supabase'), found);
  return {
    down: down === undefined ? null : readTextFile(down.path),
    file: file === undefined ? null : readTextFile(file.path),
    applied:
      recorded.length === 0 ? null : recorded.map((text) => `${text.trim().replace(/;$/, '')};\n`).join('\n'),
  };
}

export interface DryRun {
  /** The files whose statements succeeded. */
  readonly tried: readonly string[];
  /** The first file that can't run in a transaction, and all files after it. */
  readonly untried: readonly string[];
}

/**
 * How long a dry run waits for a lock. The timeout is short because other statements queue behind the waiting dry run.
 */
const lockTimeout = '3s';

/**
 * Runs the pending migrations in one transaction that is rolled back.
 * @throws {ProjectError} for the first statement that fails
 */
export async function tryMigrations(
  deps: ProjectDeps,
  { includeAll }: { readonly includeAll: boolean },
): Promise<DryRun> {
  const { database, projectDir } = deps;
  const pending = pendingMigrations(await compare(database.pool('postgres'), projectDir), includeAll);
  const { embedded, readExtensions } = extensionOptions(database);
  const external = await readExtensions?.(database.pool('postgres'));
  const planned = pending.map((file) => {
    const statements = splitStatements(readTextFile(file.path));
    return { file, statements, steps: planFile(statements, { quiet: false, embedded, external }) };
  });
  const end = planned.findIndex(({ steps }) => !steps.every(canBeTried));
  const tried = end === -1 ? planned : planned.slice(0, end);
  await withUserSession(deps, (session, privileged) => tryAll(session, privileged, tried));
  const paths = (files: typeof planned): string[] => files.map(({ file }) => file.shownPath);
  return { tried: paths(tried), untried: paths(planned.slice(tried.length)) };
}

const canBeTried = (step: Step): boolean => step.kind === 'transaction' && step.end === 'commit';

interface Planned {
  readonly file: MigrationFile;
  readonly statements: ReturnType<typeof splitStatements>;
  readonly steps: readonly Step[];
}

async function tryAll(
  session: Session,
  privileged: PrivilegedRunner,
  files: readonly Planned[],
): Promise<void> {
  try {
    await session.transaction(
      async (tx) => {
        for (const { file, statements, steps } of files) {
          const all = steps.flatMap((step) => (step.kind === 'transaction' ? step.statements : []));
          await privileged.prepare(all);
          // The settings of one file must not apply to the next file.
          await tx.exec(`reset role; reset all; set local lock_timeout = '${lockTimeout}'`);
          for (const statement of all) {
            try {
              if (statement.privileged === undefined) await tx.exec(statement.text);
              else await privileged.run(tx, statement);
            } catch (error) {
              if (!isPostgresError(error)) throw error;
              const { line = 1, text = '' } = statements[statement.index] ?? {};
              throw statementFailed(
                {
                  file: file.shownPath,
                  index: statement.index,
                  line,
                  text,
                  committed: false,
                  isOurCall: statement.privileged !== undefined,
                  reason: [],
                  lacksExtension: false,
                },
                error,
              );
            }
          }
        }
      },
      { end: 'rollback' },
    );
  } finally {
    await privileged.cleanUp();
  }
}
