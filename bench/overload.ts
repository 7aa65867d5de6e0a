/**
 * Measures how the REST service behaves under overload. Covers fast reads while slow anonymous calls arrive, many
 * connections that open at the same time, and many connections that are open, with small and with large reads. Prints
 * response times and where the requests waited, but exits with 0 even if a limit is exceeded.
 *
 *   node bench/overload.ts [--seconds 10] [--sleepers 60] [--readers 8] [--connections 2000]
 *
 * A response time begins when the client has sent the request and ends when the server has written the response, so
 * delays of the load generator aren't included. The generator and PostgreSQL compete with the server for the CPU.
 * `working` is therefore the CPU time that the server's main thread used between these two points, which is the response
 * time on a machine on which nothing else runs.
 *
 * Before the measurement, no request has called the SQL function that sleeps.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { FloodJob, FloodRequest } from './load/flood.ts';
import { nextMessage, startChild } from './load/processes.ts';
import type { CpuPoint, RecordedTimes, RequestTimes } from './load/request-times.ts';
import { wireText } from './load/requests.ts';
import type { ServerFacts } from './load/server.ts';
import { createReport } from './report.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    sleepers: { type: 'string', default: '60' },
    readers: { type: 'string', default: '8' },
    connections: { type: 'string', default: '2000' },
    json: { type: 'string' },
  },
});
const seconds = Number(values.seconds);
const sleepers = Number(values.sleepers);
const readers = Number(values.readers);
const connections = Number(values.connections);
const warmUpSeconds = 3;
const rampMs = 5000;
/** The load generator's processes. One process would become a bottleneck. */
const generators = 2;
/** The time, in milliseconds, in which a load generator starts. */
const generatorStartMs = 500;
const maxAnsweredMs = 2000;
const maxRejectedMs = 100;

const report = createReport(values.json);

/** The time that a request spent in each stage, in milliseconds. */
interface Stages {
  readonly status: number;
  readonly hasRetryAfter: boolean;
  readonly total: number;
  /** From the sent request until the server accepted its connection. */
  readonly accept: number;
  /** Until the server had read the request. */
  readonly read: number;
  /** Until a service started to handle the request, or the gateway had rejected it. */
  readonly dispatch: number;
  /** Until the service's response was written, including the wait for a database connection. */
  readonly service: number;
  /** The CPU time of the server's main thread during `total`. */
  readonly working: number;
}
const stageNames = ['total', 'accept', 'read', 'dispatch', 'service', 'working'] as const;

const server = startChild(fileURLToPath(new URL('load/server.ts', import.meta.url)));
const { url, tokens } = await nextMessage<ServerFacts>(server);
const port = Number(new URL(url).port);

const read = (query: (index: number) => string): string[] =>
  Array.from({ length: 1000 }, (_, index) =>
    wireText('GET', `/rest/v1/items?${query(index)}`, {
      authorization: `Bearer ${tokens[index % tokens.length]}`,
    }),
  );
const smallReads = read((index) => `id=eq.${1 + index}`);
const largeReads = read(() => 'limit=1000');
const sleepingCall = [wireText('GET', '/rest/v1/rpc/sleep?seconds=5', {})];

/** Sends requests and returns where they waited. A request without a response has the status 0. */
async function flood(job: Omit<FloodJob, 'port'>): Promise<Stages[]> {
  const count = Math.min(generators, job.connections);
  const children = Array.from({ length: count }, () =>
    startChild(fileURLToPath(new URL('load/flood.ts', import.meta.url))),
  );
  await sleep(generatorStartMs);
  server.send('record');
  for (const child of children) child.send({ ...job, port, connections: Math.ceil(job.connections / count) });
  const sent = (await Promise.all(children.map((child) => nextMessage<FloodRequest[]>(child)))).flat();
  server.send('recorded');
  return matched(sent, await nextMessage<RecordedTimes>(server));
}

/** Combines the times of the clients with those of the server. The requests of a connection have the same order in both. */
function matched(sent: readonly FloodRequest[], { requests, cpu }: RecordedTimes): Stages[] {
  const byPort = Map.groupBy(requests, ({ port: client }) => client);
  return sent.flatMap((request) => {
    const times = request.status === 0 ? undefined : byPort.get(request.port)?.shift();
    return times === undefined && request.status !== 0 ? [] : [stagesOf(request, times, cpu)];
  });
}

function stagesOf(
  { status, retryAfter, sentAt, receivedAt }: FloodRequest,
  times: RequestTimes | undefined,
  cpu: readonly CpuPoint[],
): Stages {
  const { acceptedAt, readAt, startedAt, writtenAt } = times ?? {
    acceptedAt: sentAt,
    readAt: sentAt,
    startedAt: undefined,
    writtenAt: receivedAt,
  };
  const arrivedAt = Math.max(sentAt, acceptedAt);
  return {
    status,
    hasRetryAfter: retryAfter !== undefined,
    total: writtenAt - sentAt,
    accept: arrivedAt - sentAt,
    read: readAt - arrivedAt,
    dispatch: (startedAt ?? writtenAt) - readAt,
    service: startedAt === undefined ? 0 : writtenAt - startedAt,
    working: cpuAt(cpu, writtenAt) - cpuAt(cpu, sentAt),
  };
}

