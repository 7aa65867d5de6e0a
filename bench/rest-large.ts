/**
 * Measures how much memory `plinth rest` needs, in addition to its idle memory, while it sends a large response to a
 * slow client. The client reads the response to its end, and the response must be complete.
 *
 *   node bench/rest-large.ts [--mib 1024] [--mib-per-second 100]
 *
 * Exits with 1 if the response isn't complete. Linux only.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createTestDatabase, stopTestCluster } from '../src/platform/database/testing.ts';

const { values } = parseArgs({
  options: {
    mib: { type: 'string', default: '1024' },
    'mib-per-second': { type: 'string', default: '100' },
  },
});
const MIB = 1024 * 1024;
const wantedBytes = Number(values.mib) * MIB;
const bytesPerMs = (Number(values['mib-per-second']) * MIB) / 1000;
/** The size of a row, which is about 1 KiB of JSON. */
const ROW_BYTES = 1024;
const SETTLE_MS = 2000;
const OPENING = '[{"id":';

const { database, drop } = await createTestDatabase('bench-large');
await database.pool('supabase_admin').exec(`
  do $$ begin
    if to_regrole('bench_large') is null then
      create role bench_large login noinherit password 'p';
    end if;
  end $$;
  create schema api;
  grant usage on schema api to bench_large;
  create view api.lines as
    select n as id, repeat(chr(97 + n % 26), ${ROW_BYTES - 25}) as text from generate_series(1, ${Math.ceil(wantedBytes / ROW_BYTES)}) n;
  grant select on api.lines to bench_large`);

const uri = new URL(database.info.url);
uri.username = 'bench_large';
uri.password = 'p';
const child = spawn(
  process.execPath,
  [fileURLToPath(new URL('../bin/plinth.mjs', import.meta.url)), 'rest'],
  {
    env: {
      PATH: process.env.PATH,
      HOME: '/nowhere',
      PGRST_DB_URI: uri.href,
      PGRST_DB_SCHEMAS: 'api',
      PGRST_DB_ANON_ROLE: 'bench_large',
      PGRST_SERVER_HOST: '127.0.0.1',
      PGRST_SERVER_PORT: '0',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  },
);
const pid = child.pid as number;

async function addressOf(): Promise<string> {
  let said = '';
  for await (const chunk of child.stderr) {
    said += chunk;
    const address = /API server listening on (\S+)/.exec(said)?.[1];
    if (address !== undefined) return `http://${address}`;
  }
  throw new Error(`plinth rest has ended:\n${said}`);
}

const statusBytes = (name: 'VmRSS' | 'VmHWM'): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) *
  1024;

/**
 * Reads the response no faster than the given rate. Returns the response's size, and whether it begins and ends like a
 * complete JSON array.
 */
async function readSlowly(response: IncomingMessage): Promise<{ bytes: number; isWhole: boolean }> {
  const startedAt = performance.now();
  let bytes = 0;
  let first = '';
  let last = '';
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (first.length < OPENING.length)
      first = (first + chunk.toString('latin1', 0, OPENING.length)).slice(0, OPENING.length);
    bytes += chunk.length;
    last = (last + chunk.toString('latin1', Math.max(0, chunk.length - 2))).slice(-2);
    const aheadMs = bytes / bytesPerMs - (performance.now() - startedAt);
    if (aheadMs > 5) await sleep(aheadMs);
  }
  return { bytes, isWhole: first === OPENING && last === '}]' };
}

const mib = (bytes: number) => (bytes / MIB).toFixed(1);
try {
  const url = await addressOf();
  await (await fetch(`${url}/lines?limit=10`)).text();
  await sleep(SETTLE_MS);
  const idleBytes = statusBytes('VmRSS');
  // Resets the process's peak memory (proc(5), clear_refs), which would otherwise include the memory used during
  // startup.
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  const askedAt = performance.now();
  const [response] = (await once(get(`${url}/lines`), 'response')) as [IncomingMessage];
  const headersMs = performance.now() - askedAt;
  const { bytes, isWhole } = await readSlowly(response);
  const peakBytes = statusBytes('VmHWM');
  const seconds = (performance.now() - askedAt) / 1000;
  console.log(
    `${mib(bytes)} MiB, headers after ${(headersMs / 1000).toFixed(1)} s, all after ${seconds.toFixed(1)} s`,
  );
  console.log(
    `RSS of plinth rest: idle ${mib(idleBytes)} MiB, peak ${mib(peakBytes)} MiB: ${mib(peakBytes - idleBytes)} MiB more`,
  );
  const declared = Number(response.headers['content-length']);
  if (response.statusCode !== 200 || !isWhole || bytes !== declared || bytes < wantedBytes) {
    console.error(
      `The response is incomplete: status ${response.statusCode}, ${bytes} of ${declared} bytes.`,
    );
    process.exitCode = 1;
  }
} finally {
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
  await drop();
  await stopTestCluster();
}
