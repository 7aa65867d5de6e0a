/**
 * Renders metrics in Prometheus text format 0.0.4, and combines the metrics of several processes, or of several parts of
 * a process.
 */
import { type MetricName, type MetricValues, metricCatalog } from '../../../base/kernel/metrics/catalog.ts';
import {
  durationBounds,
  type HistogramValue,
  type MetricDefinition,
  type MetricValue,
  type Sample,
  type Samples,
} from '../../../base/kernel/metrics/values.ts';

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

/** Metrics without values are omitted. */
export function renderMetrics(values: MetricValues): string {
  let text = '';
  for (const name of Object.keys(metricCatalog) as MetricName[]) {
    const samples = samplesOf(values[name]);
    if (samples.length === 0) continue;
    const definition: MetricDefinition = metricCatalog[name];
    text += `# HELP ${name} ${definition.help}\n# TYPE ${name} ${definition.type}\n`;
    for (const [labels, value] of samples) text += lines(name, pairs(definition.labels, labels), value);
  }
  return text;
}

/** Returns a list of samples. Numbers that aren't finite are omitted because they mean that the value is unknown. */
function samplesOf(samples: Samples): readonly Sample[] {
  if (samples === undefined) return [];
  const list = isList(samples) ? samples : [[[], samples] as const];
  return list.filter(([, value]) => typeof value !== 'number' || Number.isFinite(value));
}

const isList = (samples: MetricValue | readonly Sample[]): samples is readonly Sample[] =>
  Array.isArray(samples);

function lines(name: string, labels: readonly string[], value: MetricValue): string {
  if (typeof value === 'number') return `${name}${braced(labels)} ${value}\n`;
  let text = '';
  let total = 0;
  for (const [index, count] of value.counts.entries()) {
    total += count;
    const bound = durationBounds[index] ?? '+Inf';
    text += `${name}_bucket${braced([...labels, `le="${bound}"`])} ${total}\n`;
  }
  return `${text}${name}_sum${braced(labels)} ${value.sum}\n${name}_count${braced(labels)} ${total}\n`;
}

const braced = (labels: readonly string[]): string => (labels.length === 0 ? '' : `{${labels.join(',')}}`);

const pairs = (names: readonly string[], values: readonly string[]): string[] =>
  names.map((name, index) => `${name}="${escaped(values[index] ?? '')}"`);

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };
const escaped = (text: string): string => text.replace(/[\\"\n]/g, (char) => escapes[char] ?? char);

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
