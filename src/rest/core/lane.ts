/**
 * Which reads may travel behind others on one connection: those whose shape was quick the last times. One that turns
 * slow goes alone again for a while, so that nobody waits behind it.
 */

/** Runs in a row below the bound before a shape counts as quick. */
const QUICK_RUNS = 3;
const QUICK_MS = 10;
/** A run as slow as this takes the shape's good name for `PENALTY` more runs. */
const SLOW_MS = 50;
const PENALTY = 50;

export class LaneMemory {
  #runs = 0;

  get isQuick(): boolean {
    return this.#runs >= QUICK_RUNS;
  }

  /** `durationMs` of one execution, waiting included. */
  record(durationMs: number): void {
    if (durationMs >= SLOW_MS) this.#runs = -PENALTY;
    else if (durationMs < QUICK_MS && this.#runs < QUICK_RUNS) this.#runs++;
  }
}
