/**
 * A complete backend for tests, in this process, on a private database that is cloned from a migrated template.
 *
 * @example
 * const backend = await createTestBackend({ projectDir: 'examples/live-board' });
 * const client = createClient(backend.url, backend.keys.publishableKey);
 * // …
 * await backend.stop();
 */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configFrom, loadConfig, type PartialConfig } from './config/index.ts';
import { createTestDatabase, stopTestCluster } from './database/testing.ts';
import type { Logger } from './kernel/log.ts';
import { sql } from './kernel/sql.ts';
import { type Backend, createBackend, prepareDatabase } from './main.ts';
import type { Outgoing } from './shared/outgoing.ts';

export { stopTestCluster };

export interface TestBackendOptions {
  /**
   * A folder that contains `supabase/`, whose config, migrations and seeds are used. Without it, all defaults apply.
   */
  readonly projectDir?: string;
  /** Settings that replace the project's config.toml. */
  readonly config?: PartialConfig;
  /** SQL that runs as `postgres` after the project's migrations. It is part of the template. */
  readonly sql?: string;
  readonly log?: Logger;
  readonly exclude?: readonly string[];
  /** Test doubles for other servers. */
  readonly outgoing?: Outgoing;
  /** Defaults to a free port. */
  readonly port?: number;
}

/** Returns a started backend on free ports. `stop()` also removes the database and the files. */
export async function createTestBackend(options: TestBackendOptions = {}): Promise<Backend> {
  const dataDir = await mkdtemp(join(tmpdir(), 'plinth-test-'));
  const projectDir = options.projectDir ?? dataDir;
  const config =
    options.config || !options.projectDir
      ? configFrom(options.config ?? {}, join(projectDir, 'supabase'))
      : loadConfig({ projectDir }).config;
  const key = createHash('sha256')
    .update(
      JSON.stringify([
        options.projectDir ?? '',
        options.sql ?? '',
        config.db,
        config.api.auto_expose_new_tables ?? null,
      ]),
    )
    .digest('hex')
    .slice(0, 16);
  const { database, drop } = await createTestDatabase(key, async (template) => {
    await prepareDatabase(template, config, projectDir);
    if (options.sql !== undefined) await template.pool('postgres').exec(options.sql);
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
      ...(options.outgoing === undefined ? {} : { outgoing: options.outgoing }),
      log: options.log,
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
        await rm(dataDir, { recursive: true, force: true });
      },
    };
  } catch (error) {
    // A failed start has already stopped the database. Dropping it again has no effect.
    await drop();
    await rm(dataDir, { recursive: true, force: true });
    throw error;
  }
}

/** Excludes `url`, a getter whose value changes when the backend starts. */
const fields = ({
  keys,
  config,
  database,
  start,
  fetch,
  routes,
  console,
  status,
  health,
  consoleLink,
  operators,
  functions,
}: Backend) => ({
  operators,
  functions,
  routes,
  console,
  keys,
  config,
  database,
  start,
  fetch,
  status,
  health,
  consoleLink,
});

/** Runs a statement as `postgres`, for test setup. */
export const runSql = async (backend: Backend, text: string): Promise<void> => {
  await backend.database.pool('postgres').query(sql`${sql.raw(text)}`);
};
