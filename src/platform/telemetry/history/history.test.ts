/** Tests the log's history: compressed files, their indexes, pages, charts, groups of failures, and crashes. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { silentLogger } from '../../../base/kernel/log.ts';
import { entryOfFileLine, fits } from '../core/entries.ts';
import { patternOf, routeOf } from '../core/failure-groups.ts';
import { createTelemetry } from '../index.ts';
import type { Cursor, LogEntry, LogFilter, LogSort } from '../types.ts';
import { archiveFullFiles, compressFile } from './archive.ts';
import { bloomOf, mayContain } from './bloom.ts';
import { stepsOf } from './counts.ts';
import { compressedPath, currentPath, fullFiles, fullPath } from './files.ts';
import { needleOf } from './lines.ts';

const dirs: string[] = [];
const folder = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'plinth-history-'));
  dirs.push(dir);
  return dir;
};
afterAll(() => {
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
});

const day = 24 * 60 * 60 * 1000;
const start = Date.parse('2026-03-01T00:00:00Z');
const signal = new AbortController().signal;
const limits = () => ({ max_size: 1e9, max_age: 1e12 });
const archive = (dir: string, now = start) => archiveFullFiles(dir, { limits, now, signal });

interface Line {
  readonly at: number;
  readonly [field: string]: unknown;
}

const lineText = ({ at, ...fields }: Line): string =>
  `${JSON.stringify({ level: 30, time: new Date(at).toISOString(), ...fields })}\n`;
const request = (at: number, fields: object = {}): Line => ({
  at,
  service: 'rest',
  method: 'GET',
  path: '/rest/v1/todos',
  status: 200,
  durationMs: 5,
  message: 'request',
  ...fields,
});

/** Thirty days of requests, in one file per day. Most files are compressed. */
async function thirtyDays(): Promise<{ dir: string; all: LogEntry[] }> {
  const dir = folder();
  const all: LogEntry[] = [];
  for (let number = 0; number < 30; number++) {
    const texts = Array.from({ length: 1500 }, (_none, index) => {
      const at = start + number * day + index * 57_000;
      const id = number * 1500 + index;
      const isFailed = id % 500 === 0;
      return lineText(
        request(at, {
          level: isFailed ? 40 : 30,
          service: id % 7 === 0 ? 'auth' : 'rest',
          requestId: `request-${id}`,
          userId: `user-${id % 40}`,
          path: `/rest/v1/todos/${id}`,
          status: isFailed ? 500 : id % 90 === 0 ? 404 : 200,
          durationMs: (id * 7919) % 4001,
          ...(id % 300 === 1 ? { operator: 'owner' } : {}),
          userAgent: 'x'.repeat(150),
        }),
      );
    });
    for (const text of texts) all.push(entryOfFileLine(text) as LogEntry);
    writeFileSync(
      number === 29 ? currentPath(dir) : fullPath(dir, start + (number + 1) * day),
      texts.join(''),
    );
  }
  await archive(dir);
  // A file that isn't compressed yet is read too.
  return { dir, all };
}

const history = await thirtyDays();
const end = start + 30 * day;
const open = (dir: string, budget?: { bytes: number; ms: number }) =>
  createTelemetry({ log: silentLogger, dir, now: () => end, ...(budget === undefined ? {} : { budget }) });
const telemetry = open(history.dir, { bytes: 1e9, ms: 1e9 });

/** Reads all pages, as a client does. */
async function allPages(
  filter: LogFilter,
  {
    sort = 'time',
    limit = 50,
    reader = telemetry,
  }: { sort?: LogSort; limit?: number; reader?: typeof telemetry } = {},
): Promise<LogEntry[]> {
  const found: LogEntry[] = [];
  let cursor: Cursor | undefined;
  do {
    const page = await reader.list(filter, limit, cursor, sort);
    found.push(...page.entries);
    cursor = page.next;
  } while (cursor !== undefined);
  return found;
}

const expected = (filter: LogFilter, sort: LogSort = 'time'): LogEntry[] =>
  history.all
    .filter((entry) => fits(filter, entry))
    .toReversed()
    .sort((one, other) => (sort === 'time' ? 0 : (other.durationMs ?? 0) - (one.durationMs ?? 0)));

