/**
 * Databases without data for comparisons: shadow databases with the project's migrations, and the scratch servers that
 * they run on. Checks first that the migrations have been applied to the project's own database.
 */
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger } from '../../base/kernel/log.ts';
import { sql } from '../../base/kernel/sql.ts';
import { loadConfig } from '../../platform/config/index.ts';
import {
  type ConnectionOptions,
  inspectionTarget,
  openCopySession,
  parseConnectionString,
} from '../../platform/database/index.ts';
import {
  applyProjectMigrations,
  applySchemaFiles,
  type ProjectDeps,
  readMigrationFolder,
  readSchemaFiles,
  runAsMigration,
} from '../../project/folder/index.ts';
import { type Backend, createBackend, preparedCluster } from '../main.ts';
import { findRunning } from './control.ts';
import { CommandError } from './errors.ts';
import { isSkippable } from './keep-going-offer.ts';
import { progressPrinter, say } from './output.ts';
import type { ProjectLocation } from './project-location.ts';
import { freePorts } from './remote-calls.ts';
import { withCleanUp } from './signals.ts';
import { ensureDataDir } from './state.ts';
import { withTargetNamed } from './target-database.ts';

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

/** Checks, before a comparison, that this project's migrations have been applied to the project's database. */
export const notMigrated = (): CommandError =>
  new CommandError(
    "None of this project's migrations has been applied to its local database.",
    'Run "plinth start", which creates the database and applies them, and then run this command again.',
  );

/**
 * Checks that the database exists.
 * @throws {CommandError} if the project has migrations but the database doesn't exist yet
 */
export async function requireStarted(location: ProjectLocation): Promise<void> {
  const isExpected = !hasMigrations(location) || existsSync(join(location.dataDir, 'postgres'));
  if (!isExpected && (await findRunning(location.dataDir)) === undefined) throw notMigrated();
}

/**
 * Checks the migration history.
 * @throws {CommandError} if the project has migrations but the history contains none of these migrations
 */
export async function requireApplied(location: ProjectLocation, target: ConnectionOptions): Promise<void> {
  if (!hasMigrations(location)) return;
  const session = await openCopySession(await inspectionTarget(target));
  try {
    const [history] = await session.query<{ exists: boolean }>(
      sql`select to_regclass('supabase_migrations.schema_migrations') is not null as exists`,
    );
    if (history?.exists !== true) throw notMigrated();
    const applied = await session.query(sql`select from supabase_migrations.schema_migrations limit 1`);
    if (applied.length === 0) throw notMigrated();
  } finally {
    session.destroy();
  }
}

/** Whether --keep-going has skipped statements of the migrations in this project's database. */
async function hasSkippedStatements(location: ProjectLocation): Promise<boolean> {
  if ((await findRunning(location.dataDir)) === undefined && !existsSync(join(location.dataDir, 'postgres')))
    return false;
  const read = async (target: ConnectionOptions): Promise<boolean> => {
    const session = await openCopySession(await inspectionTarget(target));
    try {
      const [table] = await session.query<{ exists: boolean }>(
        sql`select to_regclass('_plinth.project_failures') is not null as exists`,
      );
      if (table?.exists !== true) return false;
      return (await session.query(sql`select from _plinth.project_failures limit 1`)).length > 0;
    } finally {
      session.destroy();
    }
  };
  return await withTargetNamed(location, 'local', read, { allowsIncomplete: true });
}

const hasMigrations = ({ projectDir }: ProjectLocation): boolean =>
  readMigrationFolder(join(projectDir, 'supabase')).files.length > 0;

const stopTimeoutMs = 3_000;

export interface ScratchDatabases {
  /** Starts a server with an empty database. The caller must stop the server. */
  open(): Promise<Backend>;
  /**
   * Stops all running servers and deletes all files. Waits only briefly, because a server that is in use can't end its
   * sessions. Such a server shuts down when this process exits.
   */
  close(): Promise<void>;
}

/**
 * Each new server copies the prepared cluster. If there is none, the first server's files, which contain all of
 * Plinth's schemas, become the template of all databases.
 */
export function createScratchDatabases(projectDir: string): ScratchDatabases {
  const home = mkdtempSync(join(tmpdir(), 'plinth-scratch-'));
  const template = join(home, 'template');
  const { config } = loadConfig({ projectDir });
  const opened = new Set<Promise<Backend>>();
  const start = (dataDir: string): Promise<Backend> => {
    const starting = createBackend({ projectDir, dataDir, config, ...freePorts, durable: false });
    opened.add(starting);
    return starting;
  };
  let isClosed = false;
  let created: Promise<boolean> | undefined;
  /** Returns whether the template is needed. */
  const createTemplate = async (): Promise<boolean> => {
    if ((await preparedCluster(() => undefined)) !== undefined) return false;
    ensureDataDir(template);
    await (await start(template)).stop();
    return true;
  };
  return {
    async open() {
      created ??= createTemplate();
      const hasTemplate = await created;
      if (isClosed) throw new Error('The temporary databases are closed');
      const dataDir = join(home, String(opened.size));
      if (hasTemplate) cpSync(template, dataDir, { recursive: true, verbatimSymlinks: true });
      else ensureDataDir(dataDir);
      return await start(dataDir);
    },
    async close() {
      isClosed = true;
      const stopped = [...opened].map((starting) => starting.then((backend) => backend.stop()));
      await Promise.race([Promise.allSettled(stopped), sleep(stopTimeoutMs, undefined, { ref: false })]);
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
