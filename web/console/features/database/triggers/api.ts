import { queryOptions } from '@tanstack/react-query';
import { fetchConsole } from '../../../api/session.ts';

export type { DatabaseTrigger } from '../../../../../src/pages/console/triggers/contract.ts';

export const triggersQuery = queryOptions({
  queryKey: ['database-triggers'],
  queryFn: async ({ signal }) => (await fetchConsole('GET /database/triggers', { signal })).triggers,
});
