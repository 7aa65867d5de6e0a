/** Everything pages read, as query options: fetcher and key in one place. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { callConsole } from './session.ts';
import type {
  Filter,
  Home,
  Message,
  MessageSummary,
  Relation,
  RelationSummary,
  RowKey,
  RowPage,
  RowValues,
  Sort,
  User,
  UserPage,
} from './types.ts';

export const homeQuery = queryOptions({
  queryKey: ['home'],
  queryFn: ({ signal }) => callConsole<Home>('/home', { signal }),
  refetchInterval: 15_000,
});

export const tablesQuery = queryOptions({
  queryKey: ['tables'],
  queryFn: async ({ signal }) =>
    (await callConsole<{ tables: readonly RelationSummary[] }>('/tables', { signal })).tables,
});

export interface TableName {
  readonly schema: string;
  readonly table: string;
}

const pathOf = ({ schema, table }: TableName): string =>
  `/tables/${encodeURIComponent(schema)}/${encodeURIComponent(table)}`;

export const relationQuery = (name: TableName) =>
  queryOptions({
    queryKey: ['relation', name.schema, name.table],
    queryFn: ({ signal }) => callConsole<Relation>(pathOf(name), { signal }),
    staleTime: 30_000,
  });

/** Which rows, in which order. */
export interface RowView {
  readonly filters: readonly Filter[];
  readonly sort: readonly Sort[];
}

export const pageSize = 100;

export const rowsKey = ({ schema, table }: TableName, view?: RowView) =>
  view === undefined ? (['rows', schema, table] as const) : (['rows', schema, table, view] as const);

const viewParams = ({ filters, sort }: RowView): URLSearchParams =>
  new URLSearchParams({ filters: JSON.stringify(filters), sort: JSON.stringify(sort) });

export const rowsQuery = (name: TableName, view: RowView, page: number) =>
  queryOptions({
    queryKey: [...rowsKey(name, view), page],
    queryFn: ({ signal }) => {
      const params = viewParams(view);
      params.set('limit', String(pageSize));
      params.set('offset', String(page * pageSize));
      return callConsole<RowPage>(`${pathOf(name)}/rows?${params}`, { signal });
    },
    staleTime: 30_000,
  });

export const countQuery = (name: TableName, view: RowView) =>
  queryOptions({
    queryKey: ['count', name.schema, name.table, view.filters],
    queryFn: async ({ signal }) =>
      (await callConsole<{ count: number }>(`${pathOf(name)}/count?${viewParams(view)}`, { signal })).count,
    enabled: false,
  });

export const rowQuery = (name: TableName, key: RowKey) =>
  queryOptions({
    queryKey: ['row', name.schema, name.table, key],
    queryFn: async ({ signal }) =>
      (
        await callConsole<{ row: RowValues }>(
          `${pathOf(name)}/row?key=${encodeURIComponent(JSON.stringify(key))}`,
          { signal },
        )
      ).row,
    staleTime: 0,
    // What is being edited must not change under the hands.
    refetchOnWindowFocus: false,
  });

export const rowsPath = (name: TableName): string => `${pathOf(name)}/rows`;

export const usersQuery = (search: string, page: number) =>
  queryOptions({
    queryKey: ['users', { search, page }],
    queryFn: ({ signal }) =>
      callConsole<UserPage>(`/users?${new URLSearchParams({ search, page: String(page) })}`, { signal }),
    placeholderData: keepPreviousData,
  });

export const userQuery = (id: string) =>
  queryOptions({
    queryKey: ['user', id],
    queryFn: ({ signal }) => callConsole<User>(`/users/${encodeURIComponent(id)}`, { signal }),
  });

const inboxRefreshMs = 3000;
export const inboxPageSize = 50;

export const inboxQuery = (search: string, page: number) =>
  queryOptions({
    queryKey: ['inbox', { search, page }],
    queryFn: ({ signal }) =>
      callConsole<{ total: number; messages: readonly MessageSummary[] }>(
        `/inbox?${new URLSearchParams({
          limit: String(inboxPageSize),
          offset: String((page - 1) * inboxPageSize),
          ...(search === '' ? {} : { search }),
        })}`,
        { signal },
      ),
    refetchInterval: inboxRefreshMs,
    placeholderData: keepPreviousData,
  });

export const messagePath = (id: string): string => `/inbox/${encodeURIComponent(id)}`;

export const messageQuery = (id: string) =>
  queryOptions({
    queryKey: ['message', id],
    queryFn: ({ signal }) => callConsole<Message>(messagePath(id), { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
