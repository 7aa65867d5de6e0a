import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { consoleUrl } from '../../api/route.ts';
import { fetchConsole } from '../../api/session.ts';

export type {
  LoadReport,
  MetricsReport,
  ServiceMetrics,
  Totals,
} from '../../../../src/pages/console/logs/contract.ts';

const refreshMs = 15_000;
/** A new sample is stored every minute. */
const sampleMs = 60_000;

export const metricsQuery = (minutes: number, node: string | undefined) =>
  queryOptions({
    queryKey: ['metrics', minutes, node],
    queryFn: ({ signal }) => fetchConsole('GET /metrics', { query: queryOf(minutes, node), signal }),
    refetchInterval: minutes > maxRecentMinutes ? sampleMs : refreshMs,
    placeholderData: keepPreviousData,
  });

/** Up to this range, the server counts requests in half minutes. */
const maxRecentMinutes = 360;

const queryOf = (minutes: number, node: string | undefined) => ({
  minutes,
  ...(node === undefined ? {} : { node }),
});

export const loadQuery = (minutes: number, node: string | undefined) =>
  queryOptions({
    queryKey: ['metrics-load', minutes, node],
    queryFn: ({ signal }) => fetchConsole('GET /metrics/load', { query: queryOf(minutes, node), signal }),
    refetchInterval: sampleMs,
    placeholderData: keepPreviousData,
  });

export const metricsExportUrl = (minutes: number, node: string | undefined): string =>
  consoleUrl('GET /metrics/export', { query: queryOf(minutes, node) });

export interface MetricsSearch {
  readonly minutes?: number;
  readonly service?: string;
  /** The ID of a node. By default, the metrics of all nodes are added up. */
  readonly node?: string;
}

export const ranges = [15, 60, 180, 360, 1440, 10_080, 43_200] as const;

export function validateMetricsSearch(search: Record<string, unknown>): MetricsSearch {
  const minutes = ranges.find((range) => range === Number(search.minutes));
  return {
    ...(minutes === undefined || minutes === 60 ? {} : { minutes }),
    ...(typeof search.service === 'string' && search.service !== '' ? { service: search.service } : {}),
    ...(typeof search.node === 'string' && search.node !== '' ? { node: search.node } : {}),
  };
}
