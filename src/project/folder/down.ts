/**
 * Down scripts, which undo a migration. The script of `supabase/migrations/VERSION_NAME.sql` is the file with the same
 * name in `supabase/migrations/down/`, a folder that upstream's CLI ignores.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readTextFile } from '../../base/shared/files.ts';
import { announcing } from './announcing.ts';
import { ProjectError } from './errors.ts';
import { extensionOptions } from './external-extensions.ts';
import { readSources } from './files.ts';
import { withUserSession } from './first-start.ts';
import { deleteApplied, selectApplied } from './queries.ts';
import { runFile } from './run-file.ts';
import { findSchemaTool } from './schema-tools.ts';
import type { ProjectDeps } from './types.ts';

export const downFolder = (supabaseDir: string): string => join(supabaseDir, 'migrations', 'down');

export interface DownScript {
  readonly path: string;
  /** The path that messages show. */
  readonly shownPath: string;
}

/** Returns the down script of a migration, or undefined if it doesn't exist. */
export function findDown(
  supabaseDir: string,
  { version, name }: { readonly version: string; readonly name: string },
): DownScript | undefined {
  // A name from the history could contain path separators.
  if (!/^\d+$/.test(version) || /[/\\\0]/.test(name)) return undefined;
  const entry = `${version}_${name}.sql`;
  const path = join(downFolder(supabaseDir), entry);
  return existsSync(path) ? { path, shownPath: `supabase/migrations/down/${entry}` } : undefined;
}

/**
 * Runs the down script of the newest applied migration and removes the migration from the history, in one transaction
 * if PostgreSQL allows it. Returns the path of the script.
 * @throws {ProjectError} `migration_not_found`, `down_not_newest`, `down_missing`, or the error of the failed statement
 */
export async function revertMigration(deps: ProjectDeps, version: string): Promise<string> {
  const { database, projectDir, onProgress } = deps;
  const supabaseDir = join(projectDir, 'supabase');
  return await announcing(database, onProgress, () =>
    withUserSession(deps, async (session, privileged) => {
      // The session holds the lock under which migrations are applied, so this migration stays the newest one.
      const applied = await selectApplied(session);
      const migration = applied.find((each) => each.version === version);
      if (migration === undefined)
        throw new ProjectError('migration_not_found', { version, dir: 'the migration history' });
      const newest = applied.at(-1)?.version;
      if (newest !== version) throw new ProjectError('down_not_newest', { version, newest });
      const script = findDown(supabaseDir, migration);
      if (script === undefined) throw new ProjectError('down_missing', { version });
      await runFile(
        { shownPath: script.shownPath, text: readTextFile(script.path) },
        {
          session,
          privileged,
          quiet: false,
          ...extensionOptions(database),
          readSources: () => readSources(supabaseDir),
          findSchemaTool: () => findSchemaTool(projectDir),
          record: (tx) => deleteApplied(tx, [version]),
        },
      );
      return script.shownPath;
    }),
  );
}
