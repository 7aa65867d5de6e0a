/** Starts a REST service with a separate database and the fixture in this folder. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../src/base/kernel/log.ts';
import { sql } from '../../src/base/kernel/sql.ts';
import { configFrom, createLiveConfig, type PartialConfig } from '../../src/platform/config/index.ts';
import { createTestDatabase } from '../../src/platform/database/testing.ts';
import type { Database } from '../../src/platform/database/types.ts';
import { createKeys } from '../../src/platform/keys/index.ts';
import { createGateway } from '../../src/server/gateway/index.ts';
import { createRest, type PermissionHints } from '../../src/services/rest/index.ts';

const fixture = readFileSync(new URL('fixture.sql', import.meta.url), 'utf8');
const authSql = new URL('../../src/services/auth/sql/', import.meta.url);

export interface RestHarness {
  readonly url: string;
  /** The parent folder of temporary files for large responses. */
  readonly dataDir: string;
  readonly anonKey: string;
  readonly serviceKey: string;
  /** Returns an access token for an end user. */
  userToken(sub: string, claims?: Record<string, unknown>): string;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Runs statements as `postgres`. */
  run(text: string): Promise<void>;
  query<R extends object>(text: string): Promise<R[]>;
  stop(): Promise<void>;
}

/** Starts the service. `sql` contains statements that create additional objects before the schema cache is loaded. */
export async function startRest({
  permissionHints = 'off',
  sql: more,
  settings = {},
}: {
  permissionHints?: PermissionHints;
  sql?: string;
  settings?: PartialConfig;
} = {}): Promise<RestHarness> {
  const { database, drop } = await createTestDatabase('rest-fixture', async (template) => {
    await template.migrate([{ module: 'auth', dir: authSql }]);
    await template.pool('postgres').exec(fixture);
  });
  if (more !== undefined) await database.pool('postgres').exec(more);
  return serveRest(database, drop, permissionHints, settings);
}

/** Starts the service on any database. `end` is called after the service has stopped. */
export async function serveRest(
  database: Database,
  end: () => Promise<void>,
  permissionHints: PermissionHints = 'off',
  settings: PartialConfig = {},
): Promise<RestHarness> {
  const config = configFrom({ ...settings, api: { schemas: ['public'], ...settings.api } }, '/nowhere');
  const dataDir = await mkdtemp(join(tmpdir(), 'plinth-rest-'));
  const keys = createKeys({ mode: 'development', config, supabaseDir: '/nowhere', dataDir: '/nowhere' });
  const rest = createRest({
    database,
    keys,
    config: createLiveConfig(config),
    dataDir,
    log: silentLogger,
    permissionHints,
  });
  await rest.start?.();
  const gateway = createGateway({ services: [rest], keys, log: silentLogger });
  const port = await gateway.listen('127.0.0.1', 0);
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    dataDir,
    anonKey: keys.anonKey,
    serviceKey: keys.serviceRoleKey,
    userToken: (sub, claims = {}) => keys.sign({ sub, role: 'authenticated', exp: 4_000_000_000, ...claims }),
    fetch: (path, init) => fetch(`${url}/rest/v1${path}`, init),
    run: (text) => database.pool('postgres').exec(text),
    query: (text) => database.pool('postgres').query(sql`${sql.raw(text)}`),
    async stop() {
      await gateway.close(1000);
      await rest.stop?.();
      await end();
      await rm(dataDir, { recursive: true });
    },
  };
}
