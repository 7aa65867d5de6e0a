import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { userQuery } from '../../api/queries.ts';
import { consoleUrl } from '../../api/route.ts';
import { fetchConsole } from '../../api/session.ts';
import { queryOf, selectionOf, type UsersSearch } from './search.ts';

export type {
  BulkAction,
  BulkResult,
  SsoCheck,
  SsoConnection,
  SsoPage,
  UserApiKey,
  UserRow,
  UserSession,
} from '../../../../src/pages/console/users/contract.ts';

export const usersQuery = (search: UsersSearch) =>
  queryOptions({
    queryKey: ['users', 'list', queryOf(search)],
    queryFn: ({ signal }) => fetchConsole('GET /users', { query: queryOf(search), signal }),
    placeholderData: keepPreviousData,
  });

export const userCountQuery = (search: UsersSearch) => {
  const { sort: _sort, order: _order, ...query } = selectionOf(search);
  return queryOptions({
    queryKey: ['users', 'count', query],
    queryFn: ({ signal }) => fetchConsole('GET /users/count', { query, signal }),
    placeholderData: keepPreviousData,
  });
};

export const providersQuery = queryOptions({
  queryKey: ['users', 'providers'],
  queryFn: async ({ signal }) => (await fetchConsole('GET /users/providers', { signal })).providers,
  staleTime: 60_000,
});

/** Fetches the users to which a bulk action applies if it includes all users that match the filters. */
export const fetchMatching = (search: UsersSearch, signal?: AbortSignal) =>
  fetchConsole('GET /users/ids', { query: selectionOf(search), signal });

export const exportUrl = (search: UsersSearch, format: 'csv' | 'json'): string =>
  consoleUrl('GET /users/export', { query: { ...selectionOf(search), format } });

export const sessionsQuery = (userId: string) =>
  queryOptions({
    // The query key begins with the key of the user's query, because every change to the user may have ended sessions.
    queryKey: [...userQuery(userId).queryKey, 'sessions'],
    queryFn: async ({ signal }) =>
      (await fetchConsole('GET /users/:id/sessions', { params: { id: userId }, signal })).sessions,
    retry: false,
  });

export const apiKeysQuery = (userId: string) =>
  queryOptions({
    queryKey: [...userQuery(userId).queryKey, 'api-keys'],
    queryFn: async ({ signal }) =>
      (await fetchConsole('GET /users/:id/api-keys', { params: { id: userId }, signal })).keys,
    retry: false,
  });

export const ssoQuery = queryOptions({
  queryKey: ['sso'],
  queryFn: ({ signal }) => fetchConsole('GET /sso', { signal }),
});
