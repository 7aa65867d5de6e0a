/** Counters with labels that provide their samples to `/metrics`. */
import type { Histogram } from './histogram.ts';
import type { Sample } from './types.ts';

export class LabeledCounts {
  readonly #counts = new Map<string, { readonly labels: readonly string[]; count: number }>();

  /** @param known Label combinations that start at 0, so their rates are defined before the first event. */
  constructor(known: readonly (readonly string[])[] = []) {
    for (const labels of known) this.add(labels, 0);
  }

  /** Increases a counter. The label values must be from a limited set, because every combination uses memory. */
  add(labels: readonly string[], by = 1): void {
    const key = labels.join('\0');
    const known = this.#counts.get(key);
    if (known === undefined) this.#counts.set(key, { labels, count: by });
    else known.count += by;
  }

  samples(): Sample[] {
    return Array.from(this.#counts.values(), ({ labels, count }) => [labels, count]);
  }
}

/** Returns the samples of a histogram that has one label. */
export const histogramSamples = (histograms: ReadonlyMap<string, Histogram>): Sample[] =>
  Array.from(histograms, ([label, histogram]) => [[label], histogram.value()]);
