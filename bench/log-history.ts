/**
 * Measures the log's history: the CPU time and the size of compressed lines, and the time of queries over thirty days.
 * `node bench/log-history.ts [lines]` writes 10 million lines by default, which needs about 4 GB of memory-backed or free
 * disk space while it runs.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../src/base/kernel/log.ts';
import { compressFile } from '../src/platform/telemetry/history/archive.ts';
import { fullFiles, fullPath } from '../src/platform/telemetry/history/files.ts';
import { createTelemetry } from '../src/platform/telemetry/index.ts';

const wanted = Number(process.argv[2] ?? 10_000_000);
const perFile = 28_000;
const dayMs = 24 * 60 * 60 * 1000;
const start = Date.parse('2026-03-01T00:00:00Z');
const stepMs = (30 * dayMs) / wanted;
const dir = mkdtempSync(join(tmpdir(), 'plinth-log-history-'));
const { signal } = new AbortController();
const users = Array.from({ length: 5000 }, () => randomUUID());
const tables = ['todos', 'projects', 'messages', 'profiles', 'orders'];
const services = ['rest', 'rest', 'rest', 'rest', 'auth', 'storage', 'functions'];

function lineOf(number: number): string {
  const chance = Math.random();
  const status = chance < 0.001 ? 500 : chance < 0.02 ? 404 : 200;
  return `${JSON.stringify({
    level: status === 500 ? 40 : 30,
    time: new Date(start + number * stepMs).toISOString(),
    requestId: randomUUID(),
    service: services[number % services.length],
    method: number % 5 === 0 ? 'POST' : 'GET',
    path: `/rest/v1/${tables[number % tables.length]}`,
    status,
    durationMs: Math.round(-Math.log(Math.random()) * 800) / 100,
    databaseMs: Math.round(Math.random() * 300) / 100,
    ip: `203.0.113.${number % 250}`,
    role: 'authenticated',
    userId: users[Math.floor(Math.random() * users.length)],
    schema: 'public',
    ...(status === 200
      ? {}
      : { query: `id=eq.${randomBytes(3).toString('hex')}`, userAgent: 'supabase-js/2' }),
    message: 'request',
  })}\n`;
}

const say = (name: string, value: string): void => console.log(`${name.padEnd(46)} ${value}`);

try {
  let textBytes = 0;
  let cpuMicros = 0;
  let lastId = '';
  for (let first = 0; first < wanted; first += perFile) {
    const lines = Array.from({ length: Math.min(perFile, wanted - first) }, (_none, index) =>
      lineOf(first + index),
    );
    if (first === 0) lastId = JSON.parse(lines[5] ?? '{}').requestId;
    const text = lines.join('');
    textBytes += text.length;
    const path = fullPath(dir, Math.floor(start + (first + lines.length) * stepMs));
    writeFileSync(path, text);
    const before = process.cpuUsage();
    await compressFile(path, signal);
    const { user, system } = process.cpuUsage(before);
    cpuMicros += user + system;
  }
  const files = fullFiles(dir);
  const bytes = files.reduce((sum, { path }) => sum + statSync(path).size, 0);
  say('lines', wanted.toLocaleString('en'));
  say('bytes per line, as text', (textBytes / wanted).toFixed(1));
  say('bytes per line, compressed with index', (bytes / wanted).toFixed(1));
  say('CPU time per 1,000 lines (index and zstd)', `${(cpuMicros / wanted).toFixed(2)} ms`);

  const end = start + 30 * dayMs;
  const telemetry = createTelemetry({ log: silentLogger, dir, now: () => end + 1 });
  const range = { since: start, until: end };
  const day = { since: start + 12 * dayMs, until: start + 13 * dayMs };
  const queries: [string, () => Promise<{ readonly searchedTo?: number | undefined }>][] = [
    ['first query (reads all indexes)', () => telemetry.counts({}, range)],
    ['chart of 30 days', () => telemetry.counts({}, range)],
    ['chart of 30 days, 5xx of one service', () => telemetry.counts({ service: 'rest', status: '5' }, range)],
    ['chart of one day, filtered by text', () => telemetry.counts({ search: 'orders' }, day)],
    ['newest 100', () => telemetry.list({}, 100)],
    ['100 around the 12th day', () => telemetry.list({ until: day.until }, 100)],
    ['newest 100 with status 500', () => telemetry.list({ status: '500' }, 100)],
    ['slowest 100 of 30 days', () => telemetry.list({}, 100, undefined, 'duration')],
    [
      'slowest 100 of one service on one day',
      () => telemetry.list({ service: 'auth', ...day }, 100, undefined, 'duration'),
    ],
    ['one request ID of the first day', () => telemetry.list({ requestId: lastId }, 100)],
    ['a text that no line contains (stops early)', () => telemetry.list({ search: 'no such text' }, 100)],
    ['failures of one day', () => telemetry.failures({}, day)],
    ['failures of 30 days (stops early)', () => telemetry.failures({}, range)],
  ];
  for (const [name, run] of queries) {
    const began = performance.now();
    const { searchedTo } = await run();
    const stopped =
      searchedTo === undefined ? '' : ` (searched to day ${((searchedTo - start) / dayMs).toFixed(1)})`;
    say(name, `${(performance.now() - began).toFixed(0)} ms${stopped}`);
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}
