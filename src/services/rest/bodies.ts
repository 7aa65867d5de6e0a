/**
 * Reads request bodies into memory. The size of each body and the total size are limited, so many large concurrent
 * requests are rejected instead of crashing the process.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { onCutShort } from '../../base/shared/http/request-body.ts';
import { RestError, restError } from './errors.ts';

/** The maximum size of a request body. Clients can split a larger import into several requests. */
export const BODY_LIMIT_BYTES = 256 * 1024 * 1024;
/** Bodies below this size don't count toward the total size. */
const COUNTED_BYTES = 1024 * 1024;
/** Bodies of these types are converted to JSON. Both versions of the body are in memory during the conversion. */
const BECOMES_JSON = /^\s*(text\/csv|application\/x-www-form-urlencoded)/i;

export class BodyBudget {
  readonly #totalBytes: () => number;
  readonly #held = new WeakMap<IncomingMessage, number>();
  #heldBytes = 0;

  constructor(totalBytes: () => number) {
    this.#totalBytes = totalBytes;
  }

  /**
   * Reads the whole body.
   * @throws {RestError} PGRST102 with status 413 if the body is too large, PGRSTX03 if all bodies together would exceed
   * their limit
   */
  read(request: IncomingMessage, payload: Readable): Promise<Buffer> {
    const declared = Number(request.headers['content-length'] ?? 0);
    if (declared > BODY_LIMIT_BYTES) return Promise.reject(tooLarge());
    const held = BECOMES_JSON.test(request.headers['content-type'] ?? '') ? 2 : 1;
    return new Promise((resolve, reject) => {
      let chunks: Buffer[] = [];
      let size = 0;
      const fail = (error: RestError) => {
        chunks = [];
        this.#release(request);
        // The rest of the body is read and discarded so that the client can receive the response.
        payload.off('data', take).resume();
        reject(error);
      };
      const take = (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > BODY_LIMIT_BYTES) fail(tooLarge());
        else if (size > COUNTED_BYTES && !this.#hold(request, size * held)) fail(restError('PGRSTX03'));
      };
      const broken = (cause?: Error) => fail(cutShort(cause));
      payload.on('data', take);
      payload.once('error', broken);
      const ignoreClose = onCutShort(payload, broken);
      payload.once('end', () => {
        payload.off('error', broken);
        ignoreClose();
        resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size));
      });
    });
  }

  /** Releases the body's memory after the response has been sent or the client has disconnected. */
  releaseAfter(request: IncomingMessage, response: ServerResponse): void {
    if (this.#heldBytes === 0 || !this.#held.has(request)) return;
    if (response.destroyed) this.#release(request);
    else response.once('close', () => this.#release(request));
  }

  #release(request: IncomingMessage): void {
    this.#heldBytes -= this.#held.get(request) ?? 0;
    this.#held.delete(request);
  }

  #hold(request: IncomingMessage, size: number): boolean {
    const more = size - (this.#held.get(request) ?? 0);
    if (this.#heldBytes + more > this.#totalBytes()) return false;
    this.#heldBytes += more;
    this.#held.set(request, size);
    return true;
  }
}

const tooLarge = () =>
  new RestError({
    code: 'PGRST102',
    status: 413,
    message: 'Request body is too large',
    hint: `Send at most ${BODY_LIMIT_BYTES} bytes in one request.`,
  });

const cutShort = (cause: Error | undefined) =>
  new RestError({ code: 'PGRST102', status: 400, message: 'Request body could not be read', cause });
