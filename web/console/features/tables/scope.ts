/** Which rows a change of many is about. */
import { queryOptions } from '@tanstack/react-query';
import type { Filter, RowKey } from '../../api/types.ts';

export type RowScope = { readonly keys: readonly RowKey[] } | { readonly filters: readonly Filter[] };

/** Every row that matches, whether anybody has looked at it or not. */
export const isAll = (scope: RowScope): scope is Extract<RowScope, { filters: unknown }> =>
  'filters' in scope;

/** How many rows that is: counted, where they are not in hand. */
export const sizeQuery = (scope: RowScope, count: () => Promise<number | undefined>) =>
  queryOptions({
    queryKey: ['scope-size', scope],
    queryFn: async () => (isAll(scope) ? ((await count()) ?? null) : scope.keys.length),
    select: (size) => size ?? undefined,
    staleTime: 0,
    gcTime: 0,
  });
