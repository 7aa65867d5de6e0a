/** Determines from an error when the request can be retried. */

/** The time after which file descriptors are probably available again. */
const outOfFilesSeconds = 1;

/** Returns the number of seconds for the Retry-After header if the error or one of its causes specifies this number. */
export function retryAfterOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if (hasNoFile(error)) return outOfFilesSeconds;
  const { retryAfterSeconds } = error as { retryAfterSeconds?: unknown };
  return typeof retryAfterSeconds === 'number' ? retryAfterSeconds : retryAfterOf(error.cause);
}

/** Whether the process or the whole machine ran out of file descriptors. */
export function isOutOfFiles(error: unknown): boolean {
  return error instanceof Error && (hasNoFile(error) || isOutOfFiles(error.cause));
}

const hasNoFile = (error: Error): boolean =>
  'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');
