import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { callConsole } from '../../api/session.ts';

export interface Totals {
  readonly requests: number;
  readonly refused: number;
  readonly failed: number;
  readonly p50: number | null;
  readonly p95: number | null;
}

export interface ServiceMetrics {
  readonly service: string;
  readonly total: Totals;
  readonly points: readonly Totals[];
}

export interface MetricsReport {
  readonly start: number;
  readonly stepMs: number;
  readonly services: readonly ServiceMetrics[];
}

const refreshMs = 15_000;

export const metricsQuery = (minutes: number) =>
  queryOptions({
    queryKey: ['metrics', minutes],
    queryFn: ({ signal }) => callConsole<MetricsReport>(`/metrics?minutes=${minutes}`, { signal }),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  });

export interface MetricsSearch {
  readonly minutes?: number;
  readonly service?: string;
}

export const ranges = [15, 60, 180, 360] as const;

export function validateMetricsSearch(search: Record<string, unknown>): MetricsSearch {
  const minutes = ranges.find((range) => range === Number(search.minutes));
  return {
    ...(minutes === undefined || minutes === 60 ? {} : { minutes }),
    ...(typeof search.service === 'string' && search.service !== '' ? { service: search.service } : {}),
  };
}
