/** Queries and search parameters for the history of statements. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { HistoryRange } from '../../../../src/pages/console/statement-history/contract.ts';
import { fetchConsole } from '../../api/session.ts';

export type {
  HistoryMark,
  HistoryPeriod,
  HistoryRange,
  HistoryStatement,
  HistorySums,
  StatementHistory,
  StatementSeries,
} from '../../../../src/pages/console/statement-history/contract.ts';

export const historyRanges = ['1h', '6h', '24h', '7d', '30d'] as const satisfies readonly HistoryRange[];
export const defaultRange: HistoryRange = '6h';

const refreshMs = 15_000;

export interface HistorySearch {
  readonly range?: HistoryRange;
  readonly role?: string;
  readonly services?: true;
  /** The time of the change before and after which statements are compared, in milliseconds since the epoch. */
  readonly split?: number;
  /** The ID and the role of the statement that is open in the panel. */
  readonly id?: string;
  readonly as?: string;
}

export function validateHistorySearch(search: Record<string, unknown>): HistorySearch {
  const range = historyRanges.find((known) => known === search.range);
  // The router parses text that consists only of digits as a number.
  const text = (value: unknown): string | undefined =>
    (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined;
  const found = {
    range: range === defaultRange ? undefined : range,
    role: text(search.role),
    services: search.services === true ? (true as const) : undefined,
    split: Number.isSafeInteger(search.split) ? (search.split as number) : undefined,
    id: text(search.id),
    as: text(search.as),
  };
  return Object.fromEntries(
    Object.entries(found).filter(([, value]) => value !== undefined),
  ) as HistorySearch;
}

export const historyQuery = ({ range = defaultRange, role, services, split }: HistorySearch) =>
  queryOptions({
    queryKey: ['queries', 'history', range, role, services, split],
    queryFn: ({ signal }) =>
      fetchConsole('GET /queries/history', {
        query: {
          range,
          role,
          services: services === true ? 'true' : undefined,
          split: split === undefined ? undefined : new Date(split).toISOString(),
        },
        signal,
      }),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  });

export const statementHistoryQuery = (
  { id, role }: { readonly id: string; readonly role: string },
  range: HistoryRange,
) =>
  queryOptions({
    queryKey: ['queries', 'history', 'statement', id, role, range],
    queryFn: ({ signal }) =>
      fetchConsole('GET /queries/history/statement', { query: { id, role, range }, signal }),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  });
