/** Computes the delay before restarting a worker that has exited. Has no side effects. */

/** A worker that has run for at least this long counts as started. */
export const stableMs = 10_000;
const firstDelayMs = 200;
const maxDelayMs = 10_000;

/**
 * Returns the delay in milliseconds.
 *
 * @param failures the number of consecutive workers that exited before {@link stableMs}, including the last one
 */
export const restartDelayMs = (failures: number): number =>
  failures === 0 ? 0 : Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - 1));
