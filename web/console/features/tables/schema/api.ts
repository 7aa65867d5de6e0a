/** What the pages that change tables read and send. */
import { queryOptions } from '@tanstack/react-query';
import type { SchemaChange } from '../../../../../src/console/schema/changes.ts';
import type { TableName } from '../../../api/queries.ts';
import { callConsole } from '../../../api/session.ts';

export type {
  ColumnDefinition,
  ConstraintDefinition,
  IndexMethod,
  IndexPart,
  Reference,
  ReferenceAction,
  SchemaChange,
  TriggerEvent,
  TypeRef,
} from '../../../../../src/console/schema/changes.ts';

export interface Structure {
  readonly constraints: readonly {
    readonly name: string;
    readonly kind: string;
    readonly columns: readonly string[];
    readonly definition: string;
  }[];
  readonly indexes: readonly {
    readonly name: string;
    readonly definition: string;
    readonly method: string;
    readonly unique: boolean;
    readonly valid: boolean;
    readonly constraint: string | null;
    readonly size_bytes: number;
  }[];
  readonly triggers: readonly {
    readonly name: string;
    readonly definition: string;
    readonly enabled: boolean;
  }[];
  readonly size_bytes: number;
}

export const structureQuery = ({ schema, table }: TableName) =>
  queryOptions({
    queryKey: ['structure', schema, table],
    queryFn: ({ signal }) =>
      callConsole<Structure>(`/tables/${encodeURIComponent(schema)}/${encodeURIComponent(table)}/structure`, {
        signal,
      }),
  });

export interface Vocabulary {
  readonly schemas: readonly string[];
  readonly own_types: readonly string[];
  readonly types: readonly { readonly schema: string; readonly name: string }[];
  readonly trigger_functions: readonly { readonly schema: string; readonly name: string }[];
}

export const vocabularyQuery = queryOptions({
  queryKey: ['vocabulary'],
  queryFn: ({ signal }) => callConsole<Vocabulary>('/schema', { signal }),
});

export interface EnumType {
  readonly schema: string;
  readonly name: string;
  readonly values: readonly string[];
  readonly columns: readonly { readonly schema: string; readonly table: string; readonly column: string }[];
}

export const enumsQuery = queryOptions({
  queryKey: ['enums'],
  queryFn: async ({ signal }) =>
    (await callConsole<{ enums: readonly EnumType[] }>('/enums', { signal })).enums,
});

export interface Warning {
  readonly kind: 'rows' | 'values' | 'converted' | 'nulls' | 'unprotected' | 'type';
  readonly on: string;
  readonly column?: string;
  readonly cascade?: boolean;
  readonly rows: number | null;
  readonly exact: boolean;
  readonly changed?: number | null;
  readonly fault?: string;
}

export interface Preview {
  readonly statements: readonly string[];
  /** What has to be typed first. */
  readonly confirm: string | null;
  readonly warnings: readonly Warning[];
}

export const previewQuery = (changes: readonly SchemaChange[]) =>
  queryOptions({
    queryKey: ['schema-preview', changes],
    queryFn: ({ signal }) =>
      callConsole<Preview>('/schema/preview', { method: 'POST', body: { changes }, signal }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });

export const applyChanges = (
  changes: readonly SchemaChange[],
  more: { readonly confirmed?: string; readonly migration?: string },
): Promise<{ readonly file: string | null }> =>
  callConsole('/schema/apply', { method: 'POST', body: { changes, ...more } });
