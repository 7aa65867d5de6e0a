/** Fetches the rows that a row references and that reference a row. */
import { queryOptions } from '@tanstack/react-query';
import type { TableName } from '../../../api/queries.ts';
import { fetchConsole } from '../../../api/session.ts';
import type { Filter } from '../../../api/types.ts';

/** The number of referencing rows that are shown. All of them are on the page of their table. */
export const shownRows = 5;

export const referringQuery = (name: TableName) =>
  queryOptions({
    queryKey: ['referring', name.schema, name.table],
    queryFn: async ({ signal }) =>
      (await fetchConsole('GET /tables/:schema/:table/referring', { params: { ...name }, signal })).keys,
  });

const viewOf = (filters: readonly Filter[], as: string | undefined) => ({
  as,
  filters: JSON.stringify(filters),
});

export const relatedRowsQuery = (name: TableName, filters: readonly Filter[], as: string | undefined) =>
  queryOptions({
    queryKey: ['related-rows', name.schema, name.table, filters, as ?? null],
    queryFn: ({ signal }) =>
      fetchConsole('GET /tables/:schema/:table/rows', {
        params: { ...name },
        query: { ...viewOf(filters, as), limit: shownRows },
        signal,
      }),
    // The rows may have changed since the relation was last opened.
    staleTime: 0,
  });

export const relatedCountQuery = (name: TableName, filters: readonly Filter[], as: string | undefined) =>
  queryOptions({
    queryKey: ['related-count', name.schema, name.table, filters, as ?? null],
    queryFn: async ({ signal }) =>
      (
        await fetchConsole('GET /tables/:schema/:table/count', {
          params: { ...name },
          query: viewOf(filters, as),
          signal,
        })
      ).count,
    staleTime: 0,
    retry: false,
  });
