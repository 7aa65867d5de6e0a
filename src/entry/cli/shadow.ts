/**
 * Databases for comparisons, which are created from the project's files. Each database has its own temporary server.
 */

import { silentLogger } from '../../base/kernel/log.ts';
import { loadConfig } from '../../platform/config/index.ts';
import { type ConnectionOptions, parseConnectionString } from '../../platform/database/index.ts';
import {
  applyProjectMigrations,
  applySchemaFiles,
  type ProjectDeps,
  readSchemaFiles,
  runAsMigration,
} from '../../project/folder/index.ts';
import type { Backend } from '../main.ts';
import { withCleanUp } from './interruption.ts';
import { isSkippable } from './keep-going-offer.ts';
import { hasSkippedStatements } from './migrated.ts';
import { progressPrinter, say } from './output.ts';
import type { ProjectLocation } from './project-location.ts';
import { createScratchDatabases } from './scratch-databases.ts';

export interface Shadow {
  readonly target: ConnectionOptions;
  /** Runs SQL as a migration. @throws {ProjectError} */
  run(text: string): Promise<void>;
}

export interface Shadows {
  /**
   * Creates a database from roles.sql and the migrations, optionally up to a given version. If --keep-going has skipped
   * statements in the local database, statements that fail are skipped here too, unless `isStrict` is set.
   */
  fromMigrations(options?: { readonly upToVersion?: string; readonly isStrict?: boolean }): Promise<Shadow>;
  /** Creates a database from roles.sql only. */
  fromRoles(): Promise<Shadow>;
  /** Runs SQL as a migration in a new database with roles.sql and the migrations. @throws {ProjectError} */
  applyToMigrations(text: string): Promise<void>;
  hasSchemaFiles(): boolean;
  /**
   * Creates a database from roles.sql and the declarative schema files. Returns undefined if the project has no schema
   * files.
   */
  fromSchemaFiles(): Promise<Shadow | undefined>;
}

export async function withShadows<T>(
  location: ProjectLocation,
  work: (shadows: Shadows) => Promise<T>,
): Promise<T> {
  const { projectDir } = location;
  const databases = createScratchDatabases(projectDir);
  const onProgress = progressPrinter(say);
  const create = async (fill: (deps: ProjectDeps) => Promise<void>): Promise<Shadow> => {
    const backend = await databases.open();
    const deps = depsOf(backend, projectDir, onProgress);
    await fill(deps);
    return {
      target: { ...parseConnectionString(backend.database.info.url), applicationName: 'plinth' },
      run: (text) => runAsMigration(deps, [{ shownPath: 'new migration', text }]),
    };
  };
  const schemaFiles = () => readSchemaFiles(projectDir, loadConfig({ projectDir }).config);
  const shadows: Shadows = {
    hasSchemaFiles: () => schemaFiles().length > 0,
    fromMigrations: async (options) => {
      say('Creating shadow database...');
      try {
        return await create((deps) => applyProjectMigrations(deps, options));
      } catch (error) {
        if (options?.isStrict === true || !isSkippable(error) || !(await hasSkippedStatements(location)))
          throw error;
        say(
          'Skipping the statements that fail, because the local database was also created with --keep-going.',
        );
        return await create((deps) => applyProjectMigrations(deps, { ...options, keepsGoing: true }));
      }
    },
    applyToMigrations: async (text) => (await shadows.fromMigrations()).run(text),
    fromRoles: () =>
      create(({ config, ...deps }) => {
        const db = { ...config.db, migrations: { ...config.db.migrations, enabled: false } };
        return applyProjectMigrations({ ...deps, config: { ...config, db } });
      }),
    fromSchemaFiles: async () => {
      const files = schemaFiles();
      if (files.length === 0) return undefined;
      say('Creating local database from declarative schemas:');
      for (const { shownPath } of files) say(` • ${shownPath}`);
      return await create((deps) => applySchemaFiles(deps, files));
    },
  };
  return await withCleanUp(() => work(shadows), databases.close);
}

const depsOf = (
  { database, config, keys }: Backend,
  projectDir: string,
  onProgress: (message: string) => void,
): ProjectDeps => ({
  database,
  config,
  keys,
  projectDir,
  mode: 'development',
  log: silentLogger,
  onProgress,
});
