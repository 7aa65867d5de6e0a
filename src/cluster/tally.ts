/** Adds up the metrics of all workers. The counters of workers that have exited are kept, so sums never decrease. */
import { type MetricName, type MetricValues, metricCatalog } from '../kernel/metrics/catalog.ts';
import { mergeMetrics } from '../telemetry/index.ts';

export class Tally {
  #departed: MetricValues = {};

  /** Adds the last metrics of a worker that has exited. */
  keep(metrics: MetricValues): void {
    this.#departed = countersOf(mergeMetrics([this.#departed, metrics]));
  }

  /** Returns the metrics of the given workers and of those that have exited. */
  sum(living: readonly MetricValues[]): MetricValues {
    return mergeMetrics([...living, this.#departed]);
  }
}

/** A worker that has exited has no connections and no memory, but its requests were counted. */
function countersOf(metrics: MetricValues): MetricValues {
  const names = Object.keys(metrics) as MetricName[];
  return Object.fromEntries(
    names.filter((name) => metricCatalog[name].type !== 'gauge').map((name) => [name, metrics[name]]),
  );
}
