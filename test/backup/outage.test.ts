/**
 * Tests an unreachable backup target: an outage so short that the replication slot retains the WAL, and one so long
 * that PostgreSQL invalidates the slot. In both cases, requests succeed, `/health/ready` reports the problem, and
 * backups recover automatically.
 */
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, expect, it } from 'vitest';
import { makeProject, type RunningServer, readAll, run, startServer } from './server.ts';

const parent = mkdtempSync(join(tmpdir(), 'plinth-target-'));
const target = join(parent, 'target');
const real = join(parent, 'real');
mkdirSync(real);
/**
 * Replaces the backup target with a symbolic link. A link to a missing folder simulates an unreachable machine, because
 * nothing can be written there.
 */
function linkTarget(to: string): void {
  const link = join(parent, 'link');
  symlinkSync(to, link);
  renameSync(link, target);
}
const connect = (): void => linkTarget(real);
const disconnect = (): void => linkTarget(join(parent, 'nowhere'));
connect();
const project = makeProject(target);
afterAll(() => {
  project.remove();
  rmSync(parent, { recursive: true, force: true });
});

/** The longest time until backups recover on a busy machine. The delay between two attempts is at most 30 s. */
const healMs = 180_000;

async function backupCheck({ API_URL }: RunningServer) {
  const response = await fetch(`${API_URL}/health/ready`);
  const { checks } = (await response.json()) as {
    checks: { backup: { status: string; message?: string } };
  };
  return { code: response.status, ...checks.backup };
}

async function insert({ API_URL, SERVICE_ROLE_KEY }: RunningServer, n: number): Promise<number> {
  const { status } = await fetch(`${API_URL}/rest/v1/notes`, {
    method: 'POST',
    headers: { apikey: SERVICE_ROLE_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ n }),
  });
  return status;
}

interface Listed {
  readonly id: string;
  readonly newest_recoverable: string;
}

async function list(): Promise<Listed[]> {
  const { status, stdout, stderr } = await run(project, ['backup', 'list', '--json']);
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout) as Listed[];
}

it('the server keeps working, reports the outage and recovers', async () => {
  // With these limits, PostgreSQL invalidates a slot after a few checkpoints.
  const config = join(project.dir, 'supabase', 'config.toml');
  const settings =
    'max_slot_wal_keep_size = "32MB"\nmax_wal_size = "32MB"\nwal_keep_size = "0"\nstatement_timeout = "60s"\n';
  const text = readFileSync(config, 'utf8').replace(/\[db\.settings\][^[]*/, '');
  writeFileSync(config, `${text}[db.settings]\n${settings}`);
  const server = await startServer(project);
  const database = new pg.Client(server.DB_URL);
  await database.connect();
  const slot = async (): Promise<string | undefined> =>
    (
      await database.query(
        "select wal_status from pg_replication_slots where slot_type = 'physical' and not temporary",
      )
    ).rows[0]?.wal_status;
  try {
    await expect.poll(async () => (await list()).length, { timeout: healMs, interval: 500 }).toBe(1);
    expect(await insert(server, 1)).toBe(201);

    // During a short outage, the slot retains the WAL.
    disconnect();
    await expect
      .poll(() => backupCheck(server), { timeout: healMs })
      .toMatchObject({
        code: 200,
        status: 'degraded',
        message: expect.stringContaining('Backups are failing'),
      });
    expect(await insert(server, 2)).toBe(201);
    expect(await slot()).not.toBe('lost');
    connect();
    await expect.poll(() => backupCheck(server), { timeout: healMs }).toEqual({ code: 200, status: 'ok' });
    expect(await list()).toHaveLength(1);

    // During a long outage, PostgreSQL writes more WAL than the slot may retain.
    disconnect();
    await expect.poll(async () => (await backupCheck(server)).status, { timeout: healMs }).toBe('degraded');
    await database.query('create table public.bulk (text text)');
    const lostFrom = Date.now();
    for (let part = 0; (await slot()) !== 'lost'; part++) {
      expect(part).toBeLessThan(100);
      await database.query(
        "insert into public.bulk select string_agg(md5(random()::text), '') from generate_series(1, 40000) i group by i % 40",
      );
    }
    expect(await insert(server, 3)).toBe(201);
    expect(await backupCheck(server)).toMatchObject({ code: 200, status: 'degraded' });
    connect();
    // A new base backup starts automatically, because some WAL after the first base backup is missing.
    await expect.poll(async () => (await list()).length, { timeout: healMs, interval: 500 }).toBe(2);
    await expect.poll(() => backupCheck(server), { timeout: healMs }).toEqual({ code: 200, status: 'ok' });
    expect(await slot()).not.toBe('lost');
    expect(await insert(server, 4)).toBe(201);
    const insertedAt = Date.now();
    await expect
      .poll(async () => Date.parse((await list()).at(-1)?.newest_recoverable ?? ''), {
        timeout: healMs,
        interval: 500,
      })
      .toBeGreaterThan(insertedAt);
    await database.end();
    await server.stop();

    const newest = join(project.dir, 'newest');
    const restored = await run(project, ['restore', '--data-dir', newest]);
    expect(restored, restored.stderr).toMatchObject({ status: 0 });
    const copy = await startServer(project, newest);
    const { rows } = await readAll(copy);
    await copy.stop();
    expect([...rows]).toEqual([1, 2, 3, 4]);

    // A restore to a time for which WAL is missing fails with an error.
    const gap = await run(project, [
      ...['restore', '--data-dir', join(project.dir, 'gap')],
      ...['--to-time', new Date(lostFrom + 1).toISOString()],
    ]);
    expect(gap.status).toBe(1);
    expect(gap.stderr).not.toBe('');
  } finally {
    await database.end().catch(() => undefined);
    await server.stop();
  }
}, 600_000);
