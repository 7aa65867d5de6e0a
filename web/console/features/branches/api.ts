/** Queries for the branches page. */
import { queryOptions } from '@tanstack/react-query';
import { fetchConsole } from '../../api/session.ts';

export type { BranchList, BranchRow, MergePlan } from '../../../../src/pages/console/branches/contract.ts';

const idlePollMs = 10_000;
const busyPollMs = 1000;

export const branchesQuery = queryOptions({
  queryKey: ['branches'],
  queryFn: ({ signal }) => fetchConsole('GET /branches', { signal }),
  refetchInterval: ({ state: { data } }) =>
    data?.branches.some(({ state }) => state === 'creating') ? busyPollMs : idlePollMs,
});

export const mergePlanQuery = (id: string) =>
  queryOptions({
    queryKey: ['branches', id, 'merge'],
    queryFn: ({ signal }) => fetchConsole('GET /branches/:id/merge', { params: { id }, signal }),
    gcTime: 0,
    staleTime: 0,
    retry: false,
  });
