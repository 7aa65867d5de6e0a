/** Builds a report from the samples of one or more nodes. */
import { addPackedCounts } from '../../../base/shared/sparse-counts.ts';
import { countsWidth, totalsOf } from '../core/metrics.ts';
import { type GaugeName, type GaugeReport, gaugeNames, type MetricsReport } from '../types.ts';
import type { MetricSample } from './samples.ts';

interface Steps {
  readonly start: number;
  readonly stepMs: number;
  readonly steps: number;
}

/** Adds up the requests of all nodes. */
export function requestReport(
  nodes: readonly (readonly MetricSample[])[],
  { start, stepMs, steps }: Steps,
): MetricsReport {
  const counts = new Map<string, Map<number, Uint32Array>>();
  for (const { at, requests } of nodes.flat()) {
    const step = Math.floor((at - start) / stepMs);
    if (step < 0 || step >= steps) continue;
    for (const [service, [packed = []]] of requests) {
      const ofService = counts.get(service) ?? new Map<number, Uint32Array>();
      counts.set(service, ofService);
      const sum = ofService.get(step) ?? new Uint32Array(countsWidth);
      ofService.set(step, sum);
      addPackedCounts(sum, packed);
    }
  }
  const services = [...counts].map(([service, ofService]) => {
    const whole = new Float64Array(countsWidth);
    const points = Array.from({ length: steps }, (_none, step) => {
      const sum = Float64Array.from(ofService.get(step) ?? new Uint32Array(countsWidth));
      for (let index = 0; index < countsWidth; index++)
        whole[index] = (whole[index] ?? 0) + (sum[index] ?? 0);
      return totalsOf(sum);
    });
    return { service, total: totalsOf(whole), points };
  });
  return {
    ...{ start, stepMs },
    services: services
      .filter(({ total }) => total.requests > 0)
      .sort((one, other) => other.total.requests - one.total.requests),
  };
}

/** Adds up the measured values of all nodes, except the free disk space, of which the smallest is returned. */
export function gaugeReport(
  nodes: readonly (readonly MetricSample[])[],
  { start, stepMs, steps }: Steps,
): GaugeReport {
  const empty = (): (number | null)[] => Array.from({ length: steps }, () => null);
  const gauges = Object.fromEntries(
    gaugeNames.map((name) => [name, { average: empty(), max: empty() }]),
  ) as Record<GaugeName, { average: (number | null)[]; max: (number | null)[] }>;
  for (const { at, gauges: values } of nodes.flat()) {
    const step = Math.floor((at - start) / stepMs);
    if (step < 0 || step >= steps) continue;
    for (const name of gaugeNames) {
      const pair = values[name];
      if (pair === undefined) continue;
      const { average, max } = gauges[name];
      const merge = (known: number | null | undefined, value: number): number =>
        known === null || known === undefined
          ? value
          : name === 'diskFreeBytes'
            ? Math.min(known, value)
            : known + value;
      average[step] = merge(average[step], pair[0]);
      max[step] = merge(max[step], pair[1]);
    }
  }
  return { start, stepMs, steps, gauges };
}
