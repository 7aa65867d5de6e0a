/** Queries and search parameters for the log page. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Address } from '../../api/route.ts';
import { fetchConsole } from '../../api/session.ts';

export type { AskedNodes, LogEntry } from '../../../../src/pages/console/logs/contract.ts';

export const filterNames = [
  'search',
  'service',
  'status',
  'level',
  'path',
  'user',
  'requestId',
  'node',
  'minutes',
] as const;

export type LogFilter = { readonly [Name in (typeof filterNames)[number]]?: string };

export interface LogSearch extends LogFilter {
  readonly live?: boolean;
  /** The ID of the request that is open in the panel. */
  readonly open?: string;
}

export function validateLogSearch(search: Record<string, unknown>): LogSearch {
  const found: Record<string, string | boolean> = {};
  for (const name of [...filterNames, 'open'] as const) {
    const value = search[name];
    if ((typeof value === 'string' && value !== '') || typeof value === 'number') found[name] = String(value);
  }
  if (search.live === true) found.live = true;
  return found;
}

/** The value of the service filter that includes the Console's own requests. */
export const everything = 'all';

/**
 * Converts the filter to the server's format, without the time range. By default, the Console's own requests are
 * excluded.
 */
export function filterQuery({ minutes: _time, service = '!console', ...filter }: LogFilter): LogQuery {
  // A URL can contain any text, so the server validates the values.
  return (service === everything ? filter : { ...filter, service }) as LogQuery;
}

type LogQuery = Address<'GET /logs/tail'>['query'];

export const logsQuery = (filter: LogFilter) =>
  infiniteQueryOptions({
    queryKey: ['logs', filter],
    queryFn: ({ signal, pageParam }) => {
      const since =
        filter.minutes === undefined
          ? undefined
          : new Date(Date.now() - Number(filter.minutes) * 60_000).toISOString();
      const query = { ...filterQuery(filter), since, cursor: pageParam || undefined };
      return fetchConsole('GET /logs', { query, signal });
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    staleTime: 0,
  });

export const traceQuery = (requestId: string) =>
  queryOptions({
    queryKey: ['log-trace', requestId],
    queryFn: async ({ signal }) =>
      (await fetchConsole('GET /logs/requests/:id', { params: { id: requestId }, signal })).entries,
  });
