/** The load of a queue in front of limited resources. Counters start at zero when the process starts. */
export interface QueueLoad {
  /** The number of queued requests. */
  readonly waiting: number;
  /** The number of requests that have waited and then started, and their total wait. */
  readonly waited: number;
  readonly waitedMs: number;
  /** The number of requests that were rejected because they would have waited too long. */
  readonly rejected: number;
}
