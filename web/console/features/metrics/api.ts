import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { fetchConsole } from '../../api/session.ts';

export type { MetricsReport, ServiceMetrics, Totals } from '../../../../src/pages/console/logs/contract.ts';

const refreshMs = 15_000;

export const metricsQuery = (minutes: number, node: string | undefined) =>
  queryOptions({
    queryKey: ['metrics', minutes, node],
    queryFn: ({ signal }) =>
      fetchConsole('GET /metrics', { query: { minutes, ...(node === undefined ? {} : { node }) }, signal }),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  });

export interface MetricsSearch {
  readonly minutes?: number;
  readonly service?: string;
  /** The ID of a node. By default, the metrics of all nodes are added up. */
  readonly node?: string;
}

export const ranges = [15, 60, 180, 360] as const;

export function validateMetricsSearch(search: Record<string, unknown>): MetricsSearch {
  const minutes = ranges.find((range) => range === Number(search.minutes));
  return {
    ...(minutes === undefined || minutes === 60 ? {} : { minutes }),
    ...(typeof search.service === 'string' && search.service !== '' ? { service: search.service } : {}),
    ...(typeof search.node === 'string' && search.node !== '' ? { node: search.node } : {}),
  };
}
