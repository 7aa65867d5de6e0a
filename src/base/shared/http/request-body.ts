/**
 * Wraps a request body in a separate stream, so that the client's connection remains usable if its reader stops early.
 */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/**
 * The body of a request. No other code may read the request. If the stream is destroyed early, the rest of the body is
 * read and discarded.
 */
export class RequestBody extends Readable {
  readonly #request: IncomingMessage;
  readonly #ignoreClose: () => void;

  constructor(request: IncomingMessage) {
    super();
    this.#request = request;
    request.on('data', this.#onData).once('end', this.#onEnd);
    // Node also emits `close` right after `end`, when the reader may not have read the buffered bytes yet. These bytes
    // must not be discarded.
    this.#ignoreClose = onCutShort(request, () => void this.destroy(new Error('The client disconnected')));
    // The `close` event also occurs after an error, so the `error` event is ignored. Without a listener for `error`, an
    // `error` event would end the process.
    request.on('error', ignore);
    request.pause();
  }

  override _read(): void {
    this.#request.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#ignoreClose();
    this.#request.off('data', this.#onData).off('end', this.#onEnd);
    // Node reads the next request on a connection only after it has read the current request completely.
    this.#request.resume();
    done(error);
  }

  readonly #onData = (chunk: Buffer): void => {
    if (!this.push(chunk)) this.#request.pause();
  };
  readonly #onEnd = (): void => void this.push(null);
}

const ignore = (): void => undefined;

/**
 * Calls `listener` if the body is closed before it has been read to its end, even if that has already happened. Returns
 * a function that removes the listener.
 *
 * The property `complete` of a request isn't sufficient. It is true as soon as Node has received the whole body. If the
 * client then disconnects, Node discards the bytes that haven't been read, and the body never ends.
 */
export function onCutShort(body: Readable, listener: () => void): () => void {
  let isRemoved = false;
  const onClose = (): void => {
    if (!isRemoved && !body.readableEnded) listener();
  };
  // The `close` event isn't emitted again. The call is deferred so that the caller receives the returned function first.
  if (body.closed) queueMicrotask(onClose);
  else body.once('close', onClose);
  return () => {
    isRemoved = true;
    body.off('close', onClose);
  };
}
