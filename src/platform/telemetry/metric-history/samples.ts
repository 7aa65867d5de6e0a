/** Samples of metrics: what was counted and measured in a period, as lines of JSON. */

import { isRecord } from '../../../base/shared/json.ts';
import {
  addPackedCounts,
  packCounts,
  parseSavedCounts,
  type SavedCounts,
} from '../../../base/shared/sparse-counts.ts';
import { countsWidth } from '../core/metrics.ts';
import { type GaugeName, gaugeNames } from '../types.ts';

export interface MetricSample {
  /** When the period began, in milliseconds since the epoch. */
  readonly at: number;
  /** For each service, a list with the packed counts of the period. */
  readonly requests: SavedCounts;
  /** The average and the maximum of each measured value. */
  readonly gauges: Gauges;
}

export type Gauges = { readonly [Name in GaugeName]?: readonly [average: number, max: number] };

export interface SampleLevel {
  readonly name: 'minute' | 'ten' | 'hour';
  readonly ms: number;
  /** How long samples are kept. Undefined: as long as the log. */
  readonly keptMs: number | undefined;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** The levels of samples, the finest first. */
export const sampleLevels = [
  { name: 'minute', ms: minuteMs, keptMs: 2 * dayMs },
  { name: 'ten', ms: 10 * minuteMs, keptMs: 9 * dayMs },
  { name: 'hour', ms: 60 * minuteMs, keptMs: undefined },
] as const satisfies readonly SampleLevel[];

const limits = { names: 100, lists: 1, minLength: 0 };

export const sampleLine = (sample: MetricSample): string => `${JSON.stringify(sample)}\n`;

/** Returns undefined if the line was cut off or has another format. */
export function parseSample(line: string): MetricSample | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isRecord(value) || !Number.isSafeInteger(value.at)) return undefined;
  const given = isRecord(value.gauges) ? value.gauges : {};
  const gauges: Record<string, [number, number]> = {};
  for (const name of gaugeNames) {
    const pair = given[name];
    if (!Array.isArray(pair)) continue;
    const [average, max] = pair as unknown[];
    if (Number.isFinite(average) && Number.isFinite(max)) gauges[name] = [average as number, max as number];
  }
  return { at: value.at as number, requests: parseSavedCounts(value.requests, limits), gauges };
}

/** Adds up samples. Averages are those of the samples' averages, because all samples of a level have the same length. */
export function combined(at: number, samples: readonly MetricSample[]): MetricSample {
  const counts = new Map<string, Uint32Array>();
  const sums = new Map<GaugeName, { sum: number; count: number; max: number }>();
  for (const { requests, gauges } of samples) {
    for (const [service, [packed = []]] of requests) {
      const sum = counts.get(service) ?? new Uint32Array(countsWidth);
      counts.set(service, sum);
      addPackedCounts(sum, packed);
    }
    for (const name of gaugeNames) {
      const pair = gauges[name];
      if (pair === undefined) continue;
      const known = sums.get(name) ?? { sum: 0, count: 0, max: pair[1] };
      sums.set(name, {
        sum: known.sum + pair[0],
        count: known.count + 1,
        max: Math.max(known.max, pair[1]),
      });
    }
  }
  return {
    at,
    requests: [...counts].map(([service, sum]) => [service, [packCounts(sum)]]),
    gauges: Object.fromEntries(
      [...sums].map(([name, { sum, count, max }]) => [name, [rounded(sum / count), max]]),
    ),
  };
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

/** Groups samples by the step that contains their beginning. */
export function bySteps(
  samples: readonly MetricSample[],
  { start, stepMs, steps }: { readonly start: number; readonly stepMs: number; readonly steps: number },
): MetricSample[] {
  const groups = new Map<number, MetricSample[]>();
  for (const sample of samples) {
    const step = Math.floor((sample.at - start) / stepMs);
    if (step < 0 || step >= steps) continue;
    const group = groups.get(step) ?? [];
    groups.set(step, group);
    group.push(sample);
  }
  return [...groups].map(([step, group]) => combined(start + step * stepMs, group));
}
