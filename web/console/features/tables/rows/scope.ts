/** Defines the rows that a bulk change applies to. */
import { queryOptions } from '@tanstack/react-query';
import type { Filter, RowKey } from '../../../api/types.ts';

export type RowScope = { readonly keys: readonly RowKey[] } | { readonly filters: readonly Filter[] };

/** Whether the scope consists of all matching rows, including rows that aren't loaded. */
export const isAll = (scope: RowScope): scope is Extract<RowScope, { filters: unknown }> =>
  'filters' in scope;

/** Fetches the number of rows in the scope. The server counts rows that aren't loaded. */
export const sizeQuery = (scope: RowScope, count: () => Promise<number | undefined>) =>
  queryOptions({
    queryKey: ['scope-size', scope],
    queryFn: async () => (isAll(scope) ? ((await count()) ?? null) : scope.keys.length),
    select: (size) => size ?? undefined,
    staleTime: 0,
    gcTime: 0,
  });