const filters: [string, LogFilter][] = [
  ['a request ID', { requestId: 'request-17203' }],
  ['a missing request ID', { requestId: 'request-99999' }],
  ['a user', { user: 'user-7', since: start + 3 * day, until: start + 5 * day }],
  ['an operator', { user: 'owner' }],
  ['failures', { status: '5' }],
  ['a service and a level', { service: 'auth', level: 'warn' }],
  ['without the Console', { service: '!console', status: '404' }],
  ['a path', { path: 'TODOS/4431' }],
  ['a text', { search: 'request-1234' }],
  ['durations', { minMs: 3990, maxMs: 3999 }],
  ['a range', { since: start + 9.5 * day, until: start + 9.6 * day }],
  ['a missing method', { method: 'DELETE' }],
];

describe('a list over thirty days', () => {
  test.each(filters)('with %s contains exactly the matching entries', async (_name, filter) => {
    const ids = (entries: readonly LogEntry[]) => entries.map(({ requestId }) => requestId);
    expect(ids(await allPages(filter))).toEqual(ids(expected(filter)));
  });

  test.each(filters)('with %s is the same with a small budget', async (_name, filter) => {
    const reader = open(history.dir, { bytes: 1, ms: 1e9 });
    const ids = (entries: readonly LogEntry[]) => entries.map(({ requestId }) => requestId);
    expect(ids(await allPages(filter, { reader }))).toEqual(ids(expected(filter)));
  });

  test.each([
    { bytes: 1e9, ms: 1e9 },
    { bytes: 1, ms: 1e9 },
  ])('is sorted by duration with a budget of $bytes bytes', async (budget) => {
    const filter = { minMs: 3960, service: 'auth' };
    const found = await allPages(filter, { sort: 'duration', limit: 20, reader: open(history.dir, budget) });
    const wanted = expected(filter, 'duration');
    expect(found.map(({ durationMs }) => durationMs)).toEqual(wanted.map(({ durationMs }) => durationMs));
    expect(new Set(found.map(({ requestId }) => requestId)).size).toBe(wanted.length);
  });

  test('states up to which time the log was searched', async () => {
    const page = await open(history.dir, { bytes: 1, ms: 1e9 }).list({ search: 'nothing like it' }, 10);
    expect(page.entries).toEqual([]);
    expect(page.searchedTo).toBeLessThan(end);
    expect(page.searchedTo).toBe(page.next?.at);
  });

  test('reads few blocks for the slowest requests and for an ID', async () => {
    const small = open(history.dir, { bytes: 24 * 256 * 1024, ms: 1e9 });
    const slowest = await small.list({}, 5, undefined, 'duration');
    expect(slowest.searchedTo).toBeUndefined();
    const byId = await open(history.dir, { bytes: 4 * 512 * 1024, ms: 1e9 }).list(
      { requestId: 'request-3' },
      5,
    );
    expect(byId).toMatchObject({ entries: [{ requestId: 'request-3' }], next: undefined });
  });
});

describe('the chart', () => {
  const range = { since: start, until: end };
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

  test.each(filters)('with %s counts the matching entries', async (_name, filter) => {
    const { since, until, ...rest } = filter;
    const counts = await telemetry.counts(rest, range);
    const wanted = expected(rest);
    const withStatus = (from: number, to: number) =>
      wanted.filter(({ status = 0 }) => status >= from && status < to).length;
    expect([sum(counts.succeeded), sum(counts.refused), sum(counts.failed)]).toEqual([
      withStatus(100, 400),
      withStatus(400, 500),
      withStatus(500, 600),
    ]);
    expect(counts.searchedTo).toBeUndefined();
  });

  test('is continued where the budget was spent', async () => {
    const reader = open(history.dir, { bytes: 1, ms: 1e9 });
    const filter = { path: '/rest/v1/todos/4' };
    let total = 0;
    let before: number | undefined;
    do {
      const counts = await reader.counts(filter, { ...range, before });
      total += sum(counts.succeeded) + sum(counts.refused) + sum(counts.failed);
      before = counts.searchedTo;
    } while (before !== undefined);
    expect(total).toBe(expected(filter).length);
  });

  test('has at most 90 steps that contain the whole range', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e13 }), fc.integer({ min: 1, max: 1e12 }), (since, length) => {
        const { start: first, stepMs, steps } = stepsOf(since, since + length);
        expect(first).toBeLessThanOrEqual(since);
        expect(first + stepMs * steps).toBeGreaterThanOrEqual(since + length);
        expect(steps).toBeLessThanOrEqual(90);
        expect(stepsOf(first, since + length)).toEqual({ start: first, stepMs, steps });
      }),
    );
  });
});

