/** What a request carries, as a stream of its own, so that the caller's connection outlives a worker that wants no more. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** As long as the request stays unread by anyone else. Destroyed before its end, what is still to come is thrown away. */
export class RequestBody extends Readable {
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage) {
    super();
    this.#request = request;
    request.on('data', this.#onData).once('end', this.#onEnd).once('close', this.#onClose);
    // Told by `close` too; without a listener it would end the process.
    request.on('error', ignore);
    request.pause();
  }

  override _read(): void {
    this.#request.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#request.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose);
    // Node reads a connection's next request only when this one was read to its end.
    this.#request.resume();
    done(error);
  }

  readonly #onData = (chunk: Buffer): void => {
    if (!this.push(chunk)) this.#request.pause();
  };
  readonly #onEnd = (): void => void this.push(null);
  readonly #onClose = (): void => void this.destroy(new Error('The caller went away'));
}

const ignore = (): void => undefined;
