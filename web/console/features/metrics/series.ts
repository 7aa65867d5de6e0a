/** Builds the columns of a chart and of the corresponding table from the server's report. */
import type { MetricsReport } from './api.ts';

export interface Series {
  readonly label: string;
  /** The name of a CSS variable with the line's color. */
  readonly color: string;
  /** The values over time. Null if data is missing. */
  readonly values: readonly (number | null)[];
}

export interface Chart {
  /** Seconds since the epoch, as uPlot expects. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** Formats a value with its unit. */
  readonly print: (value: number) => string;
  /** Events that are marked with vertical lines. Their times are in seconds since the epoch. */
  readonly marks?: readonly { readonly time: number; readonly label: string }[];
}

/**
 * The color of each service. The colors are fixed, so a service's color doesn't depend on which other services have
 * requests.
 */
const colors: Readonly<Record<string, string>> = {
  rest: '--plinth-series-1',
  auth: '--plinth-series-2',
  realtime: '--plinth-series-3',
  storage: '--plinth-series-4',
  functions: '--plinth-series-5',
  account: '--plinth-series-6',
  mail: '--plinth-series-7',
  console: '--plinth-dimmed',
};
const otherColor = '--plinth-text';

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const millisPerSecond = 1000;

const printRate = (value: number): string => `${compact.format(value)}/min`;

const printDuration = (ms: number): string =>
  ms < millisPerSecond ? `${compact.format(ms)} ms` : `${compact.format(ms / millisPerSecond)} s`;

const timesOf = ({ start, stepMs, services }: MetricsReport): number[] =>
  (services[0]?.points ?? []).map((_point, index) => (start + index * stepMs) / 1000);

/** Builds a chart of the requests per minute, with one line per service. */
export function requestChart(report: MetricsReport): Chart {
  const perMinute = 60_000 / report.stepMs;
  return {
    times: timesOf(report),
    print: printRate,
    series: report.services.map(({ service, points }) => ({
      label: service,
      color: colors[service] ?? otherColor,
      values: points.map(({ requests }) => Math.round(requests * perMinute * 100) / 100),
    })),
  };
}

/** Builds a chart of a service's p50 and p95 durations. */
export function durationChart(report: MetricsReport, service: string): Chart {
  const points = report.services.find((one) => one.service === service)?.points ?? [];
  return {
    times: timesOf(report),
    print: printDuration,
    series: [
      { label: 'p50', color: '--plinth-series-2', values: points.map(({ p50 }) => p50) },
      { label: 'p95', color: '--plinth-series-3', values: points.map(({ p95 }) => p95) },
    ],
  };
}
