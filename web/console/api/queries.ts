/** Defines queries for data that several pages use. Each query combines a key and a fetch function. */
import { keepPreviousData, type QueryClient, queryOptions, replaceEqualDeep } from '@tanstack/react-query';
import { inFormerOrder } from './former-order.ts';
import { type Address, consoleUrl } from './route.ts';
import { fetchConsole } from './session.ts';
import type { Cell, Filter, RowKey, RowPage, Sort } from './types.ts';

export const homeQuery = queryOptions({
  queryKey: ['home'],
  queryFn: ({ signal }) => fetchConsole('GET /home', { signal }),
  refetchInterval: 15_000,
});

export const overviewQuery = queryOptions({
  queryKey: ['home', 'overview'],
  queryFn: ({ signal }) => fetchConsole('GET /home/overview', { signal }),
  refetchInterval: 30_000,
});

export const problemsQuery = queryOptions({
  queryKey: ['home', 'problems'],
  queryFn: async ({ signal }) => (await fetchConsole('GET /home/problems', { signal })).problems,
  refetchInterval: 15_000,
});

export const tablesQuery = queryOptions({
  queryKey: ['tables'],
  queryFn: async ({ signal }) => (await fetchConsole('GET /tables', { signal })).tables,
});

export interface TableName {
  readonly schema: string;
  readonly table: string;
}

const paramsOf = ({ schema, table }: TableName): TableName => ({ schema, table });

export const relationQuery = (name: TableName) =>
  queryOptions({
    queryKey: ['relation', name.schema, name.table],
    queryFn: ({ signal }) => fetchConsole('GET /tables/:schema/:table', { params: paramsOf(name), signal }),
    staleTime: 30_000,
  });

/** The filters, the order and the persona of a row view. Without `as`, the persona is the operator. */
export interface RowView {
  readonly filters: readonly Filter[];
  readonly sort: readonly Sort[];
  readonly as?: string | undefined;
}

export const pageSize = 100;

export const rowsKey = ({ schema, table }: TableName, view?: RowView) =>
  view === undefined ? (['rows', schema, table] as const) : (['rows', schema, table, view] as const);

const viewQuery = ({ filters, sort, as }: RowView) => ({
  filters: JSON.stringify(filters),
  sort: JSON.stringify(sort),
  as,
});

type PageCursor = Pick<
  NonNullable<Address<'GET /tables/:schema/:table/rows'>['query']>,
  'after' | 'before' | 'offset'
>;

/** Returns a cursor if the previous or next page is cached, and otherwise an offset. */
function cursorOf(client: QueryClient, name: TableName, view: RowView, page: number): PageCursor {
  const beside = (other: number): RowPage | undefined => {
    const state = client.getQueryState<RowPage>([...rowsKey(name, view), other]);
    return state?.isInvalidated === false ? state.data : undefined;
  };
  const previous = beside(page - 1);
  if (previous?.more === true && previous.last !== null) return { after: JSON.stringify(previous.last) };
  const next = beside(page + 1);
  if (next !== undefined && next.first !== null) return { before: JSON.stringify(next.first) };
  return { offset: page * pageSize };
}

export const rowsQuery = (name: TableName, view: RowView, page: number) =>
  queryOptions({
    queryKey: [...rowsKey(name, view), page],
    queryFn: ({ signal, client }) =>
      fetchConsole('GET /tables/:schema/:table/rows', {
        params: paramsOf(name),
        query: { ...viewQuery(view), limit: pageSize, ...cursorOf(client, name, view, page) },
        signal,
      }),
    structuralSharing: (before, after) =>
      replaceEqualDeep(
        before,
        view.sort.length > 0 ? after : inFormerOrder(before as RowPage | undefined, after as RowPage),
      ),
    staleTime: 30_000,
  });

/** Fetches rows with complete cells, which are needed for copying. */
export async function fetchWholeRows(
  name: TableName,
  view: RowView,
  offset: number,
  limit: number,
): Promise<readonly (readonly Cell[])[]> {
  const query = { ...viewQuery(view), whole: 'true', limit, offset } as const;
  return (await fetchConsole('GET /tables/:schema/:table/rows', { params: paramsOf(name), query })).rows;
}

export const countQuery = (name: TableName, view: RowView) =>
  queryOptions({
    queryKey: ['count', name.schema, name.table, view.filters, view.as],
    queryFn: async ({ signal }) =>
      (
        await fetchConsole('GET /tables/:schema/:table/count', {
          params: paramsOf(name),
          query: { filters: JSON.stringify(view.filters), as: view.as },
          signal,
        })
      ).count,
    enabled: false,
  });

export const exportUrl = (
  name: TableName,
  view: RowView,
  { format, guarded = true }: { format: 'csv' | 'json'; guarded?: boolean },
): string =>
  consoleUrl('GET /tables/:schema/:table/export', {
    params: paramsOf(name),
    query: { ...viewQuery(view), format, guarded: guarded ? 'true' : 'false' },
  });

export const rowQuery = (name: TableName, key: RowKey, as?: string) =>
  queryOptions({
    queryKey: ['row', name.schema, name.table, key, as],
    queryFn: async ({ signal }) =>
      (
        await fetchConsole('GET /tables/:schema/:table/row', {
          params: paramsOf(name),
          query: { key: JSON.stringify(key), as },
          signal,
        })
      ).row,
    staleTime: 0,
    // Structural sharing would copy the values to a new object, and a column named `__proto__` would be lost.
    structuralSharing: false,
    // Refetching could change values while the user edits them.
    refetchOnWindowFocus: false,
  });

export const userQuery = (id: string) =>
  queryOptions({
    queryKey: ['user', id],
    queryFn: ({ signal }) => fetchConsole('GET /users/:id', { params: { id }, signal }),
  });

const inboxRefreshMs = 3000;
export const inboxPageSize = 50;

export const inboxQuery = (search: string, page: number) =>
  queryOptions({
    queryKey: ['inbox', { search, page }],
    queryFn: ({ signal }) =>
      fetchConsole('GET /inbox', {
        query: {
          limit: inboxPageSize,
          offset: (page - 1) * inboxPageSize,
          ...(search === '' ? {} : { search }),
        },
        signal,
      }),
    refetchInterval: inboxRefreshMs,
    placeholderData: keepPreviousData,
  });

export const messageQuery = (id: string) =>
  queryOptions({
    queryKey: ['message', id],
    queryFn: ({ signal }) => fetchConsole('GET /inbox/:id', { params: { id }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The names of tables, columns and functions that the SQL editor offers. */
export const namesQuery = queryOptions({
  queryKey: ['sql-names'],
  queryFn: ({ signal }) => fetchConsole('GET /sql/names', { signal }),
  staleTime: 60_000,
});
