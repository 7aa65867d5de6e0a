/**
 * For benchmarks: a load generator in a process of its own. Keep-alive connections with one request in flight on each;
 * every answer is checked to hold the rows that were asked for, of the user who asked, and of nobody else.
 *
 * Forked with IPC; gets one {@link LoadJob}, answers with one {@link LoadResult} and ends.
 */
import { connect, type Socket } from 'node:net';

export interface LoadJob {
  readonly port: number;
  readonly requests: readonly LoadRequest[];
  readonly connections: number;
  readonly seconds: number;
  /** One request in so many is left before its answer has come; 0 for none. */
  readonly dropEvery: number;
}

export interface LoadRequest {
  /** Head and body as they go over the wire. */
  readonly text: string;
  /** The only value that `"owner":"…"` may have in the answer. */
  readonly owner: string;
  readonly rows: number;
}

export interface LoadResult {
  readonly requests: number;
  /** Answers with another status than 200, and connections that broke. */
  readonly errors: number;
  /** Answers with another user's row, or with more or fewer rows than there are. */
  readonly wrong: number;
  readonly dropped: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Some of what was not as it should be. */
  readonly samples: readonly string[];
}

const OWNER = /"owner":"([^"]+)"/g;
const SAMPLES = 5;
/** Milliseconds of answers are counted in tenths up to here. */
const MOST_TENTHS = 100_000;

async function run({ port, requests, connections, seconds, dropEvery }: LoadJob): Promise<LoadResult> {
  let next = 0;
  const counts = { requests: 0, errors: 0, wrong: 0, dropped: 0 };
  const samples: string[] = [];
  const latencies = new Uint32Array(MOST_TENTHS + 1);
  const begun = performance.now();
  const end = begun + seconds * 1000;

  const judge = ({ owner, rows }: LoadRequest, answer: string) => {
    const owners = [...answer.matchAll(OWNER)].map(([, one]) => one);
    const isRight = owners.length === rows && owners.every((one) => one === owner);
    if (!answer.startsWith('HTTP/1.1 200')) counts.errors++;
    else if (!isRight) counts.wrong++;
    else return;
    if (samples.length < SAMPLES) samples.push(answer.slice(0, 600));
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
      const answer = await ask(socket, request.text);
      if (answer === undefined) {
        counts.errors++;
        socket.destroy();
        socket = undefined;
        continue;
      }
      counts.requests++;
      const tenths = Math.min(Math.round((performance.now() - since) * 10), MOST_TENTHS);
      latencies[tenths] = (latencies[tenths] ?? 0) + 1;
      judge(request, answer);
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
    seconds: (performance.now() - begun) / 1000,
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

/** Sends a request and goes: at once, or when the server has had a moment to begin. */
async function leave(socket: Socket, { text }: LoadRequest): Promise<void> {
  const isAbrupt = Math.random() < 0.5;
  await new Promise<void>((resolve) => socket.write(text, 'latin1', () => resolve()));
  if (!isAbrupt) await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
  socket.destroy();
}

/** The whole answer; undefined when the connection broke. */
function ask(socket: Socket, text: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let answer = '';
    const done = (result: string | undefined) => {
      socket.off('data', take).off('close', broken);
      resolve(result);
    };
    const broken = () => done(undefined);
    const take = (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      if (isComplete(answer)) done(answer);
    };
    socket.on('data', take).on('close', broken);
    socket.write(text, 'latin1');
  });
}

function isComplete(answer: string): boolean {
  const head = answer.indexOf('\r\n\r\n');
  if (head === -1) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(answer.slice(0, head));
  if (length !== null) return answer.length >= head + 4 + Number(length[1]);
  return answer.endsWith('0\r\n\r\n');
}

process.once('message', async (job: LoadJob) => {
  const result = await run(job);
  process.send?.(result, () => process.exit(0));
});
