/**
 * Thrown if a connection doesn't become available in time. Services map `code` to their own error, such as PGRST003 in
 * the REST service.
 */
export class PoolTimeoutError extends Error {
  override name = 'PoolTimeoutError';
  readonly code = 'pool_timeout';
}

/** Thrown if too many requests are waiting for a connection. Services map `code` to their own error with status 503. */
export class PoolFullError extends Error {
  override name = 'PoolFullError';
  readonly code = 'pool_full';
  readonly retryAfterSeconds: number;

  constructor(waitMs: number) {
    super('Too many requests are waiting for a database connection.');
    this.retryAfterSeconds = Math.min(maxRetryAfterSeconds, Math.max(1, Math.ceil(waitMs / 1000)));
  }
}

const maxRetryAfterSeconds = 60;

/** Thrown if the pool has ended because the server is stopping. */
export class PoolEndedError extends Error {
  override name = 'PoolEndedError';
  readonly code = 'pool_ended';
}
