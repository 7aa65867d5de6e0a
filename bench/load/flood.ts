/**
 * Sends requests on many connections, each of which has one pending request at a time, until the time has elapsed.
 * After a response with Retry-After, the connection pauses for that time. For benchmarks.
 *
 * The process is forked with IPC. The process receives one {@link FloodJob}, sends back a {@link FloodRequest} list and
 * exits.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from './request-times.ts';

export interface FloodJob {
  readonly port: number;
  /** The raw requests. Each connection repeats one of them. */
  readonly requests: readonly string[];
  readonly connections: number;
  readonly seconds: number;
  /** The time within which the connections are opened, evenly distributed. */
  readonly rampMs: number;
}

/** A request and the response that it received. The times are those of {@link monotonicMs}. */
export interface FloodRequest {
  /** The client's port, which identifies the connection. */
  readonly port: number;
  readonly sentAt: number;
  readonly receivedAt: number;
  /** The value 0 means that the connection ended without a response. */
  readonly status: number;
  readonly retryAfter: number | undefined;
}

async function run({ port, requests, connections, seconds, rampMs }: FloodJob): Promise<FloodRequest[]> {
  const done: FloodRequest[] = [];
  const endsAt = monotonicMs() + rampMs + seconds * 1000;
  const client = async (index: number): Promise<void> => {
    if (rampMs > 0) await sleep((rampMs * index) / connections);
    const text = requests[index % requests.length] ?? '';
    let socket: Socket | undefined;
    while (monotonicMs() < endsAt) {
      socket ??= await open(port);
      const request = { port: socket.localPort ?? 0, sentAt: monotonicMs() };
      const response = await exchange(socket, text);
      done.push({ ...request, receivedAt: monotonicMs(), ...response });
      if (response.status === 0) {
        socket.destroy();
        socket = undefined;
      }
      const pauseSeconds = response.retryAfter ?? (response.status === 0 ? 1 : 0);
      if (pauseSeconds > 0) await sleep(pauseSeconds * 1000);
    }
    socket?.destroy();
  };
  await Promise.all(Array.from({ length: connections }, (_, index) => client(index)));
  return done;
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

type Exchanged = Pick<FloodRequest, 'status' | 'retryAfter'>;

/** Sends a request and reads its response, of which only the head is parsed. */
function exchange(socket: Socket, text: string): Promise<Exchanged> {
  return new Promise((resolve) => {
    let head = '';
    let exchanged: Exchanged = { status: 0, retryAfter: undefined };
    /** The number of missing bytes of the body, or undefined before the head is complete or if the body is chunked. */
    let missing: number | undefined;
    const end = (): void => {
      socket.off('data', read).off('close', onClose);
      resolve(exchanged);
    };
    const onClose = (): void => {
      exchanged = { status: 0, retryAfter: undefined };
      end();
    };
    const read = (chunk: Buffer): void => {
      if (missing !== undefined) missing -= chunk.length;
      else if (exchanged.status === 0) {
        head += chunk.toString('latin1');
        const length = head.indexOf('\r\n\r\n');
        if (length === -1) return;
        const fields = head.slice(0, length);
        const retryAfter = /\r\nretry-after: *(\d+)/i.exec(fields)?.[1];
        exchanged = {
          status: Number(fields.slice(9, 12)),
          retryAfter: retryAfter === undefined ? undefined : Number(retryAfter),
        };
        const bodyLength = /\r\ncontent-length: *(\d+)/i.exec(fields)?.[1];
        if (bodyLength !== undefined) missing = Number(bodyLength) - (head.length - length - 4);
        else if (head.endsWith('\r\n0\r\n\r\n')) missing = 0;
      } else if (chunk.subarray(-5).toString('latin1') === '0\r\n\r\n') missing = 0;
      if (missing === 0 || exchanged.status === 204) end();
    };
    socket.on('data', read).on('close', onClose);
    socket.write(text, 'latin1');
  });
}

process.once('message', async (job: FloodJob) => {
  const done = await run(job);
  process.send?.(done, () => process.exit(0));
});
