/**
 * Runs a complete backend for tests in this process, on a private database that is cloned from a migrated template.
 *
 * @example
 * const backend = await createTestBackend({ projectDir: 'examples/live-board' });
 * const client = createClient(backend.url, backend.keys.publishableKey);
 * // …
 * await backend.stop();
 */

import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '../base/kernel/log.ts';
import { sql } from '../base/kernel/sql.ts';
import { thisMachine } from '../base/shared/machine.ts';
import type { Outgoing } from '../base/shared/network/outgoing.ts';
import { type Config, configFrom, loadConfig, type PartialConfig } from '../platform/config/index.ts';
import { createTestDatabase, stopTestCluster, type Template } from '../platform/database/testing.ts';
import type { Database } from '../platform/database/types.ts';
import { poolLimits, requestPathLimits } from '../server/backend/connection-limits.ts';
import type { WorkersOption } from '../server/backend/types.ts';
import { type Backend, configSourceOf, createBackend, migrateServices, prepareDatabase } from './main.ts';

export { stopTestCluster };

export interface TestBackendOptions {
  /**
   * A folder that contains `supabase/`. The folder's config, migrations and seeds are used. If undefined, all defaults
   * apply.
   */
  readonly projectDir?: string;
  /** A data folder that is kept after `stop()`. Defaults to a new folder. */
  readonly dataDir?: string;
  /** Whether changed settings are saved in a layer above the project's files, as by a node of a group. */
  readonly hasSavedSettings?: boolean;
  /** Settings that override the project's config.toml. */
  readonly config?: PartialConfig;
  /** The complete settings, which replace the project's settings. */
  readonly loaded?: Config;
  /** SQL that runs as `postgres` after the project's migrations. The database template includes the result. */
  readonly sql?: string;
  readonly log?: Logger;
  /** A folder with log files. By default, only entries in memory are available. */
  readonly logDir?: string;
  readonly exclude?: readonly string[];
  readonly mode?: 'development' | 'production';
  /** Called when an operator requests a server restart in the Console. */
  readonly restart?: () => void;
  /** A test double for requests to other servers. */
  readonly outgoing?: Outgoing;
  /** The cost of new password hashes. Defaults to the lowest cost. */
  readonly passwordCost?: number | 'production';
  /** The port. Defaults to a free port. */
  readonly port?: number;
  /** The number of API workers, and a function that receives each worker's process. Defaults to none. */
  readonly workers?: { readonly count: number; readonly onWorker?: (worker: ChildProcess) => void };
}

/** bcrypt's lowest cost, which takes 1 ms of CPU time per hash. The cost in production takes 60 ms. */
export const lowestPasswordCost = 4;

/** The template that all projects extend. Each project's template only adds the project's migrations and seeds. */
const services: Template = { key: 'services', prepare: migrateServices };

const patienceMs = 60_000;

/** Makes requests wait for a busy machine instead of being rejected, unless the settings say otherwise. */
const unhurried = ({ plinth, ...config }: PartialConfig): PartialConfig => ({
  ...config,
  plinth: {
    ...plinth,
    server: { max_wait: patienceMs, ...plinth?.server },
    rest: { max_wait: patienceMs, max_wait_slow: patienceMs, ...plinth?.rest },
  },
});

