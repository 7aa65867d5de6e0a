/** The rows that a bulk change applies to. */
import { queryOptions } from '@tanstack/react-query';
import type { Filter, RowKey } from '../../api/types.ts';

export type RowScope = { readonly keys: readonly RowKey[] } | { readonly filters: readonly Filter[] };

/** Whether the scope is all matching rows, loaded or not. */
export const isAll = (scope: RowScope): scope is Extract<RowScope, { filters: unknown }> =>
  'filters' in scope;

/** Returns the number of rows, counting them on the server if they aren't loaded. */
export const sizeQuery = (scope: RowScope, count: () => Promise<number | undefined>) =>
  queryOptions({
    queryKey: ['scope-size', scope],
    queryFn: async () => (isAll(scope) ? ((await count()) ?? null) : scope.keys.length),
    select: (size) => size ?? undefined,
    staleTime: 0,
    gcTime: 0,
  });
