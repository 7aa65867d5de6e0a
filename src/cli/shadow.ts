/**
 * Databases for comparisons, which are created from the project's files. Each database has its own temporary server.
 */
import { loadConfig } from '../config/index.ts';
import { type ConnectionOptions, parseConnectionString } from '../database/index.ts';
import { silentLogger } from '../kernel/log.ts';
import type { Backend } from '../main.ts';
import {
  applyProjectMigrations,
  applySchemaFiles,
  type ProjectDeps,
  readSchemaFiles,
  runAsMigration,
} from '../project/index.ts';
import { withCleanUp } from './interruption.ts';
import { progressPrinter, say } from './output.ts';
import { createScratchDatabases } from './scratch-databases.ts';

export interface Shadow {
  readonly target: ConnectionOptions;
  /** Runs SQL as a migration. @throws {ProjectError} */
  run(text: string): Promise<void>;
}

export interface Shadows {
  /** Creates a database from roles.sql and the migrations, optionally up to a given version. */
  fromMigrations(options?: { readonly upToVersion?: string }): Promise<Shadow>;
  /** Creates a database from roles.sql only. */
  fromRoles(): Promise<Shadow>;
  hasSchemaFiles(): boolean;
  /**
   * Creates a database from roles.sql and the declarative schema files. Returns undefined if the project has no schema
   * files.
   */
  fromSchemaFiles(): Promise<Shadow | undefined>;
}

export async function withShadows<T>(projectDir: string, work: (shadows: Shadows) => Promise<T>): Promise<T> {
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
    fromMigrations: (options) => {
      say('Creating shadow database...');
      return create((deps) => applyProjectMigrations(deps, options));
    },
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
