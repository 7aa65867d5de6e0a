/** Compares the machine's clock with the times stored in the backup target. Has no side effects. */

/** The tolerated clock difference between machines that share a target. */
const toleranceMs = 5 * 60_000;

export interface ClockFacts {
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
