/** Determines when a base backup or the archive is late. */

/** The archive is normally half a second behind. */
export const maxArchiveLagMs = 60_000;
/**
 * The delay before the first retry of a failed base backup. The delay doubles with each failure. It is short at first,
 * because a target that was unreachable is often reachable again soon, and until then nothing newer can be restored.
 */
const firstRepeatMs = 30_000;
const lastRepeatMs = 4 * 60 * 60_000;

/** @example repeatDelayMs(2) // 60000 */
export const repeatDelayMs = (failures: number): number =>
  Math.min(firstRepeatMs * 2 ** Math.max(0, failures - 1), lastRepeatMs);

export interface ArchiveTimes {
  readonly nowMs: number;
  /** The time when archiving began. Undefined if the WAL isn't archived. */
  readonly sinceMs: number | undefined;
  /** The newest recoverable time, if known. */
  readonly newestMs: number | undefined;
}

/** Returns how far the archive is behind if that is too far. After a start, the archive has time to catch up. */
export function archiveLagMs({ nowMs, sinceMs, newestMs = 0 }: ArchiveTimes): number | undefined {
  if (sinceMs === undefined) return undefined;
  const lagMs = nowMs - Math.max(newestMs, sinceMs);
  return lagMs > maxArchiveLagMs ? lagMs : undefined;
}
