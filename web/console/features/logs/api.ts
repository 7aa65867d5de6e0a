/** Calls about the log. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { callConsole } from '../../api/session.ts';

export interface Statement {
  readonly text: string;
  readonly startMs: number;
  readonly durationMs: number;
  readonly error?: string;
}

export interface LogEntry {
  readonly at: number;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly kind: 'request' | 'line';
  readonly service: string;
  readonly message: string;
  readonly requestId?: string;
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly status?: number;
  readonly durationMs?: number;
  readonly databaseMs?: number;
  readonly ip?: string;
  readonly userAgent?: string;
  readonly role?: string;
  readonly userId?: string;
  readonly operator?: string;
  readonly statements?: readonly Statement[];
  readonly fields?: Readonly<Record<string, unknown>>;
}

export const filterNames = [
  'search',
  'service',
  'status',
  'level',
  'path',
  'user',
  'requestId',
  'minutes',
] as const;

export type LogFilter = { readonly [Name in (typeof filterNames)[number]]?: string };

export interface LogSearch extends LogFilter {
  readonly live?: boolean;
  /** The request that is open in the panel. */
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

/** The choice of service that also shows what this Console asks. */
export const everything = 'all';

/** As the server takes it, without the time, which moves. Who looks at the log is in it, and mostly in the way. */
export function filterParams({
  minutes: _time,
  service = '!console',
  ...filter
}: LogFilter): URLSearchParams {
  return new URLSearchParams(Object.entries(service === everything ? filter : { ...filter, service }));
}

export const logsQuery = (filter: LogFilter) =>
  infiniteQueryOptions({
    queryKey: ['logs', filter],
    queryFn: ({ signal, pageParam }) => {
      const params = filterParams(filter);
      if (filter.minutes !== undefined)
        params.set('since', new Date(Date.now() - Number(filter.minutes) * 60_000).toISOString());
      if (pageParam !== '') params.set('cursor', pageParam);
      return callConsole<{ entries: readonly LogEntry[]; next: string | null }>(`/logs?${params}`, {
        signal,
      });
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    staleTime: 0,
  });

export const traceQuery = (requestId: string) =>
  queryOptions({
    queryKey: ['log-trace', requestId],
    queryFn: async ({ signal }) =>
      (
        await callConsole<{ entries: readonly LogEntry[] }>(
          `/logs/requests/${encodeURIComponent(requestId)}`,
          {
            signal,
          },
        )
      ).entries,
  });
