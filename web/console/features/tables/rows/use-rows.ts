/** Provides rows by index. Pages of rows are fetched when they become visible. */
import { hashKey, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import {
  countQuery,
  pageSize,
  type RowView,
  relationQuery,
  rowsKey,
  rowsQuery,
  type TableName,
} from '../../../api/queries.ts';
import type { Relation, RowKey, RowPage } from '../../../api/types.ts';
import { type GridRow, gridRows, hasColumnsOf, keyText, withRows } from '../cells.ts';
import type { Made } from '../edits/edit-steps.ts';
import { type RowTotal, rowTotal } from './row-total.ts';

export interface Rows {
  readonly total: RowTotal;
  /** Returns the row, or undefined while the row is loading. Returns the same object until the row changes. */
  row(index: number): GridRow | undefined;
  /** Returns the loaded rows that have one of the keys. */
  find(keys: readonly RowKey[]): readonly GridRow[];
  /** Loads the rows in the range that aren't loaded yet. */
  load(first: number, last: number): Promise<void>;
  readonly error: unknown;
  /** Whether no rows have been loaded yet. */
  readonly isFirstLoad: boolean;
  readonly isFetching: boolean;
  count(): Promise<number | undefined>;
  readonly isCounting: boolean;
  readonly countError: unknown;
  refresh(): void;
  /**
   * Replaces the edited rows with the rows that the server returned, regardless of their current positions in the view.
   */
  replace(made: Made): void;
}

export function useRows(
  name: TableName,
  relation: Relation,
  requested: RowView,
  visible: { readonly first: number; readonly last: number },
): Rows {
  const queryClient = useQueryClient();
  const { schema, table } = name;
  const pages = new Set([0]);
  for (let page = pageOf(visible.first); page <= pageOf(visible.last); page++) pages.add(page);
  const results = useQueries({ queries: [...pages].map((page) => rowsQuery(name, requested, page)) });
  const counted = useQuery(countQuery(name, requested));
  // Until the first rows of a new view arrive, the previous view remains visible.
  const shown = useRef(requested);
  if (results[0]?.isPending === false) shown.current = requested;
  const view = shown.current;

  // The whole view is compared because query keys match partially. For example, an empty filter list would match every
  // list.
  const viewHash = hashKey(rowsKey(name, view));
  const cached = queryClient.getQueriesData<RowPage>({
    queryKey: rowsKey(name),
    predicate: ({ queryKey }) => hashKey(queryKey.slice(0, -1)) === viewHash,
  });
  const known = cached.flatMap(([key, data]) =>
    data === undefined ? [] : [{ page: key.at(-1) as number, rows: data.rows.length, more: data.more }],
  );
  const dataOf = (page: number): RowPage | undefined =>
    queryClient.getQueryData<RowPage>(rowsQuery(name, view, page).queryKey);

  // If a page has different columns, the table was altered, so the table's columns and all pages are fetched again.
  const altered = results.find(({ data }) => data !== undefined && !hasColumnsOf(relation, data))?.data;
  useEffect(() => {
    if (altered === undefined) return;
    void queryClient.invalidateQueries({ queryKey: relationQuery({ schema, table }).queryKey });
    void queryClient.invalidateQueries({ queryKey: rowsKey({ schema, table }) });
  }, [altered, schema, table, queryClient]);

  return {
    total: rowTotal(known, dataOf(0), counted.data, pageSize),
    row(index) {
      const data = dataOf(pageOf(index));
      return data === undefined ? undefined : gridRows(relation, data)[index % pageSize];
    },
    find(keys) {
      const texts = new Set(keys.map(keyText));
      return known
        .toSorted((one, other) => one.page - other.page)
        .flatMap(({ page }) => dataOf(page) ?? [])
        .flatMap((data) => gridRows(relation, data))
        .filter(({ key }) => key !== undefined && texts.has(keyText(key)));
    },
    async load(first, last) {
      for (let page = pageOf(first); page <= pageOf(last); page++) {
        const { more } = await queryClient.ensureQueryData(rowsQuery(name, view, page));
        if (!more) return;
      }
    },
    error: results.find(({ error }) => error !== null)?.error ?? null,
    isFirstLoad: dataOf(0) === undefined && results[0]?.isPending !== false,
    isFetching: results.some(({ isFetching }) => isFetching),
    count: async () => (await counted.refetch()).data,
    isCounting: counted.isFetching,
    countError: counted.error,
    refresh() {
      void queryClient.invalidateQueries({ queryKey: relationQuery(name).queryKey });
      queryClient.removeQueries({ queryKey: rowsKey(name), type: 'inactive' });
      queryClient.removeQueries({ queryKey: ['count', name.schema, name.table], type: 'inactive' });
      void queryClient.invalidateQueries({ queryKey: rowsKey(name) });
      if (counted.data !== undefined) void counted.refetch();
    },
    replace(made) {
      // The rows are replaced in all cached pages, with any sort order or filter. Invalidated pages that aren't shown
      // are skipped, because they are fetched again before they are shown.
      const pages = queryClient.getQueryCache().findAll({
        queryKey: rowsKey(name),
        predicate: (query) =>
          (query.queryKey[3] as RowView).as === requested.as &&
          (query.isActive() || !query.state.isInvalidated),
      });
      for (const { queryKey } of pages)
        queryClient.setQueryData<RowPage>(queryKey, (page) => page && withRows(relation, page, made));
      // Pages that are being fetched may have been read before the change, so they are fetched again.
      void queryClient.invalidateQueries({
        queryKey: rowsKey(name),
        type: 'active',
        fetchStatus: 'fetching',
      });
    },
  };
}

const pageOf = (index: number): number => Math.floor(Math.max(0, index) / pageSize);
