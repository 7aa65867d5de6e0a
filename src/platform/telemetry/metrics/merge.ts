/** Combines the metrics of several processes, or of several parts of a process. */
import { type MetricName, type MetricValues, metricCatalog } from '../../../base/kernel/metrics/catalog.ts';
import type {
  HistogramValue,
  MetricDefinition,
  MetricValue,
  Sample,
} from '../../../base/kernel/metrics/types.ts';
import { samplesOf } from './render.ts';

/**
 * Returns the combined metrics. @example mergeMetrics([{ plinth_log_dropped_lines_total: 1 }, { plinth_log_dropped_lines_total: 2 }])
 */
export function mergeMetrics(all: readonly MetricValues[]): MetricValues {
  const names = new Set(all.flatMap((values) => Object.keys(values) as MetricName[]));
  return Object.fromEntries(Array.from(names, (name) => [name, mergeSamples(name, all)]));
}

function mergeSamples(name: MetricName, all: readonly MetricValues[]): readonly Sample[] {
  const { merge }: MetricDefinition = metricCatalog[name];
  const merged = new Map<string, Sample>();
  for (const values of all)
    for (const [labels, value] of samplesOf(values[name])) {
      const key = labels.join('\0');
      const known = merged.get(key);
      merged.set(key, known === undefined ? [labels, value] : [labels, combine(merge, known[1], value)]);
    }
  return [...merged.values()];
}

function combine(merge: MetricDefinition['merge'], left: MetricValue, right: MetricValue): MetricValue {
  if (typeof left === 'number' && typeof right === 'number')
    return merge === 'sum' ? left + right : Math[merge](left, right);
  return addHistograms(left as HistogramValue, right as HistogramValue);
}

const addHistograms = (left: HistogramValue, right: HistogramValue): HistogramValue => ({
  counts: left.counts.map((count, index) => count + (right.counts[index] ?? 0)),
  sum: left.sum + right.sum,
});
