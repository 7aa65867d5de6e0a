/** Calls the API for the policies page (`src/pages/console/policies`). */
import { queryOptions } from '@tanstack/react-query';
import type {
  PolicyChange as Change,
  PolicyCommand as Command,
} from '../../../../src/pages/console/policies/contract.ts';
import type { RunColumn, RunEvent } from '../../../../src/pages/console/sql-page/contract.ts';
import type { Body, Payload } from '../../api/route.ts';
import { fetchConsole, openConsole } from '../../api/session.ts';

export type {
  ComparedAccess,
  ComparedUser,
  MemberFunction,
  MemberTable,
  Policy,
  PolicyChange as Change,
  PolicyCommand as Command,
  PolicyComparison,
  SecuredTable,
  TemplateChoices,
} from '../../../../src/pages/console/policies/contract.ts';

export const commands = ['all', 'select', 'insert', 'update', 'delete'] as const satisfies readonly Command[];
export type Policies = Payload<'GET /policies'>;

export const policiesQuery = queryOptions({
  queryKey: ['policies'],
  queryFn: ({ signal }) => fetchConsole('GET /policies', { signal }),
});

/** Whether the form contains everything that the statement requires. */
export const isWholeChange = (change: Change): boolean =>
  !('policy' in change) || (change.policy.name !== '' && change.policy.roles.length > 0);

interface Named {
  readonly schema: string;
  readonly name: string;
}

const bodyOf = ({ schema, name }: Named, change: Change): Body<'POST /policies'> => ({
  schema,
  table: name,
  change,
});

export const changePolicies = (table: Named, change: Change, migration: { readonly migration?: string }) =>
  fetchConsole('POST /policies', { body: { ...bodyOf(table, change), ...migration } });

export const compareChange = (table: Named, change: Change) =>
  fetchConsole('POST /policies/compare', { body: bodyOf(table, change) });

export const forgetPolicy = ({ schema, name: table }: Named, name: string) =>
  fetchConsole('POST /policies/forget', { body: { schema, table, name } });

export const choicesQuery = ({ schema, name }: Named) =>
  queryOptions({
    queryKey: ['policy-choices', schema, name],
    queryFn: ({ signal }) =>
      fetchConsole('GET /policies/:schema/:table/choices', { params: { schema, table: name }, signal }),
  });

export const previewQuery = (table: Named, change: Change) =>
  queryOptions({
    queryKey: ['policy-preview', table.schema, table.name, change],
    queryFn: async ({ signal }) =>
      (await fetchConsole('POST /policies/preview', { body: bodyOf(table, change), signal })).sql,
    retry: false,
  });

export interface Preview {
  readonly columns: readonly RunColumn[];
  readonly rows: readonly (readonly (string | null)[])[];
  readonly more: boolean;
}

const shownRows = 10;

/** Uses the SQL page's read-only query to fetch the first rows that a persona can read. */
export const rowsAsQuery = ({ schema, name }: Named, as: string | undefined) =>
  queryOptions({
    queryKey: ['rows-as', schema, name, as ?? 'operator'],
    queryFn: async ({ signal }): Promise<Preview> => {
      const quoted = [schema, name].map((each) => `"${each.replaceAll('"', '""')}"`).join('.');
      const body = { text: `select * from ${quoted}`, as, maxRows: shownRows };
      const lines = (await (await openConsole('POST /sql/look', { body, signal })).text()).trim().split('\n');
      let preview: Preview = { columns: [], rows: [], more: false };
      for (const line of lines.map((each) => JSON.parse(each) as RunEvent)) {
        if (line.event === 'error') throw new Error(line.message);
        if (line.event === 'columns') preview = { ...preview, columns: line.columns };
        if (line.event === 'rows') preview = { ...preview, rows: [...preview.rows, ...line.rows] };
        if (line.event === 'end') preview = { ...preview, more: line.more };
      }
      return preview;
    },
    retry: false,
    gcTime: 0,
  });
