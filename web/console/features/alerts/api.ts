import { queryOptions } from '@tanstack/react-query';
import { fetchConsole } from '../../api/session.ts';

export type { AlertRow, ReceiverState } from '../../../../src/pages/console/alerts/contract.ts';

export const alertsKey = ['alerts'] as const;

export const alertsQuery = queryOptions({
  queryKey: alertsKey,
  queryFn: ({ signal }) => fetchConsole('GET /alerts', { signal }),
  refetchInterval: 10_000,
});
