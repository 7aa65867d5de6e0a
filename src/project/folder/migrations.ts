/** Compares the user's migrations with the migrations that are applied to the database. */

import { readTextFile } from '../../base/shared/files.ts';
import { shellQuoted } from '../../base/shared/printable.ts';
import type { Session } from '../../platform/database/types.ts';
import { splitStatements } from './core/split.ts';
import { ProjectError } from './errors.ts';
import type { MigrationFile } from './files.ts';
import type { PrivilegedRunner } from './privileged.ts';
import { ensureHistory, insertApplied } from './queries.ts';
import { type KeepGoing, type RunOptions, runFile } from './run-file.ts';

export interface MigrationState {
  readonly version: string;
  /** The file. Undefined if the migration was applied but its file no longer exists. */
  readonly file: MigrationFile | undefined;
  readonly applied: boolean;
}

/** Combines the files with the applied versions. The result is sorted by version as text. */
export function compareMigrations(
  files: readonly MigrationFile[],
  applied: readonly string[],
): MigrationState[] {
  const byVersion = new Map<string, MigrationState>();
  for (const version of applied) byVersion.set(version, { version, file: undefined, applied: true });
  for (const file of files) {
    byVersion.set(file.version, { version: file.version, file, applied: byVersion.has(file.version) });
  }
  return [...byVersion.values()].sort((a, b) => (a.version < b.version ? -1 : a.version > b.version ? 1 : 0));
}

/**
 * Returns the pending files in the order in which they are applied.
 *
 * @param target the option that selects the database in the advice, such as `--linked`
 * @throws {ProjectError} `remote_missing`; `local_older` unless `includeAll` is set
 */
export function pendingMigrations(
  states: readonly MigrationState[],
  includeAll: boolean,
  target?: string,
): MigrationFile[] {
  const orphans = states.filter(({ file }) => file === undefined);
  if (orphans.length > 0) {
    const versions = orphans.map(({ version }) => shellQuoted(version)).join(' ');
    throw new ProjectError(
      'remote_missing',
      {},
      {
        advice: [
          'If you no longer have the files, mark these versions as not applied:',
          `  plinth migration repair --status reverted ${versions}${target === undefined ? '' : ` ${target}`}`,
        ],
      },
    );
  }
  const newest = states.findLast(({ applied }) => applied)?.version;
  const pending = states.filter(({ applied }) => !applied);
  const older = pending.filter(({ version }) => newest !== undefined && version < newest);
  if (older.length > 0 && !includeAll) {
    const names = older.map(({ file }) => `  ${file?.shownPath}`);
    throw new ProjectError(
      'local_older',
      {},
      {
        advice: ['To apply them anyway, run the command again with --include-all:', ...names],
      },
    );
  }
  return pending.flatMap(({ file }) => (file === undefined ? [] : [file]));
}

export interface ApplyOptions {
  readonly session: Session;
  readonly privileged: PrivilegedRunner;
  readonly quiet: boolean;
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
 * Applies the files.
 * @throws {ProjectError} for the first file that fails. The changes of earlier files remain applied.
 */
export async function applyMigrations(files: readonly MigrationFile[], options: ApplyOptions): Promise<void> {
  if (files.length === 0) return;
  await ensureHistory(options.session, options.isFlushedLater);
  for (const { version, name, path, shownPath } of files) {
    options.onProgress(`Applying migration ${version}_${name}.sql...`);
    await runFile(
      { shownPath, text: readTextFile(path) },
      { ...options, record: (tx, statements) => insertApplied(tx, { version, name, statements }) },
    );
  }
}

/** Returns a file in the format of the history table. @throws {ProjectError} `migration_not_found` */
export function readForHistory(files: readonly MigrationFile[], version: string) {
  const file = files.find((one) => one.version === version);
  if (file === undefined)
    throw new ProjectError('migration_not_found', { version, dir: 'supabase/migrations' });
  const statements = splitStatements(readTextFile(file.path)).map(({ text }) => text);
  return { version, name: file.name, statements };
}
