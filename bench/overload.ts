/**
 * Measures how the REST service behaves under overload. Covers three situations: fast reads while slow anonymous calls
 * arrive, many connections that open at the same time, and the same number of connections that are already open. Prints
 * response times and ratios, but doesn't compare them with limits. The response times include the event loop delay of
 * this process, which is printed as well.
 *
 *   node bench/overload.ts [--seconds 10] [--sleepers 60] [--readers 8] [--connections 2000]
 *
 * Before the measurement, no request has called the SQL function that sleeps.
 */
import { Agent, request } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { nextMessage, startChild } from './load/processes.ts';
import type { ServerFacts } from './load/server.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    sleepers: { type: 'string', default: '60' },
    readers: { type: 'string', default: '8' },
    connections: { type: 'string', default: '2000' },
  },
});
const seconds = Number(values.seconds);
const sleepers = Number(values.sleepers);
const readers = Number(values.readers);
const connections = Number(values.connections);
const warmUpMs = 3000;

interface Outcome {
  readonly status: number;
  readonly ms: number;
  readonly retryAfter: string | undefined;
}

const server = startChild(fileURLToPath(new URL('load/server.ts', import.meta.url)));
const { url, tokens } = await nextMessage<ServerFacts>(server);

function send(path: string, agent: Agent, token?: string): Promise<Outcome> {
  let startedAt = performance.now();
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    request(`${url}/rest/v1${path}`, { agent, headers }, (response) => {
      response.resume().once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          ms: performance.now() - startedAt,
          retryAfter: response.headers['retry-after'],
        }),
      );
    })
      // The time that a client needs to connect to the server isn't counted.
      .once('socket', (socket) => {
        if (!socket.connecting) return;
        socket.once('connect', () => {
          startedAt = performance.now();
        });
      })
      .once('error', reject)
      .end();
  });
}

/**
 * Sends requests one after another on each of `count` connections until the time has elapsed. Respects Retry-After. The
 * connections are opened within `rampMs`, and requests during that time aren't included in the result.
 */
async function load(count: number, lengthMs: number, rampMs = 0): Promise<Outcome[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: count });
  const outcomes: Outcome[] = [];
  const counted = performance.now() + rampMs;
  const end = counted + lengthMs;
  const client = async (index: number) => {
    if (rampMs > 0) await sleep((rampMs * index) / count);
    while (performance.now() < end) {
      const outcome = await send(`/items?id=eq.${1 + (index % 1000)}`, agent, tokens[index % tokens.length]);
      if (performance.now() - outcome.ms >= counted) outcomes.push(outcome);
      if (outcome.retryAfter !== undefined) await sleep(Number(outcome.retryAfter) * 1000);
    }
  };
  await Promise.all(Array.from({ length: count }, (_, index) => client(index)));
  agent.destroy();
  return outcomes;
}

function summary(outcomes: readonly Outcome[]): string {
  const times = outcomes.map(({ ms }) => ms).sort((one, other) => one - other);
  const at = (part: number) =>
    (times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0).toFixed(0);
  return `${String(times.length).padStart(6)} requests, p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`;
}

const p95 = (outcomes: readonly Outcome[]): number => {
  const times = outcomes.map(({ ms }) => ms).sort((one, other) => one - other);
  return times[Math.floor(times.length * 0.95)] ?? 0;
};

function byStatus(outcomes: readonly Outcome[]): string[] {
  const statuses = [...new Set(outcomes.map(({ status }) => status))].sort();
  return statuses.map((status) => `  ${status}: ${summary(outcomes.filter((one) => one.status === status))}`);
}

function print(title: string, outcomes: readonly Outcome[]): void {
  console.log([title, ...byStatus(outcomes)].join('\n'));
}

// A new server is slow at first, because Node compiles the code, and the server prepares its statements. Without this
// warm-up, only the first measurement would include that time.
await load(readers, warmUpMs);
const alone = await load(readers, seconds * 1000);
print(`${readers} readers`, alone);

const sleepAgent = new Agent({ maxSockets: sleepers });
const sleeping = Promise.all(
  Array.from({ length: sleepers }, () => send('/rpc/sleep?seconds=5', sleepAgent)),
);
const crowded = await load(readers, seconds * 1000);
print(`${readers} readers while ${sleepers} anonymous calls sleep for 5 s`, crowded);
console.log(`  p95 ratio: ${(p95(crowded) / p95(alone)).toFixed(1)}`);
const slept = await sleeping;
print(`the ${sleepers} calls`, slept);

// Waits for the effects of the previous measurement to subside, because the clients use as much of this machine's CPU
// time as the server does.
await sleep(1000);
const rampMs = 5000;
const delay = monitorEventLoopDelay({ resolution: 5 });
for (const [title, ramp] of [
  [`${connections} connections that open at the same time`, 0],
  [`${connections} open connections`, rampMs],
] as const) {
  delay.enable();
  delay.reset();
  print(title, await load(connections, seconds * 1000, ramp));
  const [p99, longest] = [delay.percentile(99), delay.max].map((ns) => (ns / 1e6).toFixed(0));
  console.log(`  event loop delay of the load generator: p99 ${p99} ms, longest ${longest} ms`);
  delay.disable();
  await sleep(2000);
}

const busyAgent = new Agent({ maxSockets: connections });
const burst = await Promise.all(
  Array.from({ length: connections }, () => send('/rpc/sleep?seconds=5', busyAgent)),
);
print(`${connections} anonymous calls that sleep for 5 s, at the same time`, burst);
const rejected = burst.filter(({ status }) => status === 503);
console.log(
  `  503 with Retry-After: ${rejected.filter(({ retryAfter }) => retryAfter !== undefined).length}`,
);
server.send('stop');
