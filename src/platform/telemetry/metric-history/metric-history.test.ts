/** Tests the history of metrics: samples, coarser samples, gaps, crashes, limits and reports of several nodes. */
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { createMetrics } from '../core/metrics.ts';
import { openMetricHistory } from './index.ts';
import { parseSample } from './samples.ts';

const dirs: string[] = [];
afterAll(() => {
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
});

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const start = Date.parse('2026-03-01T00:00:00Z');

/** A server whose clock is set by the test. A new process has the same folder and empty counts. */
function server(keptMs = 30 * day) {
  const dir = mkdtempSync(join(tmpdir(), 'plinth-metrics-'));
  dirs.push(dir);
  let now = start;
  let metrics = createMetrics();
  const opened = () =>
    openMetricHistory(
      { dir, keptMs: () => keptMs },
      { save: (at, rangeMs) => metrics.save(at, rangeMs), now: () => now },
    );
  let history = opened();
  return {
    dir,
    now: () => now,
    read: (range: { start: number; stepMs: number; steps: number }) => history.read({ ...range, now }),
    report: (
      nodes: readonly (readonly unknown[])[],
      range: { start: number; stepMs: number; steps: number },
    ) => history.report(nodes, { ...range, now }),
    sample: () => history.sample({ cpuCores: 0.5, connections: 10 }),
    request: (status = 200) => metrics.count('rest', status, 5, now),
    advance(ms: number) {
      now += ms;
    },
    restart() {
      metrics = createMetrics();
      history = opened();
    },
  };
}

type TestServer = ReturnType<typeof server>;

/** Runs for a while with a request and a sample per minute. */
async function run(one: TestServer, minutes: number): Promise<void> {
  for (let number = 0; number < minutes; number++) {
    one.request(number % 10 === 0 ? 500 : 200);
    one.advance(minute);
    await one.sample();
  }
}

const totalOf = async (one: TestServer, range: { start: number; stepMs: number; steps: number }) => {
  const { requests } = await one.report([await one.read(range)], range);
  return requests.services[0]?.total;
};

test('each minute is in every level exactly once, also at the end of the range', async () => {
  const one = server();
  await run(one, 200);
  for (const stepMs of [minute, 10 * minute, hour]) {
    const range = { start, stepMs, steps: Math.ceil((200 * minute) / stepMs) };
    expect([stepMs, await totalOf(one, range)]).toMatchObject([stepMs, { requests: 200, failed: 20 }]);
  }
  const { gauges } = await one.report([await one.read({ start, stepMs: hour, steps: 4 })], {
    ...{ start, stepMs: hour, steps: 4 },
  });
  expect(gauges.gauges.cpuCores).toEqual({ average: [0.5, 0.5, 0.5, 0.5], max: [0.5, 0.5, 0.5, 0.5] });
  expect(gauges.gauges.sockets.average).toEqual([null, null, null, null]);
});

test('minutes that couldn’t be stored are stored later', async () => {
  const one = server();
  await run(one, 5);
  for (let number = 0; number < 90; number++) {
    one.request();
    one.advance(minute);
  }
  await one.sample();
  expect(await totalOf(one, { start, stepMs: hour, steps: 2 })).toMatchObject({ requests: 95 });
});

test('a process that was killed loses at most its last minute, and a line that was cut off', async () => {
  const one = server();
  await run(one, 59);
  const [name = ''] = readdirSync(one.dir).filter((each) => each.startsWith('minute'));
  appendFileSync(join(one.dir, name), '{"at":17723');
  one.restart();
  await run(one, 61);
  expect(await totalOf(one, { start, stepMs: hour, steps: 2 })).toMatchObject({ requests: 120 });
  const lines = readFileSync(join(one.dir, name), 'utf8').split('\n');
  expect(lines.filter((line) => parseSample(line) !== undefined)).toHaveLength(120);
  expect(statSync(join(one.dir, name)).mode & 0o077).toBe(0);
});

test('files are deleted when all of their samples are too old', async () => {
  const one = server(5 * day);
  for (let number = 0; number < 8 * 24; number++) {
    one.request();
    one.advance(hour);
    await one.sample();
  }
  const daysOf = (level: string) => readdirSync(one.dir).filter((name) => name.startsWith(level)).length;
  expect([daysOf('minute'), daysOf('ten'), daysOf('hour')]).toEqual([3, 6, 6]);
  const range = { start: one.now() - 4 * day, stepMs: hour, steps: 4 * 24 };
  expect((await totalOf(one, range))?.requests).toBeGreaterThan(4 * 24 - 2);
});

test('a report adds up the nodes, and ignores samples with another format', async () => {
  const [one, other] = [server(), server()];
  await run(one, 3);
  await run(other, 3);
  const range = { start, stepMs: minute, steps: 3 };
  const samples = [await one.read(range), [...(await other.read(range)), null, 5, { at: 'x' }, { at: 1e99 }]];
  const { requests, gauges } = await one.report(samples, range);
  expect(requests.services[0]?.total.requests).toBe(6);
  expect(gauges.gauges.connections.average).toEqual([20, 20, 20]);
});

test('any text is either parsed as a sample or ignored', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
      const sample = parseSample(line);
      if (sample !== undefined) expect(Number.isSafeInteger(sample.at)).toBe(true);
    }),
  );
});
