import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { silentLogger } from '../../base/kernel/log.ts';
import { type RequestRecord, Trace, traces } from '../../base/kernel/trace.ts';
import { defaultConfig } from '../config/index.ts';
import { cutSecrets, entryOfFileLine, fits } from './core/entries.ts';
import { createMetrics } from './core/metrics.ts';
import { createRing } from './core/request-ring.ts';
import { currentPath, fullFiles } from './history/files.ts';
import { createTelemetry } from './index.ts';
import { createLogger, logfmtOf } from './process-log.ts';

const dirs: string[] = [];
const folder = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'plinth-log-'));
  dirs.push(dir);
  return dir;
};
afterAll(() => {
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
});

const record = (fields: Partial<RequestRecord> = {}): RequestRecord => ({
  at: Date.now(),
  requestId: 'r',
  service: 'rest',
  method: 'GET',
  url: '/rest/v1/todos?select=id',
  status: 200,
  durationMs: 5,
  ip: '127.0.0.1',
  userAgent: undefined,
  trace: undefined,
  ...fields,
});

describe('a ring of entries', () => {
  test('keeps the newest entries, newest first', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer(), { maxLength: 40 }),
        fc.integer({ min: 1, max: 12 }),
        (items, size) => {
          const ring = createRing<number>(size);
          for (const item of items) ring.push(item);
          expect([...ring.backward()]).toEqual(items.slice(-size).reverse());
          expect(ring.oldestKept).toBe(items.length < size ? undefined : items.slice(-size)[0]);
        },
      ),
    );
  });
});

describe('secrets in a query', () => {
  test.each([
    ['select=id,name&id=eq.5', 'select=id,name&id=eq.5'],
    ['apikey=sb_secret_x&select=*', 'apikey=…&select=*'],
    ['access_token=a&refresh_token=b&code=c', 'access_token=…&refresh_token=…&code=…'],
    ['token_hash=abc&type=email', 'token_hash=…&type=email'],
    ['X-Amz-Signature=abc&X-Amz-Credential=d', 'X-Amz-Signature=…&X-Amz-Credential=…'],
    ['%61pikey=x', '%61pikey=…'],
    ['%zz=x', '%zz=…'],
    ['flag', 'flag'],
    ['', ''],
  ])('%s', (query, shown) => expect(cutSecrets(query)).toBe(shown));

  test('every text is redacted to a limited length', () => {
    fc.assert(fc.property(fc.string({ maxLength: 5000 }), (query) => cutSecrets(query).length < 6100));
    expect(cutSecrets('a'.repeat(100_000)).length).toBeLessThan(2100);
  });
});

describe('the metrics of services', () => {
  test('percentiles are accurate to within 10%', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.2, max: 50_000, noNaN: true }), { minLength: 1, maxLength: 200 }),
        (durations) => {
          const metrics = createMetrics();
          for (const ms of durations) metrics.count('rest', 200, ms, 1_000_000);
          const [found] = metrics.report(60_000, 10, 1_000_000).services;
          const sorted = [...durations].sort((left, right) => left - right);
          for (const [part, value] of [
            [0.5, found?.total.p50],
            [0.95, found?.total.p95],
          ] as const) {
            const exact = sorted[Math.ceil(sorted.length * part) - 1] ?? 0;
            expect(Math.abs((value ?? 0) - exact) / exact).toBeLessThan(0.12);
          }
        },
      ),
    );
  });

  test('text is either parsed as an entry or rejected', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
        const entry = entryOfFileLine(line);
        if (entry !== undefined) expect(fits({ search: 'x' }, entry)).toBeTypeOf('boolean');
      }),
    );
  });
});

describe('requests that the Console sends to other services', () => {
  const trace = new Trace('inner', 0);
  trace.operator = 'owner';
  const telemetry = createTelemetry({ log: silentLogger, dir: undefined, now: () => 2000 });
  telemetry.requestEnded(record({ at: 1001, requestId: 'own', service: 'auth' }));
  telemetry.requestEnded(record({ at: 1002, requestId: 'inner', service: 'auth', trace }));
  const ids = async (service: string) =>
    (await telemetry.list({ service }, 10)).entries.map(({ requestId }) => requestId);

  test('are excluded together with requests to the Console', async () => {
    expect(await ids('!console')).toEqual(['own']);
    expect(await ids('!rest')).toEqual(['inner', 'own']);
    expect(await ids('auth')).toEqual(['inner', 'own']);
  });

  test("don't count as traffic", () => {
    expect(telemetry.metrics(60_000).services.map(({ service, total }) => [service, total.requests])).toEqual(
      [['auth', 1]],
    );
  });
});