describe('failures', () => {
  test('are grouped by route and status, with the first, the last and an example', async () => {
    const { groups, others, steps } = await telemetry.failures({}, { since: start, until: end });
    expect(others).toBe(0);
    const failed = expected({ status: '5', service: 'rest' });
    const group = groups.find(({ status, service }) => status === 500 && service === 'rest');
    expect(group).toMatchObject({
      route: '/rest/v1/todos/:id',
      count: failed.length,
      firstAt: failed.at(-1)?.at,
      lastAt: failed[0]?.at,
      example: { requestId: failed[0]?.requestId },
    });
    expect(group?.steps).toHaveLength(steps);
  });

  test('are the same if the budget is small', async () => {
    const reader = open(history.dir, { bytes: 1, ms: 1e9 });
    const counts = new Map<string, number>();
    let before: number | undefined;
    do {
      const part = await reader.failures({ service: 'auth' }, { since: start, until: end, before });
      for (const { key, count } of part.groups) counts.set(key, (counts.get(key) ?? 0) + count);
      before = part.searchedTo;
    } while (before !== undefined);
    const whole = await telemetry.failures({ service: 'auth' }, { since: start, until: end });
    expect(counts).toEqual(new Map(whole.groups.map(({ key, count }) => [key, count])));
  });

  test.each([
    ['/functions/v1/orders/17', '/functions/v1/orders/:id'],
    ['/auth/v1/admin/users/6f0ed1a6-6b1f-4c4e-8f0c-5a1c2b3d4e5f/factors', '/auth/v1/admin/users/:id/factors'],
    ['/storage/v1/object/public/avatars/a/b.png', '/storage/v1/object/public/avatars/:name'],
    ['/rest/v1/rpc/list_todos', '/rest/v1/rpc/list_todos'],
  ])('of %s have the route %s', (path, route) => {
    expect(routeOf(path)).toBe(route);
  });

  test('have the same pattern if only values differ', () => {
    expect(patternOf('no bucket "a" after 12.5 ms\nstack')).toBe('no bucket "…" after # ms');
    expect(patternOf('\u001b[31mred\u001b[0m\u0007 1')).toBe('red #');
    expect(patternOf("user 'x' 6f0ed1a6-6b1f-4c4e-8f0c-5a1c2b3d4e5f")).toBe("user '…' #");
  });
});

