/** Adds up the metrics of all workers. Counters of workers that have exited are included, so sums never decrease. */
import { type MetricName, type MetricValues, metricCatalog } from '../../base/kernel/metrics/catalog.ts';
import { mergeMetrics } from '../../platform/telemetry/index.ts';

export class Tally {
  #departed: MetricValues = {};

  /** Stores the last metrics of a worker that has exited. */
  keep(metrics: MetricValues): void {
    this.#departed = countersOf(mergeMetrics([this.#departed, metrics]));
  }

  /** Returns the metrics of the given workers plus the counters of workers that have exited. */
  sum(living: readonly MetricValues[]): MetricValues {
    return mergeMetrics([...living, this.#departed]);
  }
}

/**
 * Returns only the counters, because the other metrics (connections, memory) don't apply to a worker that has exited.
 */
function countersOf(metrics: MetricValues): MetricValues {
  const names = Object.keys(metrics) as MetricName[];
  return Object.fromEntries(
    names.filter((name) => metricCatalog[name].type !== 'gauge').map((name) => [name, metrics[name]]),
  );
}
