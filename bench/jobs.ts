/**
 * Queues ten thousand HTTP requests with SQL, and kills PostgreSQL and Plinth (kill -9) while Plinth sends the
 * requests. Each request must arrive at least once, and its response must eventually be stored. Then queues the same
 * number of requests again, without killing a process, to measure the rate.
 *
 *   node bench/jobs.ts [requests]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { killPlinth, killPostgres, startPlinth } from '../test/jobs/process.ts';
import { openTarget } from '../test/jobs/target.ts';

const requests = Number(process.argv[2] ?? 10_000);
const projectDir = mkdtempSync(join(tmpdir(), 'plinth-bench-jobs-'));
const target = await openTarget();
let plinth = await startPlinth(projectDir);

const arrived = (): number => new Set(target.arrived.map(({ url }) => url)).size;
const until = async (what: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await what())) await sleep(20);
};
const isEmpty = async (): Promise<boolean> =>
  (await plinth.query('select count(*)::int as n from net.http_request_queue'))[0]?.n === 0;
const queue = (): Promise<unknown> =>
  plinth.query(`select net.http_get('${target.url}/' || n) from generate_series(1, ${requests}) n`);

try {
  await queue();
  await until(() => arrived() > requests * 0.25);
  console.log(`kill -9 of PostgreSQL after ${arrived()} requests`);
  killPostgres(projectDir);
  await until(() => arrived() > requests * 0.5);
  console.log(`kill -9 of Plinth after ${arrived()} requests`);
  await killPlinth(plinth);
  plinth = await startPlinth(projectDir);
  await until(() => arrived() > requests * 0.75);
  console.log(`kill -9 of both after ${arrived()} requests`);
  killPostgres(projectDir);
  await killPlinth(plinth);
  plinth = await startPlinth(projectDir);
  await until(isEmpty);
  const [answers] = await plinth.query(
    'select count(distinct id)::int as recorded, count(*) filter (where status_code is distinct from 200)::int as failed from net._http_response',
  );
  console.log({ requests, arrived: arrived(), sentAgain: target.arrived.length - arrived(), ...answers });
  if (arrived() !== requests || answers?.recorded !== requests) process.exitCode = 1;

  target.arrived.length = 0;
  await queue();
  const startedAt = performance.now();
  await until(isEmpty);
  const tookMs = performance.now() - startedAt;
  console.log(`undisturbed: ${Math.round((requests / tookMs) * 1000)} requests/s`);
} finally {
  await plinth.stop();
  await target.close();
  rmSync(projectDir, { recursive: true, force: true, maxRetries: 5 });
}
