/** Counts durations in buckets. All histograms have the same bounds, so values from several processes can be added. */
import type { HistogramValue } from './types.ts';

/** The inclusive upper bounds in seconds. */
export const durationBounds: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

export class Histogram {
  readonly #counts = new Float64Array(durationBounds.length + 1);
  #sum = 0;

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < durationBounds.length && seconds > (durationBounds[bucket] as number)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    this.#sum += seconds;
  }

  value(): HistogramValue {
    return { counts: Array.from(this.#counts), sum: this.#sum };
  }
}
