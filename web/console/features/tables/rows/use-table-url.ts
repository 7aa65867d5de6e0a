/** Provides the table page's URL parameters and functions that change them. */
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { RowView } from '../../../api/queries.ts';
import type { Filter } from '../../../api/types.ts';
import { type TableSearch, toggledSort } from './search.ts';

const route = getRouteApi('/app/tables/$schema/$table');
const none: readonly never[] = [];

export function useTableUrl() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const filters = search.filters ?? none;
  const sort = search.sort ?? none;
  const { as } = search;
  const view: RowView = useMemo(() => ({ filters, sort, as }), [filters, sort, as]);

  /** Removes the parameters that are undefined. */
  const go = (change: Partial<Record<keyof TableSearch, unknown>>): void => {
    void navigate({
      search: (previous) =>
        Object.fromEntries(
          Object.entries({ ...previous, ...change }).filter(([, value]) => value !== undefined),
        ) as TableSearch,
    });
  };
  return {
    search,
    view,
    go,
    toggleSort: (column: string): void => go({ sort: toggledSort(sort, column) }),
    setFilters: (next: readonly Filter[]): void => go({ filters: next.length === 0 ? undefined : next }),
    closePanel: (): void => go({ row: undefined, column: undefined, insert: undefined, import: undefined }),
  };
}
