/** Computes the delay before a worker that has exited is restarted. Has no side effects. */

/** The time after which a running worker counts as started successfully. */
export const stableMs = 10_000;
const firstDelayMs = 200;
const maxDelayMs = 10_000;

/**
 * Returns the delay in milliseconds.
 *
 * @param failures the number of consecutive workers that exited before {@link stableMs}, including the last worker
 */
export const restartDelayMs = (failures: number): number =>
  failures === 0 ? 0 : Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - 1));