describe('the event stream', () => {
  test('returns requests and lines in order, filtered and in pages', async () => {
    let now = 1000;
    const telemetry = createTelemetry({ log: silentLogger, dir: undefined, now: () => now });
    telemetry.requestEnded(record({ at: 1001, requestId: 'one' }));
    now = 1002;
    telemetry.log.child({ service: 'auth' }).warn({ requestId: 'one', userId: 'ada' }, 'careful');
    telemetry.requestEnded(record({ at: 1003, requestId: 'two', status: 404 }));
    telemetry.requestEnded(record({ at: 1003, requestId: 'three', status: 500, service: 'auth' }));
    const ids = async (filter: Parameters<typeof telemetry.list>[0]) =>
      (await telemetry.list(filter, 10)).entries.map(({ requestId, kind }) => `${requestId} ${kind}`);
    expect(await ids({})).toEqual(['three request', 'two request', 'one line', 'one request']);
    expect(await ids({ service: 'auth' })).toEqual(['three request', 'one line']);
    expect(await ids({ service: '!auth' })).toEqual(['two request', 'one request']);
    expect(await ids({ status: '4' })).toEqual(['two request']);
    expect(await ids({ level: 'warn' })).toEqual(['three request', 'one line']);
    expect(await ids({ user: 'ada' })).toEqual(['one line']);
    expect(await ids({ search: 'CAREFUL' })).toEqual(['one line']);
    expect(await ids({ path: '/TODOS' })).toHaveLength(3);
    expect(await ids({ since: 1003 })).toHaveLength(2);
    expect(await ids({ until: 1003 })).toHaveLength(2);
    const seen: string[] = [];
    let cursor: Parameters<typeof telemetry.list>[2];
    do {
      const page = await telemetry.list({}, 1, cursor);
      seen.push(...page.entries.map(({ requestId }) => requestId ?? ''));
      cursor = page.next;
    } while (cursor !== undefined);
    expect(seen).toEqual(['three', 'two', 'one', 'one']);
    expect((await telemetry.trace('one')).map(({ kind }) => kind)).toEqual(['request', 'line']);
  });

  test('followers receive records until they stop', () => {
    const telemetry = createTelemetry({ log: silentLogger, dir: undefined });
    const seen: (string | undefined)[] = [];
    const stop = telemetry.follow({ status: '5' }, ({ requestId }) => seen.push(requestId));
    telemetry.requestEnded(record({ requestId: 'fine' }));
    telemetry.requestEnded(record({ requestId: 'broken', status: 500 }));
    stop();
    telemetry.requestEnded(record({ requestId: 'later', status: 500 }));
    expect(seen).toEqual(['broken']);
  });

  test('a line belongs to the request that wrote it', async () => {
    const telemetry = createTelemetry({ log: silentLogger, dir: undefined });
    traces.run(new Trace('mine', 0), () => telemetry.log.info({}, 'inside'));
    telemetry.log.info({}, 'outside');
    const { entries } = await telemetry.list({}, 10);
    expect(entries.map(({ message, requestId }) => [message, requestId])).toEqual([
      ['outside', undefined],
      ['inside', 'mine'],
    ]);
  });

  test('survives a restart without duplicates', async () => {
    const dir = folder();
    const first = createLogger(dir, defaultConfig().plinth.log);
    const before = createTelemetry({ log: first, dir });
    const trace = new Trace('slow', 0);
    trace.statement('select $1', 1, 3, '23505');
    before.requestEnded(record({ requestId: 'slow', status: 409, url: '/x?apikey=sb_secret_1&a=b', trace }));
    before.log.error({ service: 'auth', error: new Error('why') }, 'failed');
    await new Promise((resolve) => setTimeout(resolve, 20));
    await first.end();
    await new Promise((resolve) => setTimeout(resolve, 5));
    const second = createLogger(dir, defaultConfig().plinth.log);
    const after = createTelemetry({ log: second, dir });
    await new Promise((resolve) => setTimeout(resolve, 5));
    after.requestEnded(record({ requestId: 'new' }));
    await second.end();
    const { entries, next } = await after.list({}, 10);
    expect(entries.map(({ requestId, message }) => requestId ?? message)).toEqual(['new', 'failed', 'slow']);
    expect(next).toBeUndefined();
    expect(entries[2]).toMatchObject({
      query: 'apikey=…&a=b',
      status: 409,
      statements: [{ text: 'select $1', error: '23505' }],
    });
    expect(JSON.stringify(entries[1])).toContain('why');
    expect(JSON.stringify(entries)).not.toContain('sb_secret_1');
  });
});

test('a log line doesn’t control the terminal that displays it', async () => {
  const dir = folder();
  const log = createLogger(dir, defaultConfig().plinth.log);
  const hostile = 'a\u001b[2J\u009b2J\u202eb\nlevel=error';
  log.info({ path: hostile, [hostile]: 1 }, hostile);
  await log.end();
  const line = readFileSync(currentPath(dir), 'utf8').trimEnd();
  expect(JSON.parse(line)).toMatchObject({ path: hostile, [hostile]: 1, message: hostile });
  expect([line, logfmtOf(line).trimEnd()].join('')).not.toMatch(/[\p{Cc}\u202e]/u);
});

test('log files are limited in size, and full files are compressed', async () => {
  const dir = folder();
  const log = createLogger(dir, { ...defaultConfig().plinth.log, max_size: 450_000 });
  const inode = () => statSync(currentPath(dir), { throwIfNoEntry: false })?.ino;
  for (let round = 0; round < 12; round++) {
    const before = inode();
    // Random text can't be compressed, so the limit is reached.
    for (let line = 0; line < 800; line++)
      log.info({ round, noise: randomBytes(90).toString('hex') }, 'a line');
    // The lines of a round are more than a batch, and a batch is more than a file.
    await expect.poll(inode, { interval: 1 }).not.toBe(before);
  }
  await expect.poll(() => fullFiles(dir).every(({ isCompressed }) => isCompressed)).toBe(true);
  const total = () => fullFiles(dir).reduce((sum, { path }) => sum + statSync(path).size, 0);
  await expect.poll(total).toBeLessThan(450_000);
  await log.end();
  expect(fullFiles(dir).length).toBeGreaterThan(0);
});
