/** Queries and search parameters for the Queries page. */
import { queryOptions } from '@tanstack/react-query';
import type {
  ActivityRow,
  StatementOrder,
  StatementRow,
} from '../../../../src/pages/console/queries-page/contract.ts';
import { fetchConsole } from '../../api/session.ts';

export type {
  ActivityRow,
  Advice,
  StatementDetails,
  StatementOrder,
  StatementRow,
} from '../../../../src/pages/console/queries-page/contract.ts';

const refreshMs = 10_000;
const activityMs = 2_000;

export const orders = ['total', 'mean', 'calls', 'rows', 'max'] as const satisfies readonly StatementOrder[];

export interface StatementsSearch {
  readonly order?: StatementOrder;
  readonly search?: string;
  readonly role?: string;
  readonly services?: true;
  /** The ID and the role of the statement that is open in the panel. */
  readonly id?: string;
  readonly as?: string;
}

export function validateStatementsSearch(search: Record<string, unknown>): StatementsSearch {
  const text = (name: string): string | undefined => {
    const value = search[name];
    // The router parses text that consists only of digits as a number.
    return (typeof value === 'string' && value !== '') || typeof value === 'number'
      ? String(value)
      : undefined;
  };
  const order = orders.find((known) => known === search.order);
  const found = { order, search: text('search'), role: text('role'), id: text('id'), as: text('as') };
  return {
    ...(Object.fromEntries(
      Object.entries(found).filter(([, value]) => value !== undefined),
    ) as StatementsSearch),
    ...(search.services === true ? { services: true } : {}),
  };
}

export interface ActivitySearch {
  /** The process ID of the session that is open in the panel. */
  readonly pid?: number;
}

export function validateActivitySearch({ pid }: Record<string, unknown>): ActivitySearch {
  return Number.isInteger(pid) ? { pid: pid as number } : {};
}

export const statementsQuery = ({ order, search, role, services }: StatementsSearch) =>
  queryOptions({
    queryKey: ['queries', 'statements', order, search, role, services],
    queryFn: ({ signal }) =>
      fetchConsole('GET /queries', {
        query: { order, search, role, services: services === true ? 'true' : undefined },
        signal,
      }),
    refetchInterval: refreshMs,
    placeholderData: (previous) => previous,
  });

export interface StatementKey extends Pick<StatementRow, 'id' | 'role'> {}

export const statementQuery = ({ id, role }: StatementKey) =>
  queryOptions({
    queryKey: ['queries', 'statement', id, role],
    queryFn: ({ signal }) => fetchConsole('GET /queries/statement', { query: { id, role }, signal }),
  });

export const planQuery = ({ id, role }: StatementKey) =>
  queryOptions({
    queryKey: ['queries', 'plan', id, role],
    queryFn: ({ signal }) => fetchConsole('GET /queries/plan', { query: { id, role }, signal }),
    retry: false,
    staleTime: 60_000,
  });

export const activityQuery = queryOptions({
  queryKey: ['queries', 'activity'],
  queryFn: ({ signal }) => fetchConsole('GET /queries/activity', { signal }),
  refetchInterval: activityMs,
});

export const resetStatistics = () => fetchConsole('POST /queries/reset');

export const endSession = (
  signal: 'cancel' | 'terminate',
  { pid, began }: Pick<ActivityRow, 'pid' | 'began'>,
) =>
  signal === 'cancel'
    ? fetchConsole('POST /queries/activity/cancel', { body: { pid, began } })
    : fetchConsole('POST /queries/activity/terminate', { body: { pid, began } });
