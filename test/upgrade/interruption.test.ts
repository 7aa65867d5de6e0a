/**
 * Tests an upgrade that is ended with SIGKILL at each step. After the interruption, either the old or the new cluster
 * must be in use, and a repeated upgrade must succeed. The major version stays the same, so these tests don't require
 * another version.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLogger } from '../../src/base/kernel/log.ts';
import { sql } from '../../src/base/kernel/sql.ts';
import { startCluster } from '../../src/platform/database/embedded/cluster.ts';
import { clusterTarget } from '../../src/platform/database/embedded/sign-ins.ts';
import { Client } from '../../src/platform/database/wire/index.ts';

const script = fileURLToPath(new URL('./kill-at.ts', import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-upgrade-'));
  chmodSync(folder, 0o711);
  await withClient(join(folder, 'original'), (client) =>
    client.exec(`create table public.kept (id integer primary key, body text);
      insert into public.kept select n, repeat('x', n) from generate_series(1, 1000) n`),
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

test.each([
  ['building', 'old'],
  ['loaded', 'old'],
  ['written', 'old'],
  ['swapping', 'new'],
  ['old-renamed', 'new'],
  ['new-renamed', 'new'],
] as const)('after SIGKILL at the step %s, the %s cluster is in use', async (step, expected) => {
  const dataDir = join(folder, step);
  cpSync(join(folder, 'original'), dataDir, { recursive: true });
  const before = await state(dataDir);
  expect(await upgradeUntil(dataDir, step)).toBe('SIGKILL');
  const after = await state(dataDir);
  expect(readdirSync(join(dataDir, 'run')).filter((name) => /^(old|current|upgrade)/.test(name))).toEqual([]);
  expect(after.content).toBe(before.content);
  expect(after.identifier === before.identifier).toBe(expected === 'old');
  expect(existsSync(join(dataDir, 'postgres.old-18'))).toBe(expected === 'new');
  if (expected === 'new') return;
  expect(await upgradeUntil(dataDir, 'never')).toBe(0);
  const upgraded = await state(dataDir);
  expect(upgraded.content).toBe(before.content);
  expect(upgraded.identifier).not.toBe(before.identifier);
  expect(readdirSync(dataDir).filter((name) => /^(postgres\.new|initializing|upgrade)/.test(name))).toEqual(
    [],
  );
});

/** Runs an upgrade that is killed at the given step. Resolves with the signal or the exit code. */
async function upgradeUntil(dataDir: string, step: string): Promise<string | number | null> {
  const child = spawn(process.execPath, [script, dataDir, step], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return signal ?? code;
}

interface State {
  /** The system identifier, which is different for each cluster. */
  readonly identifier: string;
  readonly content: string;
}

const state = (dataDir: string): Promise<State> =>
  withClient(dataDir, async (client) => {
    const [row] = await client.query<State>(sql`
      select (select system_identifier::text from pg_control_system()) as identifier,
        (select md5(string_agg(k::text, ',' order by id)) from public.kept k) as content`);
    return row as State;
  });

async function withClient<T>(dataDir: string, work: (client: Client) => Promise<T>): Promise<T> {
  const cluster = await startCluster({
    dataDir,
    port: null,
    durable: false,
    settings: {},
    password: 'postgres',
    sharedPassword: false,
    log: silentLogger,
    onProgress: () => {},
  });
  try {
    const client = await Client.connect(clusterTarget(cluster, 'supabase_admin', 'postgres'));
    try {
      return await work(client);
    } finally {
      await client.connection.close();
    }
  } finally {
    await cluster.stop();
  }
}
