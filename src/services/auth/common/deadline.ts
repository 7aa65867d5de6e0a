/**
 * Limits the duration of requests. The response to a request that exceeds the limit is 504 `request_timeout`. The
 * request's open transactions are canceled, so that changes aren't committed after the client has received an error.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { networkOf } from '../../../base/shared/network/network-of.ts';
import type { Pool } from '../../../platform/database/types.ts';
import { authError } from '../errors.ts';

/** The request that is being processed. Most requests need neither the signal nor the network, so both are lazy. */
class CurrentRequest {
  readonly #address: string;
  #controller: AbortController | undefined;
  #error: unknown;

  constructor(address: string) {
    this.#address = address;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#error !== undefined) this.#controller.abort(this.#error);
    }
    return this.#controller.signal;
  }

  get client(): string {
    return networkOf(this.#address);
  }

  abort(error: unknown): void {
    this.#error = error;
    this.#controller?.abort(error);
  }
}

const requests = new AsyncLocalStorage<CurrentRequest>();

/**
 * Returns a signal that aborts when the current request exceeds its time limit. Returns undefined if the caller doesn't
 * run within a request.
 */
export const currentDeadline = (): AbortSignal | undefined => requests.getStore()?.signal;

/** Returns the client that sent the current request, so that a queue can let clients take turns. */
export const currentClient = (): string => requests.getStore()?.client ?? '';

/**
 * Runs `work` with a time limit. Throws `request_timeout` if `work` exceeds the limit. In this case, `work` continues,
 * but its result is discarded. `address` is the client's IP address.
 */
export function withDeadline<T>(timeoutMs: number, address: string, work: () => Promise<T>): Promise<T> {
  const request = new CurrentRequest(address);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const error = authError('request_timeout');
      request.abort(error);
      reject(error);
    }, timeoutMs);
    requests.run(request, work).then(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/** Wraps a pool, so that a request's transactions are canceled when the request exceeds its time limit. */
export function endingWithRequests(pool: Pool): Pool {
  return {
    role: pool.role,
    query: (statement) => pool.query(statement),
    queryText: (statement) => pool.queryText(statement),
    exec: (text) => pool.exec(text),
    statements: (statements, options) => pool.statements(statements, options),
    rows: (statement, onRow, options) => pool.rows(statement, onRow, options),
    connect: () => pool.connect(),
    transaction(work, options) {
      const signal = currentDeadline();
      return pool.transaction(work, signal === undefined ? options : { signal, ...options });
    },
  };
}
