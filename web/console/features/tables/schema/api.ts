import { queryOptions } from '@tanstack/react-query';
import type { SchemaChange } from '../../../../../src/pages/console/schema/contract.ts';
import type { TableName } from '../../../api/queries.ts';
import { fetchConsole } from '../../../api/session.ts';

export type {
  ColumnDefinition,
  ConstraintDefinition,
  DiagramKey as StoredForeignKey,
  EnumRow as EnumType,
  ImportDefinition,
  IndexBuild,
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

/** How often builds are fetched while an index is being built, and otherwise, because other sessions also build indexes. */
const buildingMs = 1000;
const idleMs = 5000;

/** With `isExpected`, a build is about to start. */
export const buildsQuery = ({ schema, table }: TableName, { isExpected = false } = {}) =>
  queryOptions({
    queryKey: ['builds', schema, table],
    queryFn: async ({ signal }) =>
      (await fetchConsole('GET /tables/:schema/:table/builds', { params: { schema, table }, signal })).builds,
    refetchInterval: ({ state: { data = [] } }) => (isExpected || data.length > 0 ? buildingMs : idleMs),
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
