/** The load of a queue in front of limited resources. Counters start at zero when the process starts. */
export interface QueueLoad {
  /** The number of queued requests. */
  readonly waiting: number;
  /** The number of requests that started after they had waited in the queue, and the sum of their waits. */
  readonly waited: number;
  readonly waitedMs: number;
  /** The number of requests that were rejected because their wait would have been too long. */
  readonly rejected: number;
}
