/**
 * kill -9 while requests are being sent: of PostgreSQL, of Plinth, and of both. Each request arrives at least once, and
 * each has an answer in the end. bench/jobs.ts does the same with ten thousand.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { killPlinth, killPostgres, type Plinth, startPlinth } from './process.ts';
import { openTarget, type Target } from './target.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const requests = 600;
const projectDir = mkdtempSync(join(tmpdir(), 'plinth-jobs-'));
let target: Target;
let plinth: Plinth;
beforeAll(async () => {
  target = await openTarget();
  target.answer((_request, response) => void setTimeout(() => response.end('x'), 15));
  plinth = await startPlinth(projectDir);
});
afterAll(async () => {
  await plinth?.stop();
  await target?.close();
  rmSync(projectDir, { recursive: true, force: true, maxRetries: 5 });
});

test('nothing that was queued is lost', async () => {
  await plinth.query(`select net.http_get('${target.url}/' || n) from generate_series(1, ${requests}) n`);
  const arrived = (): number => new Set(target.arrived.map(({ url }) => url)).size;

  await expect.poll(arrived, { timeout: 60_000 }).toBeGreaterThan(requests / 6);
  killPostgres(projectDir);
  await expect.poll(arrived, { timeout: 60_000 }).toBeGreaterThan(requests / 3);
  await killPlinth(plinth);
  plinth = await startPlinth(projectDir);
  await expect.poll(arrived, { timeout: 60_000 }).toBeGreaterThan((requests * 2) / 3);
  killPostgres(projectDir);
  await killPlinth(plinth);
  plinth = await startPlinth(projectDir);

  const [queued, answered, failed] = [
    'select count(*)::int as n from net.http_request_queue',
    "select count(distinct id)::int as n from net._http_response where status_code = 200 and content = 'x'",
    'select count(*)::int as n from net._http_response where error_msg is not null',
  ];
  await expect.poll(() => plinth.query(queued as string), { timeout: 60_000 }).toEqual([{ n: 0 }]);
  expect(await plinth.query(answered as string)).toEqual([{ n: requests }]);
  expect(await plinth.query(failed as string)).toEqual([{ n: 0 }]);
  expect(arrived()).toBe(requests);
  // Sent again is what was under way, and no more.
  expect(target.arrived.length).toBeLessThan(requests + 4 * 64 + 1);
});
