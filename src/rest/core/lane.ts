/**
 * Which reads may travel behind others on one connection: those whose shape is quick as a rule. One that turns slow
 * goes alone again until it has been quick for a while, so that nobody waits behind it.
 */

const QUICK_MS = 10;
const SLOW_MS = 50;
/** Score from which a shape counts as quick. Each quick run adds one up to `BEST`, a slow one takes `COST`. */
const QUICK = 3;
const BEST = 9;
const WORST = -30;
/** Less than what lies between best and doubtful: a single stall of the machine changes nothing. */
const COST = 4;

export class LaneMemory {
  #score = 0;

  get isQuick(): boolean {
    return this.#score >= QUICK;
  }

  /** `durationMs` of one execution, waiting included. */
  record(durationMs: number): void {
    if (durationMs >= SLOW_MS) this.#score = Math.max(WORST, this.#score - COST);
    else if (durationMs < QUICK_MS) this.#score = Math.min(BEST, this.#score + 1);
  }
}
