/** Queries and search parameters for the log page. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type {
  FailureGroup,
  LogChart,
  LogFailureGroups,
} from '../../../../src/pages/console/logs/contract.ts';
import { type Address, consoleUrl } from '../../api/route.ts';
import { fetchConsole } from '../../api/session.ts';

export type { AskedNodes, LogEntry } from '../../../../src/pages/console/logs/contract.ts';
export type { FailureGroup, LogChart, LogFailureGroups };

export const filterNames = [
  'search',
  'service',
  'status',
  'level',
  'path',
  'method',
  'minMs',
  'maxMs',
  'user',
  'requestId',
  'node',
  'minutes',
  'since',
  'until',
] as const;

export type LogFilter = { readonly [Name in (typeof filterNames)[number]]?: string };

export const shownLists = ['newest', 'slowest', 'failures'] as const;
export type ShownList = (typeof shownLists)[number];

export interface LogSearch extends LogFilter {
  /** What the page lists. Defaults to the newest entries. */
  readonly list?: ShownList;
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
  if (shownLists.some((each) => each === search.list) && search.list !== 'newest')
    found.list = String(search.list);
  return found as LogSearch;
}

/** The value of the service filter that includes the Console's own requests. */
export const everything = 'all';

/**
 * Converts the filter to the server's format, without the time range. By default, the Console's own requests are
 * excluded.
 */
export function filterQuery({
  minutes: _minutes,
  since: _since,
  until: _until,
  service = '!console',
  ...filter
}: LogFilter): LogQuery {
  // A URL can contain any text, so the server validates the values.
  return (service === everything ? filter : { ...filter, service }) as LogQuery;
}

type LogQuery = Address<'GET /logs/tail'>['query'];

interface Range {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** Returns the time range of a filter. A range that ends now is computed again for each query. */
export function rangeOf({ minutes, since, until }: LogFilter): Range {
  if (minutes === undefined) return { since, until };
  return { since: new Date(Date.now() - Number(minutes) * 60_000).toISOString() };
}

export const logsQuery = (filter: LogFilter, list: ShownList) =>
  infiniteQueryOptions({
    queryKey: ['logs', filter, list],
    queryFn: ({ signal, pageParam }) => {
      const sort = list === 'slowest' ? ('duration' as const) : undefined;
      const query = { ...filterQuery(filter), ...rangeOf(filter), sort, cursor: pageParam || undefined };
      return fetchConsole('GET /logs', { query, signal });
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    enabled: list !== 'failures',
    staleTime: 0,
  });

/** The position where a chart or a list of groups is continued, with the range of its first part. */
interface Continued extends Range {
  readonly next: string;
}

const continuedBy = (
  { next, start }: { readonly next: string | null; readonly start: number },
  range: Range,
) => (next === null ? undefined : { ...range, since: range.since ?? new Date(start).toISOString(), next });

const partRange = (filter: LogFilter, position: Continued | undefined): Range =>
  position ?? { until: new Date().toISOString(), ...withoutUndefined(rangeOf(filter)) };

const withoutUndefined = (range: Range): Range =>
  Object.fromEntries(Object.entries(range).filter(([, value]) => value !== undefined));

export const chartQuery = (filter: LogFilter) =>
  infiniteQueryOptions({
    queryKey: ['log-chart', filter],
    queryFn: async ({ signal, pageParam }) => {
      const range = partRange(filter, pageParam);
      const part = await fetchConsole('GET /logs/chart', {
        query: { ...filterQuery(filter), ...range },
        signal,
      });
      return { part, range };
    },
    initialPageParam: undefined as Continued | undefined,
    getNextPageParam: ({ part, range }) => continuedBy(part, range),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

export const failuresQuery = (filter: LogFilter, isShown: boolean) =>
  infiniteQueryOptions({
    queryKey: ['log-failures', filter],
    queryFn: async ({ signal, pageParam }) => {
      const range = partRange(filter, pageParam);
      const query = { ...filterQuery(filter), ...range };
      return { part: await fetchConsole('GET /logs/failures', { query, signal }), range };
    },
    initialPageParam: undefined as Continued | undefined,
    getNextPageParam: ({ part, range }) => continuedBy(part, range),
    enabled: isShown,
    staleTime: 0,
  });

export const exportUrl = (filter: LogFilter, format: 'csv' | 'ndjson'): string =>
  consoleUrl('GET /logs/export', { query: { ...filterQuery(filter), ...rangeOf(filter), format } });

export const traceQuery = (requestId: string) =>
  queryOptions({
    queryKey: ['log-trace', requestId],
    queryFn: async ({ signal }) =>
      (await fetchConsole('GET /logs/requests/:id', { params: { id: requestId }, signal })).entries,
  });
