import { queryOptions } from '@tanstack/react-query';
import { userQuery } from '../../api/queries.ts';
import { fetchConsole } from '../../api/session.ts';

export type { UserSession } from '../../../../src/console/users/contract.ts';

export const sessionsQuery = (userId: string) =>
  queryOptions({
    // The key begins with the user's key, because every change to the user may have ended sessions.
    queryKey: [...userQuery(userId).queryKey, 'sessions'],
    queryFn: async ({ signal }) =>
      (await fetchConsole('GET /users/:id/sessions', { params: { id: userId }, signal })).sessions,
    retry: false,
  });
