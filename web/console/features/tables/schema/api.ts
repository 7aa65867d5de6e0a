import { queryOptions } from '@tanstack/react-query';
import type { SchemaChange } from '../../../../../src/pages/console/schema/contract.ts';
import type { TableName } from '../../../api/queries.ts';
import { fetchConsole } from '../../../api/session.ts';

export type {
  ColumnDefinition,
  ConstraintDefinition,
  EnumRow as EnumType,
  ImportDefinition,
  IndexMethod,
  IndexPart,
  InferredColumn,
  Reference,
  ReferenceAction,
  SchemaChange,
  SchemaPreview as Preview,
  Structure,
  TriggerEvent,
  TypeRef,
  Vocabulary,
  Warning,
} from '../../../../../src/pages/console/schema/contract.ts';

export const structureQuery = ({ schema, table }: TableName) =>
  queryOptions({
    queryKey: ['structure', schema, table],
    queryFn: ({ signal }) =>
      fetchConsole('GET /tables/:schema/:table/structure', { params: { schema, table }, signal }),
  });

export const vocabularyQuery = queryOptions({
  queryKey: ['vocabulary'],
  queryFn: ({ signal }) => fetchConsole('GET /schema', { signal }),
});

export const enumsQuery = queryOptions({
  queryKey: ['enums'],
  queryFn: async ({ signal }) => (await fetchConsole('GET /enums', { signal })).enums,
});

export const previewQuery = (changes: readonly SchemaChange[]) =>
  queryOptions({
    queryKey: ['schema-preview', changes],
    queryFn: ({ signal }) => fetchConsole('POST /schema/preview', { body: { changes }, signal }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });

export const applyChanges = (
  changes: readonly SchemaChange[],
  more: { readonly confirmed?: string; readonly migration?: string },
): Promise<{ readonly file: string | null }> =>
  fetchConsole('POST /schema/apply', { body: { changes, ...more } });
