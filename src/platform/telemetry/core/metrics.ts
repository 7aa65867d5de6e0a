/**
 * Counts requests, errors and durations per service in time slots. A slot's durations are stored in a histogram in
 * which each bound is 20% larger than the previous one. Percentiles computed from the histogram are therefore accurate
 * to within 10%. Recording a request takes two or three additions.
 */

import {
  addPackedCounts,
  packCounts,
  parseSavedCounts,
  type SavedCounts,
} from '../../../base/shared/sparse-counts.ts';

/** The number of time slots, which cover six hours. */
const slots = 720;
const slotMs = 30_000;
const growth = 1.2;
const smallestMs = 0.1;
/** The number of bins. The last bin counts all durations above 72 s. */
const bounds = 76;
const logGrowth = Math.log(growth);
/** The number of values per slot: requests, client errors, server errors and the histogram. */
const width = 3 + bounds;
export const countsWidth = width;

export interface MetricsReport {
  /** The time at which the first point starts, in milliseconds since the epoch. */
  readonly start: number;
  readonly stepMs: number;
  readonly services: readonly ServiceMetrics[];
}

export interface ServiceMetrics {
  readonly service: string;
  readonly total: Totals;
  /** The points of the report, one per step. Percentiles are null if there were no requests. */
  readonly points: readonly Totals[];
}

export interface Totals {
  readonly requests: number;
  /** The number of responses with a 4xx status. */
  readonly refused: number;
  /** The number of responses with a 5xx status. */
  readonly failed: number;
  readonly p50: number | null;
  readonly p95: number | null;
}

export interface Metrics {
  count(service: string, status: number, durationMs: number, now: number): void;
  /** Returns a report about the last `rangeMs`, with up to `points` steps. */
  report(rangeMs: number, points: number, now: number): MetricsReport;
  /** Returns the counts of the last `rangeMs`, by default of the last six hours, for {@link load}. */
  save(now: number, rangeMs?: number): SavedMetrics;
  /** Adds saved counts. Ignores slots that are too old or in the future, and data in a different format. */
  load(saved: unknown, now: number): void;
}

/** The name and the slots of each service. A slot consists of its number, followed by its packed counts. */
export type SavedMetrics = SavedCounts;
/** The limits of saved data. */
const savedLimits = { names: 100, lists: slots, minLength: 0 };

interface Series {
  readonly counts: Uint32Array;
  /** For each position, the number of the time slot whose counts are currently stored there. */
  readonly numbers: Float64Array;
}

export function createMetrics(): Metrics {
  const series = new Map<string, Series>();

  const made = (service: string): Series => {
    const fresh = {
      counts: new Uint32Array(slots * width),
      numbers: new Float64Array(slots).fill(-1),
    };
    series.set(service, fresh);
    return fresh;
  };

  return {
    count(service, status, durationMs, now) {
      const one = series.get(service) ?? made(service);
      const base = baseOf(one, Math.floor(now / slotMs));
      const bin = binOf(durationMs);
      add(one.counts, base);
      if (status >= 500) add(one.counts, base + 2);
      else if (status >= 400) add(one.counts, base + 1);
      add(one.counts, base + 3 + bin);
    },
    report(rangeMs, points, now) {
      const last = Math.floor(now / slotMs);
      const wanted = Math.max(1, Math.min(slots, Math.ceil(rangeMs / slotMs)));
      const perPoint = Math.ceil(wanted / points);
      const count = Math.ceil(wanted / perPoint);
      const first = last - count * perPoint + 1;
      const services = [...series].map(([service, one]) => {
        const whole = new Float64Array(width);
        const steps = Array.from({ length: count }, (_none, point) => {
          const sum = new Float64Array(width);
          for (let slot = 0; slot < perPoint; slot++) addSlot(sum, one, first + point * perPoint + slot);
          for (let index = 0; index < width; index++) whole[index] = (whole[index] ?? 0) + (sum[index] ?? 0);
          return totalsOf(sum);
        });
        return { service, total: totalsOf(whole), points: steps };
      });
      return {
        start: first * slotMs,
        stepMs: perPoint * slotMs,
        services: services
          .filter(({ total }) => total.requests > 0)
          .sort((left, right) => right.total.requests - left.total.requests),
      };
    },
    save(now, rangeMs = slots * slotMs) {
      const current = Math.floor(now / slotMs);
      const first = current - Math.ceil(rangeMs / slotMs);
      return [...series].map(([service, { counts, numbers }]) => [
        service,
        Array.from(numbers, (number, slot) => [number, slot * width] as const)
          .filter(([number]) => isKept(number, current) && number >= first)
          .map(([number, base]) => [number, ...packCounts(counts.subarray(base, base + width))]),
      ]);
    },
    load(saved, now) {
      const current = Math.floor(now / slotMs);
      for (const [service, kept] of parseSavedCounts(saved, savedLimits)) {
        const one = series.get(service) ?? made(service);
        for (const [number = -1, ...packed] of kept) {
          if (!isKept(number, current)) continue;
          const base = baseOf(one, number);
          addPackedCounts(one.counts.subarray(base, base + width), packed);
        }
      }
    },
  };
}

const isKept = (number: number, current: number): boolean => number > current - slots && number <= current;

/** Returns where the counts of a time slot begin. Counts of an earlier slot at this position are removed. */
function baseOf({ counts, numbers }: Series, number: number): number {
  const slot = number % slots;
  const base = slot * width;
  if (numbers[slot] !== number) {
    numbers[slot] = number;
    counts.fill(0, base, base + width);
  }
  return base;
}

function add(counts: Uint32Array, index: number): void {
  counts[index] = (counts[index] ?? 0) + 1;
}

function addSlot(sum: Float64Array, { counts, numbers }: Series, number: number): void {
  const slot = ((number % slots) + slots) % slots;
  if (numbers[slot] !== number) return;
  for (let index = 0; index < width; index++)
    sum[index] = (sum[index] ?? 0) + (counts[slot * width + index] ?? 0);
}

function binOf(durationMs: number): number {
  if (durationMs <= smallestMs) return 0;
  return Math.min(bounds - 1, Math.ceil(Math.log(durationMs / smallestMs) / logGrowth));
}

/** Returns the upper bound of a bin. */
const boundOf = (bin: number): number => smallestMs * growth ** bin;

export function totalsOf(sum: Float64Array): Totals {
  const [requests = 0, refused = 0, failed = 0] = sum;
  return {
    requests,
    refused,
    failed,
    p50: percentile(sum, requests, 0.5),
    p95: percentile(sum, requests, 0.95),
  };
}

/** Returns the middle of the bin that contains the percentile. */
function percentile(sum: Float64Array, requests: number, part: number): number | null {
  if (requests === 0) return null;
  const rank = Math.ceil(requests * part);
  let seen = 0;
  for (let bin = 0; bin < bounds; bin++) {
    seen += sum[3 + bin] ?? 0;
    if (seen >= rank) return Math.round((boundOf(bin) / Math.sqrt(growth)) * 100) / 100;
  }
  return null;
}
