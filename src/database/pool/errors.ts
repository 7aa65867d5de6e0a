/** No connection became available in time. Callers map `code` (REST: PGRST003). */
export class PoolTimeoutError extends Error {
  override name = 'PoolTimeoutError';
  readonly code = 'pool_timeout';
}

/** The pool was ended because the server is stopping. */
export class PoolEndedError extends Error {
  override name = 'PoolEndedError';
  readonly code = 'pool_ended';
}
