/** The definitions and values of metrics. Values are plain data so that processes can send them to each other. */

export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** The label names, in the order of the values in {@link Sample}. */
  readonly labels: readonly string[];
  /**
   * How values that have the same labels but come from different processes are combined. Histograms are always added.
   */
  readonly merge: 'sum' | 'max' | 'min';
}

export interface HistogramValue {
  /** The number of observations in each bucket. The counts aren't cumulative. The last bucket has no upper bound. */
  readonly counts: readonly number[];
  readonly sum: number;
}

export type MetricValue = number | HistogramValue;

/** The label values, in the same order as the label names in the definition, and the sample's value. */
export type Sample = readonly [labels: readonly string[], value: MetricValue];

/** The values of a metric. A metric without labels has a single value. Unknown values are omitted. */
export type Samples = MetricValue | readonly Sample[] | undefined;

/** The inclusive upper bounds in seconds. */
export const durationBounds: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

/** Counts durations in buckets. All histograms have the same bounds, so values from several processes can be added. */
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

/** Counters with labels that provide their samples to `/metrics`. */
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
