/** Builds the columns of a chart and of the corresponding table from the server's report. */
import { t } from '../logs/text.ts';
import type { LoadReport, MetricsReport } from './api.ts';

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
export function requestChart(report: MetricsReport, marks: Marks): Chart {
  const perMinute = 60_000 / report.stepMs;
  return {
    times: timesOf(report),
    print: printRate,
    marks,
    series: report.services.map(({ service, points }) => ({
      label: service,
      color: colors[service] ?? otherColor,
      values: points.map(({ requests }) => Math.round(requests * perMinute * 100) / 100),
    })),
  };
}

/** Builds a chart of a service's p50 and p95 durations. */
export function durationChart(report: MetricsReport, service: string, marks: Marks): Chart {
  const points = report.services.find((one) => one.service === service)?.points ?? [];
  return {
    times: timesOf(report),
    print: printDuration,
    marks,
    series: [
      { label: 'p50', color: '--plinth-series-2', values: points.map(({ p50 }) => p50) },
      { label: 'p95', color: '--plinth-series-3', values: points.map(({ p95 }) => p95) },
    ],
  };
}

export type Marks = NonNullable<Chart['marks']>;

/** Returns the deployments, migrations and starts of servers. */
export const marksOf = (report: LoadReport | undefined): Marks =>
  (report?.marks ?? []).map(({ at, kind, name }) => ({
    time: at / 1000,
    label: kind === 'start' ? t('metrics.mark-start') : t(`metrics.mark-${kind}`, { name }),
  }));

/** Builds a chart of the share of failed requests of all services, in percent. */
export function errorChart(report: MetricsReport, marks: Marks): Chart {
  const times = timesOf(report);
  const share = (name: 'refused' | 'failed'): (number | null)[] =>
    times.map((_time, step) => {
      const sum = (value: 'requests' | 'refused' | 'failed'): number =>
        report.services.reduce((all, { points }) => all + (points[step]?.[value] ?? 0), 0);
      const requests = sum('requests');
      return requests === 0 ? null : Math.round((sum(name) / requests) * 10_000) / 100;
    });
  return {
    ...{ times, marks },
    print: (value) => `${compact.format(value)} %`,
    series: [
      { label: '4xx', color: '--plinth-series-5', values: share('refused') },
      { label: '5xx', color: '--plinth-danger', values: share('failed') },
    ],
  };
}

type GaugeName = keyof LoadReport['gauges'];

const gibibyte = 2 ** 30;
const mebibyte = 2 ** 20;
const printBytes = (value: number): string =>
  value >= gibibyte ? `${compact.format(value / gibibyte)} GiB` : `${compact.format(value / mebibyte)} MiB`;

/** The charts of the load. A chart shows one or more measured values. */
export const loadCharts = [
  { name: 'cpu', gauges: ['cpuCores'], print: (value: number) => compact.format(value) },
  { name: 'memory', gauges: ['memoryBytes'], print: printBytes },
  {
    name: 'connections',
    gauges: ['connections', 'databaseConnections', 'sockets'],
    print: (value: number) => compact.format(value),
  },
  { name: 'disk', gauges: ['diskFreeBytes'], print: printBytes },
] as const satisfies readonly {
  readonly name: string;
  readonly gauges: readonly GaugeName[];
  readonly print: (value: number) => string;
}[];

const seriesColor = (index: number): string => `--plinth-series-${index + 1}`;

export function loadChart(
  { start, stepMs, steps, gauges }: LoadReport,
  { gauges: names, print }: (typeof loadCharts)[number],
  marks: Marks,
): Chart {
  const lines = names.flatMap((name) => {
    const label = t(`metrics.gauge-${name}`);
    const average = { label, values: gauges[name].average };
    // A short peak isn't visible in the average of a long step.
    return names.length > 1 || name === 'diskFreeBytes'
      ? [average]
      : [average, { label: t('metrics.peak'), values: gauges[name].max }];
  });
  return {
    times: Array.from({ length: steps }, (_none, step) => (start + step * stepMs) / 1000),
    ...{ print, marks },
    series: lines.map((line, index) => ({ ...line, color: seriesColor(index) })),
  };
}
