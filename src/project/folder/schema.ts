/** Creates the project's schema in an empty database from the project's files, without any data. */
import { globSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { readTextFile } from '../../base/shared/files.ts';
import type { Config } from '../../platform/config/index.ts';
import type { SqlText } from './core/missing.ts';
import { ProjectError } from './errors.ts';
import { extensionOptions } from './external-extensions.ts';
import { readRolesFile } from './files.ts';
import { firstStart, withUserSession } from './first-start.ts';
import { runFile } from './run-file.ts';
import type { ProjectDeps } from './types.ts';

/**
 * Applies roles.sql and the migrations. If a version is given, applies only the migrations up to this version. With
 * `keepsGoing`, skips statements that fail, as a start with --keep-going does.
 * @throws {ProjectError}
 */
export async function applyProjectMigrations(
  deps: ProjectDeps,
  options: { readonly upToVersion?: string; readonly keepsGoing?: boolean } = {},
): Promise<void> {
  const { config } = deps;
  const withoutSeed = {
    ...deps,
    config: { ...config, db: { ...config.db, seed: { ...config.db.seed, enabled: false } } },
  };
  await withUserSession(withoutSeed, (session, privileged) =>
    firstStart(withoutSeed, options, { session, privileged, done: new Set() }),
  );
}

/**
 * Returns the declarative schema files in the order of `[db.migrations] schema_paths`. Without this setting, returns
 * the files in `supabase/schemas`, as upstream does.
 * @throws {ProjectError} `schema_path`
 */
export function readSchemaFiles(projectDir: string, { db }: Pick<Config, 'db'>): SqlText[] {
  const supabaseDir = join(projectDir, 'supabase');
  const globs = db.migrations.schema_paths;
  const paths = new Set<string>();
  for (const glob of globs.length === 0 ? ['schemas/**/*.sql'] : globs) {
    const matches = globSync(glob, { cwd: supabaseDir }).sort();
    if (matches.length === 0 && globs.length > 0) throw new ProjectError('schema_path', { glob });
    for (const match of matches) paths.add(resolve(supabaseDir, match));
  }
  return [...paths].map((path) => ({
    shownPath: relative(projectDir, path).replaceAll('\\', '/'),
    text: readTextFile(path),
  }));
}

/** Applies roles.sql and the declarative schema files. @throws {ProjectError} */
export async function applySchemaFiles(deps: ProjectDeps, files: readonly SqlText[]): Promise<void> {
  const roles = readRolesFile(join(deps.projectDir, 'supabase'));
  await runAsMigration(deps, [
    ...(roles === undefined ? [] : [{ shownPath: 'supabase/roles.sql', text: roles }]),
    ...files,
  ]);
}

/** Runs files with the permissions of a migration, without recording the files as applied. @throws {ProjectError} */
export async function runAsMigration(deps: ProjectDeps, files: readonly SqlText[]): Promise<void> {
  const { database } = deps;
  await withUserSession(deps, async (session, privileged) => {
    for (const file of files)
      await runFile(file, {
        session,
        privileged,
        quiet: true,
        ...extensionOptions(database),
        readSources: () => files,
        record: async () => {},
      });
  });
}
