/** The delay before a worker that has exited is started again. Has no side effects. */

/** A worker that ran for at least this long has started correctly. */
export const stableMs = 10_000;
const firstDelayMs = 200;
const maxDelayMs = 10_000;

/**
 * Returns the delay in milliseconds.
 *
 * @param failures the number of workers in a row that exited before {@link stableMs}, including the last one
 */
export const restartDelayMs = (failures: number): number =>
  failures === 0 ? 0 : Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - 1));
