/**
 * Runs the REST service at full load with 200 connections for several minutes. One in 50 requests is abandoned before
 * its response arrives. Every response must contain only the caller's rows.
 *
 *   node bench/rest-saturation.ts [--minutes 10] [--connections 200] [--drop-every 50]
 *
 * During the run, prints the number of requests and errors, the memory use and the event loop delay. Exits with 1 if a
 * row is wrong, a response is an error, a database connection remains busy, or a socket remains open. Linux only.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { LoadResult } from './load/client.ts';
import { nextMessage, runLoad, socketsOf, startChild } from './load/processes.ts';
import { restMix } from './load/requests.ts';
import type { ServerFacts, ServerStats } from './load/server.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    connections: { type: 'string', default: '200' },
    'drop-every': { type: 'string', default: '50' },
  },
});
const seconds = Number(values.minutes) * 60;
const connections = Number(values.connections);
/** The number of equal parts into which the load is split. The benchmark prints one line per part. */
const PARTS = 10;
/** How long to wait until the remaining requests of a part are complete. */
const SETTLE_MS = 3000;
/**
 * The maximum number of database connections: 4 shared and 6 exclusive connections for requests, the pool's
 * connections, and the listener's connection.
 */
const MOST_CONNECTIONS = 30;

const server = startChild(fileURLToPath(new URL('load/server.ts', import.meta.url)));
const facts = await nextMessage<ServerFacts>(server);
const pid = server.pid as number;
const port = Number(new URL(facts.url).port);
const requests = restMix(facts, 4000);

async function stats(): Promise<ServerStats> {
  server.send('stats');
  return nextMessage<ServerStats>(server);
}

const load = (part: number): Promise<LoadResult> =>
  runLoad({ port, requests, connections, seconds: part, dropEvery: Number(values['drop-every']) });

const mib = (bytes: number) => (bytes / 1024 / 1024).toFixed(0);
const total = { requests: 0, errors: 0, wrong: 0, dropped: 0, seconds: 0 };
const faults: string[] = [];

await load(Math.min(5, seconds));
await sleep(SETTLE_MS);
const before = { ...(await stats()), sockets: socketsOf(pid) };
console.log(
  `warm: RSS ${mib(before.rssBytes)} MiB, ${before.connections} connections to PostgreSQL, ${before.sockets} sockets`,
);
for (let part = 1; part <= PARTS; part++) {
  const result = await load(seconds / PARTS);
  const now = await stats();
  for (const key of ['requests', 'errors', 'wrong', 'dropped', 'seconds'] as const) total[key] += result[key];
  for (const sample of result.samples) faults.push(sample);
  console.log(
    `${total.seconds.toFixed(0).padStart(4)} s  ${(result.requests / result.seconds).toFixed(0).padStart(6)}/s  ` +
      `p50 ${result.p50Ms.toFixed(1)} ms  p99 ${result.p99Ms.toFixed(1)} ms  errors ${result.errors}  wrong ${result.wrong}  ` +
      `left ${result.dropped}  RSS ${mib(now.rssBytes)} MiB  event loop p99 ${now.loopDelayP99Ms.toFixed(0)} ms, ` +
      `most ${now.loopDelayMaxMs.toFixed(0)} ms`,
  );
}
await sleep(SETTLE_MS);
const after = { ...(await stats()), sockets: socketsOf(pid) };
console.log(
  `${total.requests} requests in ${total.seconds.toFixed(0)} s, ${total.dropped} left: ${total.errors} errors, ` +
    `${total.wrong} with wrong rows`,
);
console.log(
  `at rest: RSS ${mib(after.rssBytes)} MiB, ${after.connections} connections to PostgreSQL (${after.busyConnections} busy), ` +
    `${after.sockets} sockets`,
);
if (total.wrong > 0) faults.unshift(`${total.wrong} answers hold wrong rows.`);
if (total.errors > 0) faults.unshift(`${total.errors} errors.`);
if (after.busyConnections > 0) faults.unshift(`${after.busyConnections} connections are still busy.`);
if (after.connections > MOST_CONNECTIONS) faults.unshift(`${after.connections} connections to PostgreSQL.`);
// Shared connections to PostgreSQL that the run has opened remain open, so they are subtracted.
const newSockets = after.sockets - before.sockets - (after.connections - before.connections);
if (newSockets > 0) faults.unshift(`${newSockets} sockets are left behind.`);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
server.send('stop');
