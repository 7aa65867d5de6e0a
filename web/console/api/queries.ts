/** Everything pages read, as query options: fetcher and key in one place. */
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { callConsole } from './session.ts';
import type {
  Cell,
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

/** Which rows, in which order, and in whose name (`as`; undefined is the operator). */
export interface RowView {
  readonly filters: readonly Filter[];
  readonly sort: readonly Sort[];
  readonly as?: string | undefined;
}

export const pageSize = 100;

export const rowsKey = ({ schema, table }: TableName, view?: RowView) =>
  view === undefined ? (['rows', schema, table] as const) : (['rows', schema, table, view] as const);

export const viewParams = ({ filters, sort, as }: RowView): URLSearchParams =>
  new URLSearchParams({
    filters: JSON.stringify(filters),
    sort: JSON.stringify(sort),
    ...(as === undefined ? {} : { as }),
  });

/** `?as=…` for calls without other parameters. */
const asParam = (as: string | undefined): string =>
  as === undefined ? '' : `?${new URLSearchParams({ as })}`;

/** A page beside one that is here already is found by its rows, any other by its offset. */
function placeOf(client: QueryClient, name: TableName, view: RowView, page: number): Record<string, string> {
  const beside = (other: number): RowPage | undefined => {
    const state = client.getQueryState<RowPage>([...rowsKey(name, view), other]);
    return state?.isInvalidated === false ? state.data : undefined;
  };
  const former = beside(page - 1);
  if (former?.more === true && former.last !== null) return { after: JSON.stringify(former.last) };
  const next = beside(page + 1);
  if (next !== undefined && next.first !== null) return { before: JSON.stringify(next.first) };
  return { offset: String(page * pageSize) };
}

export const rowsQuery = (name: TableName, view: RowView, page: number) =>
  queryOptions({
    queryKey: [...rowsKey(name, view), page],
    queryFn: ({ signal, client }) => {
      const params = viewParams(view);
      params.set('limit', String(pageSize));
      for (const [key, value] of Object.entries(placeOf(client, name, view, page))) params.set(key, value);
      return callConsole<RowPage>(`${pathOf(name)}/rows?${params}`, { signal });
    },
    staleTime: 30_000,
  });

/** Cells uncut, for copying. */
export async function fetchWholeRows(
  name: TableName,
  view: RowView,
  offset: number,
  limit: number,
): Promise<readonly (readonly Cell[])[]> {
  const params = viewParams(view);
  params.set('whole', 'true');
  params.set('limit', String(limit));
  params.set('offset', String(offset));
  return (await callConsole<RowPage>(`${pathOf(name)}/rows?${params}`)).rows;
}

export const countQuery = (name: TableName, view: RowView) =>
  queryOptions({
    queryKey: ['count', name.schema, name.table, view.filters, view.as],
    queryFn: async ({ signal }) =>
      (await callConsole<{ count: number }>(`${pathOf(name)}/count?${viewParams(view)}`, { signal })).count,
    enabled: false,
  });

export const exportPath = (name: TableName, view: RowView, format: 'csv' | 'json'): string => {
  const params = viewParams(view);
  params.set('format', format);
  return `/console/api${pathOf(name)}/export?${params}`;
};

export const rowQuery = (name: TableName, key: RowKey, as?: string) =>
  queryOptions({
    queryKey: ['row', name.schema, name.table, key, as],
    queryFn: async ({ signal }) =>
      (
        await callConsole<{ row: RowValues }>(
          `${pathOf(name)}/row?${new URLSearchParams({ key: JSON.stringify(key), ...(as === undefined ? {} : { as }) })}`,
          { signal },
        )
      ).row,
    staleTime: 0,
    // What is being edited must not change under the hands.
    refetchOnWindowFocus: false,
  });

export const rowsPath = (name: TableName, as?: string): string => `${pathOf(name)}/rows${asParam(as)}`;
export const changePath = (name: TableName, as?: string): string => `${pathOf(name)}/change${asParam(as)}`;
export const importPath = (name: TableName, part: '' | '/head', params: URLSearchParams): string =>
  `${pathOf(name)}/import${part}?${params}`;

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
