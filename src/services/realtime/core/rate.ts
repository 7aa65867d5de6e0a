/**
 * Counts events for upstream's limits, which apply to the average over a sliding minute or to the calls in a fixed
 * window.
 */

/** The number of events per second, averaged over the last `seconds` seconds. */
export class RateAverage {
  readonly #counts: Float64Array;
  #second = 0;
  #total = 0;

  constructor(seconds = 60) {
    this.#counts = new Float64Array(seconds);
  }

  add(nowMs: number, count = 1): void {
    this.#advance(nowMs);
    const slot = this.#second % this.#counts.length;
    this.#counts[slot] = (this.#counts[slot] as number) + count;
    this.#total += count;
  }

  perSecond(nowMs: number): number {
    this.#advance(nowMs);
    return this.#total / this.#counts.length;
  }

  #advance(nowMs: number): void {
    const second = Math.floor(nowMs / 1000);
    if (second <= this.#second) return; // If the clock was set back, the elapsed time counts as zero.
    const steps = Math.min(second - this.#second, this.#counts.length);
    for (let step = 1; step <= steps; step++) {
      const slot = (this.#second + step) % this.#counts.length;
      this.#total -= this.#counts[slot] as number;
      this.#counts[slot] = 0;
    }
    if (steps === this.#counts.length) {
      this.#counts.fill(0);
      this.#total = 0;
    }
    this.#second = second;
  }
}

/** Allows up to `maxCalls` calls in a window that begins with its first call. */
export class CallWindow {
  #calls = 0;
  #endsAt = Number.NEGATIVE_INFINITY;

  take(nowMs: number, maxCalls: number, windowMs: number): boolean {
    if (nowMs > this.#endsAt) {
      this.#endsAt = nowMs + windowMs;
      this.#calls = 1;
      return true;
    }
    if (this.#calls >= maxCalls) return false;
    this.#calls++;
    return true;
  }
}
