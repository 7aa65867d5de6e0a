import { queryOptions } from '@tanstack/react-query';
import { fetchConsole } from '../../../api/session.ts';

export type {
  DefaultObjects,
  DefaultPrivilegesRow,
  Grant,
  GrantedObject,
  GrantTarget,
  Privilege,
  RoleRow,
} from '../../../../../src/pages/console/access/contract.ts';

export const rolesQuery = queryOptions({
  queryKey: ['roles'],
  queryFn: async ({ signal }) => (await fetchConsole('GET /roles', { signal })).roles,
});

export const grantsQuery = queryOptions({
  queryKey: ['grants'],
  queryFn: ({ signal }) => fetchConsole('GET /grants', { signal }),
});

export const grantColumnsQuery = ({ schema, name }: { readonly schema: string; readonly name: string }) =>
  queryOptions({
    queryKey: ['grants', schema, name],
    queryFn: async ({ signal }) =>
      (await fetchConsole('GET /grants/:schema/:table/columns', { params: { schema, table: name }, signal }))
        .columns,
  });

export const defaultPrivilegesQuery = queryOptions({
  queryKey: ['default-privileges'],
  queryFn: ({ signal }) => fetchConsole('GET /default-privileges', { signal }),
});
