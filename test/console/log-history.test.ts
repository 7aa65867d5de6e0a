/** Tests the log of thirty days in the Console API: pages, the slowest requests, charts, groups of failures and exports. */
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { archiveFullFiles } from '../../src/platform/telemetry/history/archive.ts';
import { currentPath, fullPath } from '../../src/platform/telemetry/history/files.ts';
import { temporaryFolder } from '../database/helpers.ts';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';

const folder = temporaryFolder();
const dataFolder = temporaryFolder();
const metricsDir = join(dataFolder.path, 'metrics');
const dayMs = 24 * 60 * 60 * 1000;
const perDay = 400;
const days = 30;
const start = Math.floor(Date.now() / dayMs) * dayMs - days * dayMs;
let backend: Backend;
let looker: Operator;

const idOf = (number: number): string => createHash('sha1').update(`${number}`).digest('hex').slice(0, 20);

/** A log of thirty days. Every 20th request fails, and the function of every 50th request logs an error. */
async function writeHistory(): Promise<void> {
  for (let day = 0; day < days; day++) {
    let text = '';
    for (let index = 0; index < perDay; index++) {
      const number = day * perDay + index;
      const time = new Date(start + day * dayMs + index * 180_000).toISOString();
      const isFailed = number % 20 === 0;
      text += `${JSON.stringify({
        level: isFailed ? 40 : 30,
        time,
        requestId: idOf(number),
        service: 'rest',
        method: number % 2 === 0 ? 'GET' : 'POST',
        path: `/rest/v1/orders/${number}`,
        status: isFailed ? 500 : 200,
        durationMs: ((number * 37) % 1000) + 0.25,
        role: 'anon',
        message: 'request',
      })}\n`;
      if (number % 50 === 0)
        text += `${JSON.stringify({ level: 50, time, service: 'functions', message: `=cmd|' /C calc'!A1 order ${number}` })}\n`;
    }
    writeFileSync(
      day === days - 1 ? currentPath(folder.path) : fullPath(folder.path, start + (day + 1) * dayMs),
      text,
    );
  }
  await archiveFullFiles(folder.path, {
    limits: () => ({ max_size: 1e9, max_age: 90 * dayMs }),
    now: Date.now(),
    signal: new AbortController().signal,
  });
}

beforeAll(async () => {
  await writeHistory();
  backend = await startBackend({ logDir: folder.path, dataDir: dataFolder.path });
  await backend.operators.createOperator('looker', 'read-only');
  looker = await operator(backend, 'looker');
});
afterAll(async () => {
  await backend?.stop();
  folder.remove();
  dataFolder.remove();
});

const get = async (path: string, params: Record<string, string>) => {
  const { status, body } = await looker.call('GET', `${path}?${new URLSearchParams(params)}`);
  expect([status, status === 200 ? '' : body]).toEqual([200, '']);
  return body;
};
const iso = (at: number): string => new Date(at).toISOString();
const range = { since: iso(start), until: iso(start + days * dayMs) };
const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

interface Entry {
  readonly at: number;
  readonly requestId?: string;
  readonly durationMs?: number;
}

test('a request of the first day is found by its ID, its method and its duration', async () => {
  const byId = await get('/logs', { requestId: idOf(17) });
  expect(byId).toMatchObject({
    entries: [{ requestId: idOf(17), path: '/rest/v1/orders/17' }],
    next: null,
    searchedTo: null,
  });
  expect((await looker.call('GET', `/logs/requests/${idOf(17)}`)).body.entries).toHaveLength(1);
  const slow = await get('/logs', {
    ...range,
    until: iso(start + dayMs),
    method: 'POST',
    minMs: '990',
    maxMs: '999',
  });
  const wanted = Array.from({ length: perDay }, (_none, number) => number).filter(
    (number) => number % 2 === 1 && (number * 37) % 1000 >= 990 && (number * 37) % 1000 < 999,
  );
  expect(slow.entries.map(({ requestId }: Entry) => requestId)).toEqual(wanted.map(idOf).toReversed());
});

