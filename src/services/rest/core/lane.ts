/**
 * Records how fast a query shape runs. Reads that usually run fast can be pipelined on a shared connection. Slow shapes
 * use separate connections, so they don't delay other requests (docs/decisions/0048-overload.md).
 */
import type { ShapeSpeed } from '../../../platform/database/types.ts';

const QUICK_MS = 10;
const SLOW_MS = 50;
/**
 * A query shape with at least this score is considered fast. A fast run adds 1 to the shape's score, up to `BEST`. A
 * slow run subtracts `COST` from the score.
 */
const QUICK = 3;
const BEST = 9;
const WORST = -30;
/**
 * The number that a slow run subtracts from the score. The number is less than the distance between `BEST` and `QUICK`,
 * so a single slow run doesn't make a fast shape slow.
 */
const COST = 4;

/**
 * A run that blocks its connection for too long adds 2 to the blocking score, up to `MOST_BLOCKING`. Any other run
 * subtracts 1, down to `NEVER_BLOCKING`.
 */
const MOST_BLOCKING = 4;
const NEVER_BLOCKING = -3;

export class LaneMemory implements ShapeSpeed {
  #score = 0;
  #blocking = 0;
  #slowUntil = Number.NEGATIVE_INFINITY;
  #blockingUntil = Number.NEGATIVE_INFINITY;

  get isQuick(): boolean {
    return this.#score >= QUICK && !this.isBlocking;
  }

  get isBrief(): boolean {
    return this.#blocking === NEVER_BLOCKING;
  }

  get isBlocking(): boolean {
    return this.#blocking > 0;
  }

  // Slow runs that overlap count once, because a stall of the machine slows down all of them.
  record(startedAt: number, endedAt: number): void {
    this.#blocking = Math.max(NEVER_BLOCKING, this.#blocking - 1);
    const durationMs = endedAt - startedAt;
    if (durationMs < QUICK_MS) this.#score = Math.min(BEST, this.#score + 1);
    if (durationMs < SLOW_MS || startedAt < this.#slowUntil) return;
    this.#slowUntil = endedAt;
    this.#slow();
  }

  recordBlocking(startedAt: number, now: number): void {
    if (startedAt < this.#blockingUntil) return;
    this.#blockingUntil = now;
    this.#blocking = Math.min(MOST_BLOCKING, this.#blocking + 2);
    this.#slow();
  }

  #slow(): void {
    this.#score = Math.max(WORST, this.#score - COST);
  }
}
