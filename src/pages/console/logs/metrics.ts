/** The steps of the metrics' charts, and the file with their numbers. */
import { csvLine, guardedCell } from '../../../base/shared/csv.ts';
import type { GaugeReport, MetricRange, MetricsReport } from '../../../platform/telemetry/types.ts';

/** Up to this range, requests are counted in half minutes, which are in memory. */
export const maxRecentMinutes = 360;

const minuteMs = 60_000;
const maxSteps = 120;
/** The lengths of samples in minutes, and the longest range for which they are used. */
const sampleMinutes = [
  { length: 1, maxMinutes: 1440 },
  { length: 10, maxMinutes: 8 * 1440 },
];
const longestSample = 60;

/** Divides the last minutes into at most 121 steps, each of which consists of whole samples. */
export function stepsOf(minutes: number, now: number): MetricRange {
  const length = sampleMinutes.find(({ maxMinutes }) => minutes <= maxMinutes)?.length ?? longestSample;
  const stepMs = length * Math.ceil(minutes / length / maxSteps) * minuteMs;
  const start = Math.floor((now - minutes * minuteMs) / stepMs) * stepMs;
  return { start, stepMs, steps: Math.ceil((now - start) / stepMs), now };
}

/** Returns one line per value. */
export function metricsCsv({ start, stepMs, services }: MetricsReport, load: GaugeReport): string {
  const lines = [csvLine(['time', 'service', 'metric', 'value'])];
  const add = (at: number, [service, metric]: [string | null, string], value: number | null): void => {
    if (value !== null)
      lines.push(csvLine([new Date(at).toISOString(), guardedCell(service), metric, String(value)]));
  };
  for (const { service, points } of services)
    for (const [step, point] of points.entries())
      for (const [metric, value] of Object.entries(point))
        add(start + step * stepMs, [service, metric], value);
  for (const [name, { average, max }] of Object.entries(load.gauges))
    for (let step = 0; step < load.steps; step++) {
      const at = load.start + step * load.stepMs;
      add(at, [null, name], average[step] ?? null);
      add(at, [null, `${name} (maximum)`], max[step] ?? null);
    }
  return lines.join('');
}
