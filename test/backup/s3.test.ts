/**
 * Tests backups in S3. The server is killed during its first backup. Also tests a restore with sessions, secrets and
 * sequences, and the archive of the restored server.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createS3Server } from './s3-server.ts';
import {
  differences,
  makeProject,
  type Project,
  type Ready,
  readAll,
  run,
  startServer,
  startWriter,
} from './server.ts';

const directory = mkdtempSync(join(tmpdir(), 'plinth-target-'));
const s3 = createS3Server(directory, 'backups');
let project: Project;
let port: number;
let prefix: string;
beforeAll(async () => {
  ({ port } = await s3.run());
});
// Each run of the test has a target without backups.
beforeEach(() => {
  prefix = `one/${randomUUID()}`;
  project = makeProject(
    `s3://backups/${prefix}?endpoint=http://127.0.0.1:${port}`,
    'access_key_id = "S3RVER"\nsecret_access_key = "S3RVER"\n',
  );
});
afterEach(() => project.remove());
afterAll(async () => {
  await s3.close();
  rmSync(directory, { recursive: true, force: true });
});

const plinth = async (...args: string[]): Promise<string> => {
  const { status, stdout, stderr } = await run(project, args);
  expect(status, stderr).toBe(0);
  return stdout;
};

const auth = async (server: Ready, path: string, body: object): Promise<Record<string, unknown>> => {
  const response = await fetch(`${server.API_URL}/auth/v1/${path}`, {
    method: 'POST',
    headers: { apikey: server.SERVICE_ROLE_KEY, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, unknown>;
};

const query = async (server: Ready, text: string): Promise<Record<string, unknown>[]> => {
  const client = new pg.Client(server.DB_URL);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
};

it('the archive remains valid after a kill during the backup, and an exact time can be restored', async () => {
  const killed = await startServer(project);
  const first = startWriter(killed, { rowsPerSecond: 50, uploadsPerSecond: 3 });
  // Waits until the first base backup has begun.
  const stored = (): string[] => readdirSync(directory, { recursive: true }).map(String);
  await expect.poll(() => stored().some((name) => name.includes(`${prefix}/plinth-backup.json`))).toBe(true);
  await expect.poll(() => first.rows.some(({ ackedAtMs }) => ackedAtMs !== undefined)).toBe(true);
  await killed.kill();
  await first.stop();
  expect(JSON.parse(await plinth('backup', 'list', '--json'))).toEqual([]);

  const server = await startServer(project);
  const session = await auth(server, 'signup', { email: 'ada@app.test', password: 'correct horse battery' });
  await query(server, "select nextval('public.tickets') from generate_series(1, 5)");
  const writer = startWriter(server, { rowsPerSecond: 50, uploadsPerSecond: 3, from: 1_000_000 });
  await plinth('backup');
  await sleep(1500);
  const timeMs = Date.now();
  await sleep(2500);
  const lostAtMs = Date.now();
  await server.kill();
  await writer.stop();
  rmSync(project.dataDir, { recursive: true, force: true });

  const newest = join(project.dir, 'newest');
  await plinth('restore', '--data-dir', newest);
  const newestCopy = await startServer(project, newest);
  const all = await readAll(newestCopy);
  await newestCopy.stop();
  // At most two seconds of acknowledged writes may be lost.
  const lost = differences(all, writer, lostAtMs - 2000).filter((text) => /is missing|no bytes/.test(text));
  expect(lost).toEqual([]);

  const dataDir = join(project.dir, 'restored');
  await plinth('restore', '--promote', '--to-time', new Date(timeMs).toISOString(), '--data-dir', dataDir);
  const copy = await startServer(project, dataDir);
  const found = await readAll(copy);
  expect(differences(found, writer, timeMs)).toEqual([]);
  const killedRows = first.rows.filter(({ ackedAtMs }) => ackedAtMs !== undefined);
  expect(killedRows.filter(({ n }) => !found.rows.has(n))).toEqual([]);
  await auth(copy, 'token?grant_type=refresh_token', { refresh_token: session.refresh_token });
  const secrets = 'select decrypted_secret from vault.decrypted_secrets where name = ';
  expect(await query(copy, `${secrets}'kept'`)).toEqual([{ decrypted_secret: 'the secret' }]);
  const [ticket] = await query(copy, "select nextval('public.tickets')::int as next");
  expect(ticket?.next).toBeGreaterThan(5);

  // The restored server continues on a new timeline, with its own base backup.
  await plinth('backup', '--data-dir', dataDir);
  const entries = JSON.parse(await plinth('backup', 'list', '--json')) as { timeline: number }[];
  expect(entries.map(({ timeline }) => timeline)).toEqual([1, 2]);
  expect(await plinth('backup', 'verify')).toContain('No problems');
  expect(await plinth('backup', 'prune', '--data-dir', dataDir)).toContain('Kept 2 base backups');
  await copy.stop();
}, 420_000);
