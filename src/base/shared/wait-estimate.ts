/** Estimates how long a request will wait, based on the durations of earlier requests. */

/** The weight of the newest duration in the average. */
const weight = 0.1;

export class WaitEstimate {
  readonly #assumedMs: number;
  #meanMs = 0;

  /** @param assumedMs The duration that is assumed until one has been measured. */
  constructor(assumedMs = 0) {
    this.#assumedMs = assumedMs;
  }

  record(durationMs: number): void {
    this.#meanMs += (durationMs - this.#meanMs) * (this.#meanMs === 0 ? 1 : weight);
  }

  /**
   * Returns the estimated wait.
   *
   * @param ahead The number of requests that will start before this request.
   * @param runningMs How long the unfinished requests have been running, on average. With this value, slow requests
   * affect the estimate before any of them has finished.
   */
  waitMs(ahead: number, connections: number, runningMs = 0): number {
    return (ahead * Math.max(this.#meanMs || this.#assumedMs, runningMs)) / connections;
  }
}
