/**
 * A connection to a worker. A function can finish its response while the request body is still being sent. Writing then
 * fails, and a plain socket would close before the response was read.
 */
import { Socket } from 'node:net';

type Written = (error?: Error | null) => void;

const wantsNoMore = new Set(['EPIPE', 'ECONNRESET']);

/**
 * Treats bytes that the worker no longer reads as written. The next read returns the response or the end of the stream.
 */
const tolerant =
  (done: Written): Written =>
  (error) =>
    done(wantsNoMore.has((error as NodeJS.ErrnoException | null)?.code ?? '') ? null : error);

class WorkerSocket extends Socket {
  override _write(chunk: unknown, encoding: BufferEncoding, done: Written): void {
    super._write(chunk, encoding, tolerant(done));
  }

  override _writev(chunks: { chunk: unknown; encoding: BufferEncoding }[], done: Written): void {
    super._writev?.(chunks, tolerant(done));
  }
}

/** Calls `done` once with the open socket or with an error. */
export function connectWorker(
  socketPath: string,
  done: (...outcome: [error: null, socket: Socket] | [error: Error, socket: null]) => void,
): void {
  const socket = new WorkerSocket();
  const refused = (error: Error): void => done(error, null);
  socket.once('error', refused);
  socket.connect(socketPath, () => {
    socket.off('error', refused);
    done(null, socket);
  });
}