describe('a file', () => {
  test('can be read with zstd, is private and is much smaller', () => {
    const [file] = fullFiles(history.dir);
    expect(file?.isCompressed).toBe(true);
    const { size, mode } = statSync(file?.path ?? '');
    expect(mode & 0o077).toBe(0);
    expect(size).toBeLessThan(80_000);
    const hasZstd = ['/usr/bin/zstd', '/usr/local/bin/zstd'].find((path) => existsSync(path));
    if (hasZstd === undefined) return;
    const text = execFileSync(hasZstd, ['-dc', file?.path ?? ''], { maxBuffer: 1e8 }).toString();
    expect(text.split('\n').filter((line) => line !== '')).toHaveLength(1500);
  });

  test('with lines that Plinth didn’t write, that are cut off or very long keeps its other lines', async () => {
    const dir = folder();
    const path = fullPath(dir, start);
    const bytes = Buffer.concat([
      Buffer.from('not json\n{"time":5}\nnull\n[]\n\n'),
      Buffer.from([0xff, 0xfe, 0x00, 0x80, 10]),
      Buffer.from(lineText({ at: start, message: 'x'.repeat(3_000_000) })),
      Buffer.from(lineText({ at: start + 1, service: '__proto__', message: '\u001b[2J<b>' })),
      Buffer.from(lineText(request(start + 2)).slice(0, -20)),
    ]);
    writeFileSync(path, bytes);
    await archive(dir);
    const found = await allPages({}, { reader: open(dir) });
    expect(found.map(({ at, service }) => [at - start, service])).toEqual([
      [1, '__proto__'],
      [0, 'plinth'],
    ]);
    expect(await allPages({ service: '__proto__' }, { reader: open(dir) })).toHaveLength(1);
  });

  test('that wasn’t compressed completely is compressed again', async () => {
    const dir = folder();
    const path = fullPath(dir, start);
    const text = Array.from({ length: 100 }, (_none, index) => lineText(request(start + index))).join('');
    writeFileSync(path, text);
    writeFileSync(`${compressedPath(path)}.tmp`, 'unfinished');
    await archive(dir);
    expect(existsSync(`${compressedPath(path)}.tmp`)).toBe(false);
    // The power failed after the file was renamed, so its end is missing.
    truncateSync(compressedPath(path), 200);
    writeFileSync(path, text);
    expect(await allPages({}, { reader: open(dir) })).toHaveLength(0);
    await compressFile(path, signal);
    expect(existsSync(path)).toBe(false);
    expect(await allPages({}, { reader: open(dir) })).toHaveLength(100);
  });

  test('that is damaged doesn’t hide other files', async () => {
    const dir = folder();
    for (const at of [start, start + day]) writeFileSync(fullPath(dir, at), lineText(request(at)));
    await archive(dir);
    const path = compressedPath(fullPath(dir, start));
    const bytes = readFileSync(path);
    bytes.fill(0x55, 10, 30);
    writeFileSync(path, bytes);
    expect((await allPages({}, { reader: open(dir) })).map(({ at }) => at)).toEqual([start + day]);
  });

  test('of an earlier version is compressed under a new name', async () => {
    const dir = folder();
    writeFileSync(join(dir, 'plinth.log.3'), lineText(request(start)));
    utimesSync(join(dir, 'plinth.log.3'), new Date(start), new Date(start));
    await archive(dir);
    expect(fullFiles(dir)).toMatchObject([{ isCompressed: true, endedAt: start }]);
  });

  test('is deleted when it is too old, or when the files are too large', async () => {
    const dir = folder();
    for (const age of [40, 20, 10])
      writeFileSync(fullPath(dir, end - age * day), lineText(request(end - age * day)));
    const run = (max_size: number) =>
      archiveFullFiles(dir, { limits: () => ({ max_size, max_age: 30 * day }), now: end, signal });
    await run(1e9);
    expect(fullFiles(dir).map(({ endedAt }) => (end - endedAt) / day)).toEqual([20, 10]);
    const [, newest] = fullFiles(dir);
    await run(statSync(newest?.path ?? '').size + 1);
    expect(fullFiles(dir).map(({ endedAt }) => (end - endedAt) / day)).toEqual([10]);
  });
});

test('entries stay in order if the clock was set back', async () => {
  const dir = folder();
  const reader = open(dir, { bytes: 1, ms: 1e9 });
  const wide = 'x'.repeat(1000);
  const times: number[] = [];
  for (const [file, offset] of [0, 5000, 2000, 8000].entries()) {
    const part = Array.from({ length: 1000 }, (_none, index) => start + offset + index * 4);
    times.push(...part);
    const text = part.map((at) => lineText(request(at, { userAgent: wide }))).join('');
    writeFileSync(fullPath(dir, start + file), text);
  }
  await archive(dir);
  const found = (await allPages({}, { reader, limit: 70 })).map(({ at }) => at);
  expect(found).toEqual(times.sort((one, other) => other - one));
});

test('lines that are added while a client reads pages are in the next list', async () => {
  const dir = folder();
  const reader = open(dir);
  const path = currentPath(dir);
  writeFileSync(path, lineText(request(start)));
  expect(await allPages({}, { reader })).toHaveLength(1);
  appendFileSync(path, lineText(request(start + 1)) + lineText(request(start + 2)).slice(0, 30));
  expect(await allPages({}, { reader })).toHaveLength(2);
  appendFileSync(path, lineText(request(start + 2)).slice(30));
  expect(await allPages({}, { reader })).toHaveLength(3);
  const counts = await reader.counts({}, { since: start, until: start + 60_000 });
  expect(counts.succeeded[0]).toBe(3);
});

test('a Bloom filter contains all of its keys', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string(), { minLength: 1 }), (keys) => {
      const bits = bloomOf(new Set(keys));
      for (const key of keys) expect(mayContain(bits, key)).toBe(true);
    }),
  );
});

test('a text is searched in the file only if it appears there unchanged', () => {
  expect(needleOf('Todos')).toBe('todos');
  for (const text of ['a"b', 'a\\b', 'grün', 'a\nb', '[secret', '', 'key', undefined])
    expect(needleOf(text, ['[secret key]'])).toBeUndefined();
});
