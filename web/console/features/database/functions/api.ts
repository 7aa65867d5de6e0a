import { queryOptions } from '@tanstack/react-query';
import type { TryArgument } from '../../../../../src/pages/console/routines/contract.ts';
import { fetchConsole } from '../../../api/session.ts';

export type {
  RoutineDetail,
  RoutineParameter,
  RoutineRow,
  TryArgument,
  TryReport,
} from '../../../../../src/pages/console/routines/contract.ts';

export const routinesQuery = queryOptions({
  queryKey: ['database-functions'],
  queryFn: async ({ signal }) => (await fetchConsole('GET /database/functions', { signal })).functions,
});

export const routineQuery = (signature: string) =>
  queryOptions({
    queryKey: ['database-function', signature],
    queryFn: ({ signal }) => fetchConsole('GET /database/function', { query: { signature }, signal }),
    retry: false,
  });

export const tryRoutine = (body: {
  readonly signature: string;
  readonly arguments: readonly TryArgument[];
  readonly as?: string;
}) => fetchConsole('POST /database/function/try', { body });
