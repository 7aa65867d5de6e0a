/** The policies page's calls: `src/console/policies`. */
import { queryOptions } from '@tanstack/react-query';
import { callConsole, openConsole } from '../../api/session.ts';

export const commands = ['all', 'select', 'insert', 'update', 'delete'] as const;
export type Command = (typeof commands)[number];

export interface Policy {
  readonly name: string;
  readonly command: Command;
  readonly permissive: boolean;
  readonly roles: readonly string[];
  readonly using: string | null;
  readonly check: string | null;
}

export interface SecuredTable {
  readonly schema: string;
  readonly name: string;
  readonly rls: boolean;
  readonly forced: boolean;
  readonly policies: readonly Policy[];
  readonly grants: readonly ({
    readonly role: string;
    readonly bypasses: boolean;
  } & Readonly<Record<Exclude<Command, 'all'>, boolean>>)[];
}

export interface Policies {
  readonly tables: readonly SecuredTable[];
  readonly roles: readonly string[];
}

export const policiesQuery = queryOptions({
  queryKey: ['policies'],
  queryFn: ({ signal }) => callConsole<Policies>('/policies', { signal }),
});

export type Change =
  | { readonly kind: 'create'; readonly policy: Policy }
  | { readonly kind: 'replace'; readonly former: string; readonly policy: Policy }
  | { readonly kind: 'drop'; readonly name: string }
  | { readonly kind: 'security'; readonly enabled: boolean; readonly forced: boolean };

interface Named {
  readonly schema: string;
  readonly name: string;
}

const bodyOf = ({ schema, name }: Named, change: Change): object => ({ schema, table: name, change });

export const changePolicies = (table: Named, change: Change): Promise<{ tables: readonly SecuredTable[] }> =>
  callConsole('/policies', { method: 'POST', body: bodyOf(table, change) });

export const previewQuery = (table: Named, change: Change) =>
  queryOptions({
    queryKey: ['policy-preview', table.schema, table.name, change],
    queryFn: async ({ signal }) =>
      (
        await callConsole<{ sql: string }>('/policies/preview', {
          method: 'POST',
          body: bodyOf(table, change),
          signal,
        })
      ).sql,
    retry: false,
  });

export interface Preview {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
  readonly more: boolean;
}

const shownRows = 10;

/** The first rows as a persona sees them: a query of the SQL page that changes nothing. */
export const rowsAsQuery = ({ schema, name }: Named, as: string | undefined) =>
  queryOptions({
    queryKey: ['rows-as', schema, name, as ?? 'operator'],
    queryFn: async ({ signal }): Promise<Preview> => {
      const quoted = [schema, name].map((each) => `"${each.replaceAll('"', '""')}"`).join('.');
      const body = { text: `select * from ${quoted}`, as, maxRows: shownRows };
      const lines = (await (await openConsole('/sql/look', body, signal)).text()).trim().split('\n');
      let preview: Preview = { columns: [], rows: [], more: false };
      for (const line of lines.map((each) => JSON.parse(each))) {
        if (line.event === 'error') throw new Error(line.message);
        if (line.event === 'columns')
          preview = { ...preview, columns: line.columns.map((column: { name: string }) => column.name) };
        if (line.event === 'rows') preview = { ...preview, rows: [...preview.rows, ...line.rows] };
        if (line.event === 'end') preview = { ...preview, more: line.more };
      }
      return preview;
    },
    retry: false,
    gcTime: 0,
  });
