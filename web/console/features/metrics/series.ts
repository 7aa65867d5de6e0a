/** Builds the columns of a chart, and of the table with the same data, from the server's report. */
import type { MetricsReport } from './api.ts';

export interface Series {
  readonly label: string;
  /** The name of a CSS variable with the line's color. */
  readonly color: string;
  /** Null if data is missing. */
  readonly values: readonly (number | null)[];
}

export interface Chart {
  /** Seconds since the epoch, as uPlot expects. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
}

/** The color of each service, which doesn't depend on which other services had requests. */
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

const timesOf = ({ start, stepMs, services }: MetricsReport): number[] =>
  (services[0]?.points ?? []).map((_point, index) => (start + index * stepMs) / 1000);

/** Requests per minute, one line per service. */
export function requestChart(report: MetricsReport): Chart {
  const perMinute = 60_000 / report.stepMs;
  return {
    times: timesOf(report),
    series: report.services.map(({ service, points }) => ({
      label: service,
      color: colors[service] ?? otherColor,
      values: points.map(({ requests }) => Math.round(requests * perMinute * 100) / 100),
    })),
  };
}

/** Builds a chart of the p50 and p95 of one service. */
export function durationChart(report: MetricsReport, service: string): Chart {
  const points = report.services.find((one) => one.service === service)?.points ?? [];
  return {
    times: timesOf(report),
    series: [
      { label: 'p50', color: '--plinth-series-2', values: points.map(({ p50 }) => p50) },
      { label: 'p95', color: '--plinth-series-3', values: points.map(({ p95 }) => p95) },
    ],
  };
}
