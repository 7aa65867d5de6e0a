/**
 * A connection to a worker. A function can finish its response while the request body is still being sent. In this
 * case, writing the rest of the body fails, and a plain socket would close before the response has been read.
 */
import { Socket } from 'node:net';

type Written = (error?: Error | null) => void;

const wantsNoMore = new Set(['EPIPE', 'ECONNRESET']);

/**
 * Reports bytes as written even if the worker has stopped reading, so that the socket remains open. The next read then
 * returns the response or the end of the stream.
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

/** Connects to a worker. Calls `done` once, with the open socket or with an error. */
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
