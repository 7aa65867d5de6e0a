/**
 * Tests a restored copy that runs at the same time as its original. The copy doesn't send or write anything until it is
 * promoted. After the promotion, the original stops writing to the target, and the database can still be restored to a
 * time before the promotion.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeProject, type Ready, readAll, run, startServer, startWriter } from './server.ts';

const target = mkdtempSync(join(tmpdir(), 'plinth-target-'));
const project = makeProject(target);
const received: string[] = [];
const listener = createServer((request, response) => {
  received.push(request.url ?? '');
  response.end();
});

beforeAll(() => new Promise<void>((resolve) => void listener.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  listener.close();
  project.remove();
  rmSync(target, { recursive: true, force: true });
});

const plinth = async (...args: string[]): Promise<string> => {
  const { status, stdout, stderr } = await run(project, args);
  expect(status, stderr).toBe(0);
  return stdout;
};

async function post(server: Ready, path: string): Promise<void> {
  const client = new pg.Client(server.DB_URL);
  await client.connect();
  const { port } = listener.address() as AddressInfo;
  await client.query('create extension if not exists pg_net');
  await client.query('select net.http_post($1)', [`http://127.0.0.1:${port}/${path}`]);
  await client.end();
}

async function checksOf(server: Ready): Promise<Record<string, { status: string; message?: string }>> {
  const response = await fetch(`${server.API_URL}/health/ready`, {
    headers: { apikey: server.SERVICE_ROLE_KEY, authorization: `Bearer ${server.SERVICE_ROLE_KEY}` },
  });
  return ((await response.json()) as { checks: Record<string, { status: string }> }).checks;
}

const filesIn = (folder: string): string[] => readdirSync(folder, { recursive: true }).map(String).sort();

it('a copy is passive until it is promoted', async () => {
  const original = await startServer(project);
  const writer = startWriter(original, { rowsPerSecond: 20, uploadsPerSecond: 2 });
  await plinth('backup');
  await post(original, 'from-original');
  await expect.poll(() => received).toEqual(['/from-original']);
  await sleep(1000);
  await writer.stop();
  const timeMs = Date.now();
  await sleep(1500);
  await original.stop();

  const [copyDir, twinDir] = ['copy', 'twin'].map((name) => join(project.dir, name)) as [string, string];
  for (const dir of [copyDir, twinDir]) await plinth('restore', '--data-dir', dir);
  const before = filesIn(target);
  const copy = await startServer(project, copyDir);
  expect((await checksOf(copy)).copy).toMatchObject({ status: 'degraded' });
  expect((await readAll(copy)).rows.size).toBeGreaterThan(5);
  await post(copy, 'from-copy');
  await startWriter(copy, { rowsPerSecond: 50, uploadsPerSecond: 5, from: 1_000_000 }).stop();
  await sleep(1500);
  expect(received).toEqual(['/from-original']);
  await copy.stop();
  expect(filesIn(target)).toEqual(before);

  const running = await startServer(project);
  await expect.poll(async () => (await checksOf(running)).backup?.status, { timeout: 20_000 }).toBe('ok');
  expect(await plinth('promote', '--data-dir', copyDir)).toContain('promoted');
  const promoted = await startServer(project, copyDir);
  await expect.poll(() => received, { timeout: 20_000 }).toEqual(['/from-original', '/from-copy']);
  await plinth('backup', '--data-dir', copyDir);
  await expect
    .poll(async () => (await checksOf(running)).backup?.status, { timeout: 30_000 })
    .toBe('degraded');
  expect(await run(project, ['backup'])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('Another server uses the backup target.'),
  });
  await running.stop();
  await promoted.stop();

  // If a second copy used the same timeline number, the target would contain a mixture of both copies' WAL.
  await plinth('promote', '--data-dir', twinDir);
  const twin = await startServer(project, twinDir);
  await expect
    .poll(async () => (await run(project, ['backup', '--data-dir', twinDir])).stderr, { timeout: 30_000 })
    .toContain('Restore again');
  await twin.stop();

  const entries = JSON.parse(await plinth('backup', 'list', '--json')) as { timeline: number }[];
  expect(entries.map(({ timeline }) => timeline)).toContain(2);
  const old = join(project.dir, 'old');
  await plinth('restore', '--to-time', new Date(timeMs).toISOString(), '--data-dir', old);
  const third = await startServer(project, old);
  const rows = (await readAll(third)).rows;
  expect([...rows].every((n) => n < 1_000_000)).toBe(true);
  expect(rows.size).toBe(writer.rows.filter(({ ackedAtMs }) => ackedAtMs !== undefined).length);
  await third.stop();
}, 300_000);
