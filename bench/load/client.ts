/**
 * Generates load in a separate process, for benchmarks. Each keep-alive connection sends one request at a time. Every
 * response must contain exactly the requested rows, all of which belong to the caller.
 *
 * The process is forked with IPC. The process receives one {@link LoadJob}, sends back one {@link LoadResult} and
 * exits.
 */
import { connect, type Socket } from 'node:net';

export interface LoadJob {
  readonly port: number;
  readonly requests: readonly LoadRequest[];
  readonly connections: number;
  readonly seconds: number;
  /**
   * The interval at which a request is abandoned before its response arrives: 50 means every 50th request. The value 0
   * means that no requests are abandoned.
   */
  readonly dropEvery: number;
}

export interface LoadRequest {
  /** The raw request, which consists of the head and the body. */
  readonly text: string;
  /** The value that `"owner":"…"` must have everywhere in the response. */
  readonly owner: string;
  readonly rows: number;
  /** The expected status. Defaults to 200. */
  readonly status?: number;
}

export interface LoadResult {
  readonly requests: number;
  /** The number of broken connections plus the number of responses with an unexpected status. */
  readonly errors: number;
  /** The number of responses that contain another user's rows or an unexpected number of rows. */
  readonly wrong: number;
  readonly dropped: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Examples of unexpected responses. */
  readonly samples: readonly string[];
}

const OWNER = /"owner" ?: ?"([^"]+)"/g;
const SAMPLES = 5;
/**
 * The longest response time, in tenths of a millisecond, that is counted exactly. Longer response times are counted as
 * this value.
 */
const MOST_TENTHS = 100_000;

async function run({ port, requests, connections, seconds, dropEvery }: LoadJob): Promise<LoadResult> {
  let next = 0;
  const counts = { requests: 0, errors: 0, wrong: 0, dropped: 0 };
  const samples: string[] = [];
  const latencies = new Uint32Array(MOST_TENTHS + 1);
  const startedAt = performance.now();
  const end = startedAt + seconds * 1000;

  const isExpected = ({ owner, rows, status = 200 }: LoadRequest, response: string) => {
    const owners = [...response.matchAll(OWNER)].map(([, one]) => one);
    const isRight = owners.length === rows && owners.every((one) => one === owner);
    if (!response.startsWith(`HTTP/1.1 ${status} `)) counts.errors++;
    else if (!isRight) counts.wrong++;
    else return;
    if (samples.length < SAMPLES) samples.push(response.slice(0, 600));
  };

  const client = async (): Promise<void> => {
    let socket: Socket | undefined;
    while (performance.now() < end) {
      const request = requests[next++ % requests.length] as LoadRequest;
      socket ??= await open(port);
      if (dropEvery > 0 && next % dropEvery === 0) {
        counts.dropped++;
        await leave(socket, request);
        socket = undefined;
        continue;
      }
      const since = performance.now();
      const response = await ask(socket, request.text);
      if (response === undefined) {
        counts.errors++;
        socket.destroy();
        socket = undefined;
        continue;
      }
      counts.requests++;
      const tenths = Math.min(Math.round((performance.now() - since) * 10), MOST_TENTHS);
      latencies[tenths] = (latencies[tenths] ?? 0) + 1;
      isExpected(request, response);
    }
    socket?.destroy();
  };
  await Promise.all(Array.from({ length: connections }, client));

  const percentile = (part: number) => {
    let left = counts.requests * part;
    const found = latencies.findIndex((count) => {
      left -= count;
      return left <= 0;
    });
    return found / 10;
  };
  return {
    ...counts,
    seconds: (performance.now() - startedAt) / 1000,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    samples,
  };
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.off('error', reject).on('error', () => {});
      resolve(socket);
    });
    socket.setNoDelay(true);
    socket.once('error', reject);
  });
}

/** Sends a request and disconnects, either immediately or after the server has had time to start processing it. */
async function leave(socket: Socket, { text }: LoadRequest): Promise<void> {
  const isAbrupt = Math.random() < 0.5;
  await new Promise<void>((resolve) => socket.write(text, 'latin1', () => resolve()));
  if (!isAbrupt) await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
  socket.destroy();
}

/** Sends a request. Returns the complete response, or undefined if the connection broke. */
function ask(socket: Socket, text: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let response = '';
    const done = (result: string | undefined) => {
      socket.off('data', take).off('close', broken);
      resolve(result);
    };
    const broken = () => done(undefined);
    const take = (chunk: Buffer) => {
      response += chunk.toString('latin1');
      if (isComplete(response)) done(response);
    };
    socket.on('data', take).on('close', broken);
    socket.write(text, 'latin1');
  });
}

function isComplete(response: string): boolean {
  const head = response.indexOf('\r\n\r\n');
  if (head === -1) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(response.slice(0, head));
  if (response.startsWith('HTTP/1.1 204')) return true;
  if (length !== null) return response.length >= head + 4 + Number(length[1]);
  return response.endsWith('0\r\n\r\n');
}

process.once('message', async (job: LoadJob) => {
  const result = await run(job);
  process.send?.(result, () => process.exit(0));
});
