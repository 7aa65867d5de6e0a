/**
 * Sends requests at a fixed rate on connections that stay open, in a separate process. A request isn't repeated if it
 * fails. One of five requests writes a row, and the others read one.
 *
 * The process is forked with IPC. It receives one {@link RequestsJob}, and sends a {@link RequestsResult} after it has
 * received the message `stop` and sent at least `least` requests.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface RequestsJob {
  readonly url: string;
  readonly key: string;
  readonly perSecond: number;
  /** The least number of requests. */
  readonly least: number;
  readonly table: string;
}

export interface RequestsResult {
  readonly sent: number;
  readonly seconds: number;
  /** The number of failed requests by cause, such as a status code or the code of a connection error. */
  readonly failures: Readonly<Record<string, number>>;
  readonly p99Ms: number;
}

const connections = 64;
const timeoutMs = 30_000;

async function run({ url, key, perSecond, least, table }: RequestsJob, isStopped: () => boolean) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const failures: Record<string, number> = {};
  const times: number[] = [];
  const send = (id: number): Promise<void> =>
    new Promise((resolve) => {
      const isWrite = id % 5 === 0;
      const path = `/rest/v1/${table}${isWrite ? '' : '?limit=1'}`;
      const headers = { apikey: key, 'content-type': 'application/json' };
      const startedAt = performance.now();
      const end = (failure?: string): void => {
        if (failure !== undefined) failures[failure] = (failures[failure] ?? 0) + 1;
        times.push(performance.now() - startedAt);
        resolve();
      };
      const sent = request(
        `${url}${path}`,
        { agent, headers, method: isWrite ? 'POST' : 'GET' },
        (response) => {
          const wanted = isWrite ? 201 : 200;
          response.on('error', (error) => end(error.message));
          response.on('end', () =>
            end(response.statusCode === wanted ? undefined : String(response.statusCode)),
          );
          response.resume();
        },
      );
      sent.setTimeout(timeoutMs, () => sent.destroy(new Error('no response')));
      sent.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
      sent.end(isWrite ? JSON.stringify({ id }) : undefined);
    });
  const running: Promise<void>[] = [];
  const startedAt = performance.now();
  while (running.length < least || !isStopped()) {
    const due = Math.floor(((performance.now() - startedAt) / 1000) * perSecond) + 1;
    while (running.length < due) running.push(send(running.length + 1));
    await sleep(2);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  await Promise.all(running);
  const sorted = times.toSorted((a, b) => a - b);
  const result: RequestsResult = {
    ...{ sent: running.length, seconds, failures },
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
  };
  process.send?.(result, () => process.exit(0));
}

process.once('message', (job: RequestsJob) => {
  let isStopped = false;
  process.once('message', () => {
    isStopped = true;
  });
  void run(job, () => isStopped);
});
