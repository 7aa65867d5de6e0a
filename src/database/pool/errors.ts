/** No connection became available in time. Callers map `code` to their own error (PGRST003 for REST). */
export class PoolTimeoutError extends Error {
  override name = 'PoolTimeoutError';
  readonly code = 'pool_timeout';
}

/** The pool was ended because the server is stopping. */
export class PoolEndedError extends Error {
  override name = 'PoolEndedError';
  readonly code = 'pool_ended';
}
