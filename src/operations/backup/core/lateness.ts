/** Determines whether a base backup or the archive is late. */

/** The tolerated delay of the archive. The usual delay is half a second. */
export const maxArchiveLagMs = 60_000;
/**
 * The delay before the first retry of a failed base backup. The delay doubles with each failure. The first delay is
 * short, because an unreachable target is often reachable again soon. Until the first backup, or the first backup after
 * a gap in the archive, succeeds, newer changes can't be restored.
 */
const firstRepeatMs = 30_000;
const lastRepeatMs = 4 * 60 * 60_000;

/**
 * Returns the delay before the next retry.
 *
 * @example repeatDelayMs(2) // 60000
 */
export const repeatDelayMs = (failures: number): number =>
  Math.min(firstRepeatMs * 2 ** Math.max(0, failures - 1), lastRepeatMs);

export interface ArchiveTimes {
  readonly nowMs: number;
  /** When archiving began. Undefined if the WAL isn't archived. */
  readonly sinceMs: number | undefined;
  /** The newest recoverable time, if known. */
  readonly newestMs: number | undefined;
}

/**
 * Returns the archive's delay in milliseconds, or undefined if the delay is acceptable. After archiving has started,
 * the archive has time to catch up.
 */
export function archiveLagMs({ nowMs, sinceMs, newestMs = 0 }: ArchiveTimes): number | undefined {
  if (sinceMs === undefined) return undefined;
  const lagMs = nowMs - Math.max(newestMs, sinceMs);
  return lagMs > maxArchiveLagMs ? lagMs : undefined;
}
