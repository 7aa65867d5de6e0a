/**
 * A connection to a worker. A function may answer and be done while the rest of its request is still being written; that
 * writing then fails, and a plain socket would end with it before the answer, which has arrived, was read.
 */
import { Socket } from 'node:net';

type Written = (error?: Error | null) => void;

const wantsNoMore = new Set(['EPIPE', 'ECONNRESET']);

/** What the worker does not take any more counts as written: what is read next is its answer, or its end. */
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

/** Calls back once: with the open socket, or with why there is none. */
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