/** Returns the CPU time at a time, which is interpolated between two points. */
function cpuAt(points: readonly CpuPoint[], at: number): number {
  let [from, to] = [0, points.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((points[middle] as CpuPoint).at < at) from = middle + 1;
    else to = middle;
  }
  const [before, after] = [points[from - 1], points[from]];
  if (before === undefined || after === undefined) return (before ?? after)?.cpuMs ?? 0;
  const share = (at - before.at) / (after.at - before.at);
  return before.cpuMs + share * (after.cpuMs - before.cpuMs);
}

function quantile(
  requests: readonly Stages[],
  part: number,
  stage: (typeof stageNames)[number] = 'total',
): number {
  const times = requests.map((one) => one[stage]).sort((one, other) => one - other);
  return times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN;
}

function print(title: string, requests: readonly Stages[]): void {
  console.log(`${title} (ms: 50%/95%/99%/all)`);
  const statuses = [...new Set(requests.map(({ status }) => status))].sort();
  for (const status of statuses) {
    const those = requests.filter((one) => one.status === status);
    const stages = stageNames.map(
      (stage) =>
        `${stage} ${[0.5, 0.95, 0.99, 1].map((part) => quantile(those, part, stage).toFixed(0)).join('/')}`,
    );
    console.log(`  ${status}: ${String(those.length).padStart(6)} requests  ${stages.join('  ')}`);
  }
}

try {
  // A new server is slow at first, because Node compiles the code, and the server prepares its statements. Without this
  // warm-up, only the first measurement would include that time.
  await flood({ requests: smallReads, connections: readers, seconds: warmUpSeconds, rampMs: 0 });
  await flood({ requests: largeReads, connections: readers, seconds: 1, rampMs: 0 });
  const alone = await flood({ requests: smallReads, connections: readers, seconds, rampMs: 0 });
  print(`${readers} readers`, alone);
  const [crowded, calls] = await Promise.all([
    flood({ requests: smallReads, connections: readers, seconds, rampMs: 0 }),
    callSleepers(sleepers),
  ]);
  print(`${readers} readers while ${sleepers} anonymous calls sleep for 5 s`, crowded);
  const p95s = [quantile(crowded, 0.95), quantile(alone, 0.95)] as const;
  console.log(`  p95 ratio: ${(p95s[0] / p95s[1]).toFixed(1)}; statuses of the calls: ${summarize(calls)}`);
  report.add({ name: `${readers} readers: 95% of the responses within`, unit: 'ms', value: p95s[1] });
  report.add({
    name: `${readers} readers while ${sleepers} calls sleep: 95% of the responses within`,
    unit: 'ms',
    value: p95s[0],
  });

  for (const [name, requests, ramp] of [
    [`${connections} connections that open at the same time`, smallReads, 0],
    [`${connections} open connections`, smallReads, rampMs],
    [`${connections} open connections that read 1,000 rows each`, largeReads, rampMs],
  ] as const) {
    // Waits for the effects of the previous measurement to subside.
    await sleep(2000);
    const done = await flood({ requests, connections, seconds, rampMs: ramp });
    print(name, done);
    const answered = done.filter(({ status }) => status === 200);
    const rejected = done.filter(({ status }) => status === 503);
    const limit = { answered: { most: maxAnsweredMs }, rejected: { most: maxRejectedMs } };
    const figures = [
      { what: 'longest successful response', requests: answered, part: 1, limit: limit.answered },
      { what: '99% of the successful responses within', requests: answered, part: 0.99 },
      { what: '95% of the rejections within', requests: rejected, part: 0.95, limit: limit.rejected },
    ];
    for (const { what, requests: those, part, limit: most } of figures) {
      if (those.length === 0) continue;
      const value = quantile(those, part);
      report.add({ name: `${name}: ${what}`, unit: 'ms', value, ...(most && { limit: most }) });
    }
    if (rejected.length > 0)
      report.add({
        name: `${name}: CPU time of the server until 95% of the rejections`,
        unit: 'ms',
        value: quantile(rejected, 0.95, 'working'),
      });
  }

  await sleep(2000);
  const burst = await flood({ requests: sleepingCall, connections, seconds: 1, rampMs: 0 });
  print(`${connections} anonymous calls that sleep for 5 s, at the same time`, burst);
  const rejected = burst.filter(({ status }) => status === 503);
  console.log(`  503 with Retry-After: ${rejected.filter(({ hasRetryAfter }) => hasRetryAfter).length}`);
} finally {
  server.send('stop');
}

/** Calls the function that sleeps, and returns the statuses of the responses. */
async function callSleepers(count: number): Promise<number[]> {
  await sleep(2 * generatorStartMs);
  const call = async (): Promise<number> => (await fetch(`${url}/rest/v1/rpc/sleep?seconds=5`)).status;
  return Promise.all(Array.from({ length: count }, call));
}

function summarize(statuses: readonly number[]): string {
  const counts = Map.groupBy(statuses, (status) => status);
  return [...counts].map(([status, those]) => `${status} ${those.length} times`).join(', ');
}
