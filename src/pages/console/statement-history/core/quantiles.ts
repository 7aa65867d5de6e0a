/** Estimates percentiles of durations from their mean and variance, because PostgreSQL doesn't record percentiles. */
import { meanOf, type Totals, varianceOf } from './totals.ts';

export interface Quantiles {
  readonly p50Ms: number;
  readonly p95Ms: number;
}

/** With fewer calls, the estimate would describe single calls rather than the statement. */
const minCalls = 20;
/**
 * The maximum quotient of standard deviation and mean. With a larger quotient, a few calls dominate the mean, and the
 * shape of the distribution can't be guessed.
 */
const maxVariation = 3;
/** The 95th percentile of the standard normal distribution. */
const normal95 = 1.6449;

/**
 * Estimates the median and the 95th percentile of the log-normal distribution with the same mean and variance. Durations
 * have a minimum and a long tail, which this distribution has too. Returns null if an estimate would be misleading.
 */
export function quantilesOf(totals: Totals): Quantiles | null {
  const mean = meanOf(totals);
  const variance = varianceOf(totals);
  if (variance === null || totals.calls < minCalls || mean <= 0) return null;
  const variation = (Math.sqrt(variance) / mean) ** 2;
  if (variation > maxVariation ** 2) return null;
  const p50Ms = mean / Math.sqrt(1 + variation);
  return { p50Ms, p95Ms: p50Ms * Math.exp(normal95 * Math.sqrt(Math.log1p(variation))) };
}