test('all pages of a range contain each entry once, in order', async () => {
  const within = { since: iso(start + 4.5 * dayMs), until: iso(start + 6.5 * dayMs), service: 'rest' };
  const found: Entry[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: { entries: Entry[]; next: string | null } = await get('/logs', {
      ...within,
      limit: '90',
      ...(cursor === '' ? {} : { cursor }),
    });
    found.push(...page.entries);
    cursor = page.next;
  }
  expect(found).toHaveLength(2 * perDay);
  expect(new Set(found.map(({ requestId }) => requestId)).size).toBe(2 * perDay);
  expect(found.map(({ at }) => at)).toEqual(found.map(({ at }) => at).toSorted((one, other) => other - one));
});

test('the slowest requests are listed first, in pages', async () => {
  const first = await get('/logs', { ...range, sort: 'duration', limit: '20' });
  const second = await get('/logs', { ...range, sort: 'duration', limit: '20', cursor: first.next });
  const durations = [...first.entries, ...second.entries].map(({ durationMs }: Entry) => durationMs);
  // Each duration occurs twelve times.
  const wanted = Array.from({ length: 40 }, (_none, index) => 999.25 - Math.floor(index / 12));
  expect(durations).toEqual(wanted);
  const ids = [...first.entries, ...second.entries].map(({ requestId }: Entry) => requestId);
  expect(new Set(ids).size).toBe(40);
});

test('the chart counts entries by status and level, also with a filter of text', async () => {
  const chart = await get('/logs/chart', range);
  expect([chart.next, chart.searchedTo]).toEqual([null, null]);
  expect(chart.start).toBe(start);
  expect(chart.failed).toHaveLength(chart.steps);
  const total = days * perDay;
  expect([sum(chart.succeeded), sum(chart.refused), sum(chart.failed), sum(chart.warnings)]).toEqual([
    total - total / 20,
    0,
    total / 20,
    total / 50,
  ]);
  const oneDay = await get('/logs/chart', {
    ...range,
    since: iso(start + dayMs),
    until: iso(start + 2 * dayMs),
    status: '5',
  });
  expect([sum(oneDay.succeeded), sum(oneDay.failed)]).toEqual([0, perDay / 20]);
  const byText = await get('/logs/chart', { ...range, path: '/orders/77' });
  expect(sum(byText.succeeded) + sum(byText.failed)).toBe(1 + 10 + 100);
});

test('the chart of the whole log contains requests that aren’t in a file yet', async () => {
  await backend.fetch('/rest/v1/no_such_table', { headers: { apikey: backend.keys.publishableKey } });
  await expect.poll(async () => sum((await get('/logs/chart', { service: 'rest' })).refused)).toBe(1);
});

test('equal failures are one group with its first, its last and an example', async () => {
  const { groups, others, start: first, stepMs } = await get('/logs/failures', range);
  expect([groups.length, others]).toEqual([2, 0]);
  const [get500, error] = groups;
  const last = days * perDay - 20;
  expect(get500).toMatchObject({
    ...{ kind: 'request', method: 'GET', route: '/rest/v1/orders/:id', status: 500 },
    ...{ count: (days * perDay) / 20, firstAt: start },
    example: { requestId: idOf(last), path: `/rest/v1/orders/${last}` },
  });
  expect(get500.steps[0]).toBe(Math.ceil(stepMs / 180_000 / 20));
  expect(first).toBe(start);
  expect(error).toMatchObject({
    kind: 'line',
    service: 'functions',
    level: 'error',
    count: (days * perDay) / 50,
  });
});

describe('an export', () => {
  const download = async (params: Record<string, string>) => {
    const { status, body, headers } = await looker.call('GET', `/logs/export?${new URLSearchParams(params)}`);
    expect(status).toBe(200);
    return { text: body as string, headers };
  };

  test('as NDJSON contains all entries that match', async () => {
    const { text, headers } = await download({ ...range, status: '5', format: 'ndjson' });
    expect(headers.get('content-disposition')).toContain('logs.ndjson');
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength((days * perDay) / 20);
    expect(lines.at(-1)).toMatchObject({ time: iso(start), requestId: idOf(0), status: 500 });
  });

  test('as CSV doesn’t contain formulas', async () => {
    const { text } = await download({ ...range, service: 'functions', format: 'csv' });
    const [head, first] = text.split('\r\n');
    expect(head).toContain('time,level,service,node,method,path');
    expect(first).toContain(`,'=cmd|' /C calc'!A1 order `);
    expect(text).not.toContain(',=cmd');
  });

  test('is recorded in the audit log', async () => {
    const owner = await operator(backend);
    const { body } = await owner.call('GET', '/audit?action=log.export');
    expect(body.entries[0]).toMatchObject({ action: 'log.export', operator_name: 'looker' });
  });
});

