/**
 * Decides which reads can be pipelined on a shared connection: shapes that usually run fast. A shape that turns slow
 * uses its own connection until it has been fast for a while, so it doesn't delay other requests.
 */

const QUICK_MS = 10;
const SLOW_MS = 50;
/** The score from which a shape counts as fast. A fast run adds 1, up to `BEST`. A slow run subtracts `COST`. */
const QUICK = 3;
const BEST = 9;
const WORST = -30;
/** Less than the distance between `BEST` and `QUICK`, so a single stall of the machine doesn't change the result. */
const COST = 4;

export class LaneMemory {
  #score = 0;

  get isQuick(): boolean {
    return this.#score >= QUICK;
  }

  /** `durationMs`: the duration of one execution, including time in the queue. */
  record(durationMs: number): void {
    if (durationMs >= SLOW_MS) this.#score = Math.max(WORST, this.#score - COST);
    else if (durationMs < QUICK_MS) this.#score = Math.min(BEST, this.#score + 1);
  }
}
