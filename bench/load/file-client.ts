/**
 * Generates load on a file server in a separate process, for benchmarks. Each keep-alive connection sends one request at
 * a time. Response bodies are counted, but not kept.
 *
 * The process is forked with IPC. The process receives one {@link FileJob}, sends back one {@link FileResult} and exits.
 */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

export interface FileJob {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  readonly request: FileRequest;
  /** The number that replaces `{n}` in the first request. The number increases with each request. */
  readonly first: number;
}

export interface FileRequest {
  /** The head up to the blank line. `{n}` is replaced by a number. */
  readonly head: string;
  /** The body, which consists of random bytes between two texts. */
  readonly body?: { readonly before: string; readonly randomBytes: number; readonly after: string };
  readonly status: number;
  /** The length that every response body must have. If the length is undefined, it isn't checked. */
  readonly responseBytes?: number;
}

export interface FileResult {
  readonly requests: number;
  readonly seconds: number;
}

async function run({ port, connections, seconds, request, first }: FileJob): Promise<FileResult> {
  const { head, body } = request;
  const payload =
    body && Buffer.concat([Buffer.from(body.before), randomBytes(body.randomBytes), Buffer.from(body.after)]);
  let requests = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  const client = async (): Promise<void> => {
    const socket = await open(port);
    while (performance.now() < endsAt) {
      const number = first + requests;
      requests += 1;
      socket.cork();
      socket.write(head.replace('{n}', String(number)));
      if (payload) socket.write(payload);
      socket.uncork();
      await response(socket, request);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: connections }, client));
  return { requests, seconds: (performance.now() - startedAt) / 1000 };
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.setNoDelay(true);
    socket.once('error', reject);
  });
}

/** Reads a response and checks its status and length. */
function response(socket: Socket, { status, responseBytes }: FileRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    let head = '';
    let remaining: number | undefined;
    const end = (error?: Error): void => {
      socket.off('data', read).off('close', onClose);
      if (error) reject(error);
      else resolve();
    };
    const onClose = (): void => end(new Error('The server closed the connection'));
    const read = (chunk: Buffer): void => {
      let bodyBytes = chunk.length;
      if (remaining === undefined) {
        head += chunk.toString('latin1');
        const length = head.indexOf('\r\n\r\n');
        if (length === -1) return;
        bodyBytes = head.length - length - 4;
        remaining = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
        const isExpected =
          head.startsWith(`HTTP/1.1 ${status} `) &&
          (responseBytes === undefined || remaining === responseBytes);
        if (!isExpected || Number.isNaN(remaining)) {
          end(new Error(`Unexpected response: ${head.slice(0, 500)}`));
          return;
        }
      }
      remaining -= bodyBytes;
      if (remaining === 0) end();
    };
    socket.on('data', read).on('close', onClose);
  });
}

process.once('message', async (job: FileJob) => {
  const result = await run(job);
  process.send?.(result, () => process.exit(0));
});