test('secrets are masked in groups and exports, and can’t be found in charts', async () => {
  const { secretKey } = backend.keys;
  await backend.fetch(`/functions/v1/${'x'.repeat(270)}-${secretKey}`);
  const chartOf = async (path: string) => sum((await get('/logs/chart', { path })).refused);
  await expect.poll(() => chartOf('x'.repeat(100))).toBe(1);
  expect(await chartOf(secretKey.slice(0, 25))).toBe(0);
  const { groups } = await get('/logs/failures', { service: 'functions', status: '4' });
  expect(groups.length).toBeGreaterThan(0);
  const { body } = await looker.call('GET', '/logs/export?format=csv&service=functions&status=4');
  for (const text of [JSON.stringify(groups), body]) expect(text).not.toContain(secretKey.slice(0, 16));
});

describe('metrics', () => {
  const sampleOf = (at: number, requests: number) => ({
    at,
    requests: [['rest', [[0, requests, 2, 1, 20, requests]]]],
    gauges: { cpuCores: [0.25, 0.75], memoryBytes: [1e8, 2e8] },
  });

  test('of thirty days consist of hours, with the load, marks and a file', async () => {
    const hourMs = 60 * 60_000;
    const first = Math.floor(Date.now() / hourMs) * hourMs - 20 * 24 * hourMs;
    mkdirSync(metricsDir, { recursive: true });
    for (let hour = 0; hour < 48; hour++) {
      const at = first + hour * hourMs;
      const path = join(metricsDir, `hour-${iso(at).slice(0, 10)}.jsonl`);
      appendFileSync(path, `${JSON.stringify(sampleOf(at, 10))}\n`);
    }
    const { services, start: begin, stepMs } = await get('/metrics', { minutes: '43200' });
    const rest = services.find(({ service }: { service: string }) => service === 'rest');
    expect(rest.total).toMatchObject({ requests: 480, failed: 48 });
    expect(rest.points.length).toBeLessThanOrEqual(121);
    expect(rest.points[Math.floor((first - begin) / stepMs) + 1].requests).toBe((10 * stepMs) / hourMs);
    const load = await get('/metrics/load', { minutes: '43200' });
    const measured = load.gauges.cpuCores.average.filter((value: number | null) => value !== null);
    expect(new Set(measured)).toEqual(new Set([0.25]));
    expect(load.marks).toBeInstanceOf(Array);
    const { body, headers } = await looker.call('GET', '/metrics/export?minutes=43200');
    expect(headers.get('content-disposition')).toContain('metrics.csv');
    expect(body).toContain(',rest,requests,');
    expect(body).toContain(',,cpuCores (maximum),0.75');
  });

  test.each(['/metrics?minutes=43201', '/metrics/load?minutes=0', '/metrics/export?minutes=x'])(
    '%s is rejected',
    async (path) => {
      expect((await looker.call('GET', path)).status).toBe(400);
    },
  );
});

test.each([
  '/logs?sort=size',
  '/logs?minMs=-1',
  '/logs?minMs=x',
  '/logs?method=get',
  '/logs/chart?since=yesterday',
  '/logs/chart?next=a',
  '/logs/failures?next=a:1;b',
  '/logs/export',
  '/logs/export?format=xlsx',
])('%s is rejected', async (path) => {
  expect((await looker.call('GET', path)).status).toBe(400);
});

test('a range that ends before it begins, and one without entries, are empty', async () => {
  for (const params of [
    { since: iso(start + dayMs), until: iso(start) },
    { since: iso(start - 90 * dayMs), until: iso(start - 80 * dayMs) },
  ]) {
    expect((await get('/logs', params)).entries).toEqual([]);
    expect(sum((await get('/logs/chart', params)).succeeded)).toBe(0);
    expect((await get('/logs/failures', params)).groups).toEqual([]);
  }
});
