/**
 * The time limit of a request. A request that exceeds it gets 504 `request_timeout`, and its open transactions are
 * canceled, so nothing that wasn't acknowledged is committed.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool } from '../database/types.ts';
import { authError } from './errors.ts';

const deadlines = new AsyncLocalStorage<AbortSignal>();

/** Aborts when the current request exceeds its time limit. Undefined outside of requests. */
export const currentDeadline = (): AbortSignal | undefined => deadlines.getStore();

/** Throws `request_timeout` if `work` takes too long. The work itself continues but doesn't affect the response. */
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

/** Wraps a pool so that its transactions are canceled when their request exceeds its time limit. */
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