/** Returns a started backend on free ports. `stop()` also removes the database and the files. */
export async function createTestBackend(options: TestBackendOptions = {}): Promise<Backend> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'plinth-test-')));
  const removeDataDir = async (): Promise<void> => {
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
  };
  const projectDir = options.projectDir ?? dataDir;
  const { mode = 'development' } = options;
  const savedDir = options.hasSavedSettings ? join(dataDir, 'saved-settings') : undefined;
  const config =
    options.loaded ??
    (options.config || !options.projectDir
      ? configFrom(unhurried(options.config ?? {}), join(projectDir, 'supabase'))
      : loadConfig({ projectDir, savedDir, mode }).config);
  const key = createHash('sha256')
    .update(
      JSON.stringify([
        options.projectDir ?? '',
        options.projectDir === undefined ? [] : databaseFiles(join(projectDir, 'supabase')),
        options.sql ?? '',
        config.db,
        config.api.auto_expose_new_tables ?? null,
      ]),
    )
    .digest('hex')
    .slice(0, 16);
  const prepare = async (template: Database): Promise<void> => {
    await prepareDatabase(template, config, projectDir);
    if (options.sql !== undefined) await template.pool('postgres').exec(options.sql);
  };
  const { database, drop } = await createTestDatabase(key, prepare, services, {
    requestPath: requestPathLimits(config.plinth.rest, thisMachine()),
    pools: poolLimits(config.plinth.database, thisMachine()),
    extensionFolders: config.plinth.database.extension_folders,
  });
  try {
    const settings = {
      dataDir,
      projectDir,
      config,
      database: { ...database, stop: drop },
      port: options.port ?? 0,
      mailPort: 0,
      consolePort: 0,
      exclude: options.exclude,
      mode: options.mode,
      ...(options.projectDir === undefined || options.config !== undefined
        ? {}
        : { configSource: configSourceOf({ projectDir, savedDir, mode }) }),
      ...(options.restart === undefined ? {} : { restart: options.restart }),
      ...(options.outgoing === undefined ? {} : { outgoing: options.outgoing }),
      ...(options.passwordCost === 'production'
        ? {}
        : { passwordCost: options.passwordCost ?? lowestPasswordCost }),
      log: options.log,
      ...(options.logDir === undefined ? {} : { logDir: options.logDir }),
      forkComparer: () => forkServe('--schema-comparer'),
      ...(options.workers === undefined ? {} : { workers: workersOf(options.workers) }),
    };
    const backend = await createBackend(settings);
    await backend.start();
    return {
      ...fields(backend),
      get url() {
        return backend.url;
      },
      async stop() {
        await backend.stop();
        await removeDataDir();
      },
    };
  } catch (error) {
    // After a failed startup, the database has already been dropped, and dropping it again has no effect.
    await drop();
    await removeDataDir();
    throw error;
  }
}

/**
 * Returns text that identifies the files that a template is built from, so that a changed file leads to a new template.
 */
function databaseFiles(supabaseDir: string): readonly unknown[] {
  const folders = ['migrations', 'seeds', 'schemas', 'tests'].map((name) => join(supabaseDir, name));
  return [supabaseDir, ...folders]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.sql'))
        .map((name) => {
          const { size, mtimeMs } = statSync(join(folder, name));
          return [folder, name, size, mtimeMs];
        }),
    );
}

/** Returns the backend's option for API workers, which run from source. */
export const workersOf = ({
  count,
  onWorker,
}: NonNullable<TestBackendOptions['workers']>): WorkersOption => ({
  count,
  fork() {
    const worker = forkServe('--api-worker');
    onWorker?.(worker);
    return worker;
  },
});

/** Runs a part of the server in another process, from source. */
const forkServe = (flag: string): ChildProcess =>
  fork(new URL('../../bin/plinth.mjs', import.meta.url), ['serve', flag], {
    serialization: 'advanced',
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });

/** Excludes `url`, because it is a getter whose value changes when the backend starts. */
const fields = ({
  keys,
  config,
  database,
  start,
  reload,
  configuration,
  restartWorkers,
  fetch,
  routes,
  console,
  status,
  health,
  nodes,
  consoleLink,
  operators,
  manage,
  mcp,
  admit,
  setOperators,
  ports,
  functions,
  backups,
}: Backend) => ({
  operators,
  manage,
  mcp,
  admit,
  setOperators,
  ports,
  functions,
  backups,
  routes,
  console,
  keys,
  config,
  database,
  start,
  reload,
  configuration,
  restartWorkers,
  fetch,
  status,
  health,
  nodes,
  consoleLink,
});

/** Runs a statement as `postgres`, for test setup. */
export const runSql = async (backend: Backend, text: string): Promise<void> => {
  await backend.database.pool('postgres').query(sql`${sql.raw(text)}`);
};
