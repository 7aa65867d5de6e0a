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
