/** The periods that the charts show. Recent periods consist of minutes, and longer ones of hours. */
import type { HistoryRange } from '../contract.ts';

export interface Period {
  /** When the first step starts, in milliseconds since the epoch. */
  readonly start: number;
  readonly stepMs: number;
  readonly steps: number;
  /** Whether the period consists of hours that were added up. */
  readonly isHourly: boolean;
}

const minute = 60_000;
const hour = 60 * minute;

const ranges: Readonly<Record<HistoryRange, Pick<Period, 'stepMs' | 'steps' | 'isHourly'>>> = {
  '1h': { stepMs: minute, steps: 60, isHourly: false },
  '6h': { stepMs: 5 * minute, steps: 72, isHourly: false },
  '24h': { stepMs: 15 * minute, steps: 96, isHourly: false },
  '7d': { stepMs: 2 * hour, steps: 84, isHourly: true },
  '30d': { stepMs: 8 * hour, steps: 90, isHourly: true },
};

/** Returns the period that ends with the step that contains `now`. */
export function periodOf(range: HistoryRange, now: number): Period {
  const { stepMs, steps, isHourly } = ranges[range];
  const end = (Math.floor(now / stepMs) + 1) * stepMs;
  return { start: end - steps * stepMs, stepMs, steps, isHourly };
}
