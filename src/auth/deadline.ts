/**
 * The time a request may take. Whoever waits longer gets 504 `request_timeout`, and the transactions that the request
 * has open are cancelled: what was not answered did not happen.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool } from '../database/types.ts';
import { authError } from './errors.ts';

const deadlines = new AsyncLocalStorage<AbortSignal>();

/** Aborts when the request this is called in has run out of time; undefined outside of requests. */
export const currentDeadline = (): AbortSignal | undefined => deadlines.getStore();

/** Throws `request_timeout` when `work` takes too long; it then goes on without anybody who listens. */
export async function withDeadline<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = authError('request_timeout');
    controller.abort(error);
    late.reject(error);
  }, timeoutMs);
  try {
    return await Promise.race([deadlines.run(controller.signal, work), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The same pool, whose transactions end with the request they are begun in. */
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
