/** Wraps a request body in a separate stream so that the caller's connection survives a worker that stops reading. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** Requires that nothing else reads the request. If destroyed early, the rest of the body is discarded. */
export class RequestBody extends Readable {
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage) {
    super();
    this.#request = request;
    request.on('data', this.#onData).once('end', this.#onEnd).once('close', this.#onClose);
    // `close` also reports the error, but an `error` event without a listener would end the process.
    request.on('error', ignore);
    request.pause();
  }

  override _read(): void {
    this.#request.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#request.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose);
    // Node reads the next request on a connection only after the current request has been read to the end.
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
