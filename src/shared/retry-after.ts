/** Errors that state when a request can be retried. */

/** Returns the seconds for the Retry-After header if the error, or one of its causes, states them. */
export function retryAfterOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { retryAfterSeconds } = error as { retryAfterSeconds?: unknown };
  return typeof retryAfterSeconds === 'number' ? retryAfterSeconds : retryAfterOf(error.cause);
}
