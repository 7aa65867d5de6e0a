/**
 * Compares the machine's clock with the times stored in the backup target, and determines whether a base backup or the
 * archive is late. Has no side effects.
 */

/** The tolerated clock difference between machines that share a target. */
const toleranceMs = 5 * 60_000;

interface ClockFacts {
  readonly nowMs: number;
  readonly keepMs: number;
  /** The time at which the newest base backup ended. */
  readonly newestBackupMs: number;
  /** The latest time in the archive or in any base backup. */
  readonly newestArchivedMs: number;
}

/**
 * Whether the machine's clock is plausible. A backup dated in the future means that the clock is slow. If all backups
 * and WAL are older than the retention window, the clock may be fast, so removing backups by age could remove backups
 * that are still needed.
 */
export const isPlausible = ({ nowMs, keepMs, newestBackupMs, newestArchivedMs }: ClockFacts): boolean =>
  newestBackupMs <= nowMs + toleranceMs && nowMs <= newestArchivedMs + keepMs;

/**
 * Returns the last backup that was started before the time `nowMs`. A backup dated in the future was taken before the
 * clock was set back, or on a machine whose clock is fast.
 *
 * @param backups oldest first
 */
export const lastBefore = <B extends { readonly startedAtMs: number }>(
  backups: readonly B[],
  nowMs: number,
): B | undefined => backups.findLast(({ startedAtMs }) => startedAtMs <= nowMs + toleranceMs);

/** The tolerated delay of the archive. The usual delay is half a second. */
const maxArchiveLagMs = 60_000;
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

interface ArchiveTimes {
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
