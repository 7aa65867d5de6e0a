import { queryOptions } from '@tanstack/react-query';
import { fetchConsole } from '../../../api/session.ts';

export type { ViewDetail, ViewRow } from '../../../../../src/pages/console/views/contract.ts';

export interface ViewName {
  readonly schema: string;
  readonly name: string;
}

export const viewsQuery = queryOptions({
  queryKey: ['database-views'],
  queryFn: async ({ signal }) => (await fetchConsole('GET /database/views', { signal })).views,
});

export const viewQuery = ({ schema, name }: ViewName) =>
  queryOptions({
    queryKey: ['database-view', schema, name],
    queryFn: ({ signal }) => fetchConsole('GET /database/view', { query: { schema, name }, signal }),
    retry: false,
  });

export const keysQuery = ({ schema, name }: ViewName) =>
  queryOptions({
    queryKey: ['database-view-keys', schema, name],
    queryFn: async ({ signal }) =>
      (await fetchConsole('GET /database/view/keys', { query: { schema, name }, signal })).columns,
    retry: false,
  });

export const refreshView = (body: ViewName & { readonly concurrently: boolean }) =>
  fetchConsole('POST /database/view/refresh', { body });
