/** Makes catalogs for unit tests. */

import type { Catalog } from './catalog.ts';
import {
  type CatalogJson,
  type ColumnJson,
  type EnumJson,
  type ForeignKeyJson,
  type FunctionJson,
  readCatalog,
  type SchemaJson,
  type TableJson,
  type TypeJson,
} from './read-catalog.ts';

/** The oid of the schema `public` in these catalogs. */
export const PUBLIC = 2200;

/** Oids of PostgreSQL's own types. */
export const OID = {
  bool: 16,
  int8: 20,
  int4: 23,
  text: 25,
  json: 114,
  varchar: 1043,
  timestamptz: 1184,
  numeric: 1700,
  uuid: 2950,
  textArray: 1009,
  void: 2278,
} as const;

const BUILT_IN: readonly TypeJson[] = Object.entries(OID).map(([name, oid]) => ({
  oid,
  schema: 11,
  name: name === 'textArray' ? '_text' : name,
  category: name === 'textArray' ? 'Array' : 'Other',
  element: name === 'textArray' ? OID.text : null,
  table: null,
  usable: true,
}));

/** A column with all privileges: `column('id', OID.int4, 'n')`. The flags are those of ColumnJson. */
export const column = (
  name: string,
  type: number,
  flags = '',
  more: { readonly typeName?: string; readonly privileges?: string; readonly comment?: string } = {},
): ColumnJson => {
  const typeName = more.typeName ?? BUILT_IN.find(({ oid }) => oid === type)?.name ?? 'unknown';
  return [
    name,
    0,
    type,
    TYPE_NAMES[typeName] ?? typeName,
    null,
    flags,
    more.privileges ?? 'siu',
    more.comment ?? null,
  ];
};

const TYPE_NAMES: Readonly<Record<string, string>> = { int4: 'integer', int8: 'bigint', _text: 'text[]' };

/** A table in `public` with all privileges. Its primary key is the first column, unless `indexes` says otherwise. */
export const table = (
  oid: number,
  name: string,
  columns: readonly ColumnJson[],
  more: Partial<TableJson> = {},
): TableJson => ({
  oid,
  schema: PUBLIC,
  name,
  kind: 'r',
  rowType: oid + 1,
  rls: false,
  privileges: 'siud',
  columns: columns.map(([first, , ...rest], index) => [first, index + 1, ...rest]),
  indexes: [{ columns: columns.slice(0, 1).map(([first]) => first), unique: true, primary: true }],
  comment: null,
  ...more,
});

export const foreignKey = (
  local: readonly [oid: number, ...columns: string[]],
  referenced: readonly [oid: number, ...columns: string[]],
  comment: string | null = null,
): ForeignKeyJson => {
  const [localOid, ...localColumns] = local;
  const [referencedOid, ...referencedColumns] = referenced;
  return { local: localOid, localColumns, referenced: referencedOid, referencedColumns, comment };
};

/** A stable function in `public` that everybody may call. */
export const sqlFunction = (oid: number, name: string, more: Partial<FunctionJson> = {}): FunctionJson => ({
  oid,
  schema: PUBLIC,
  name,
  arguments: null,
  returns: OID.int4,
  returnsName: 'integer',
  setOf: false,
  volatility: 's',
  executable: true,
  comment: null,
  ...more,
});

export const sqlEnum = (
  oid: number,
  name: string,
  labels: readonly string[],
  comment?: string,
): EnumJson => ({
  oid,
  schema: PUBLIC,
  name,
  labels,
  usable: true,
  comment: comment ?? null,
});

/** The comment of a schema that inflects names and allows introspection. */
export const INFLECTING = '@graphql({"inflect_names": true, "introspection": true})';

/** A catalog of these objects in the schema `public`, with the types they need. */
export const catalogOf = (
  objects: Partial<CatalogJson> & {
    readonly schemaComment?: string;
    readonly moreTypes?: readonly TypeJson[];
  },
): Catalog => {
  const { schemaComment = INFLECTING, moreTypes = [], ...given } = objects;
  const schemas: readonly SchemaJson[] = [{ oid: PUBLIC, name: 'public', comment: schemaComment }];
  const rows = (given.tables ?? []).map(
    (entry): TypeJson => ({
      oid: entry.rowType,
      schema: entry.schema,
      name: entry.name,
      category: 'Table',
      element: null,
      table: entry.oid,
      usable: true,
    }),
  );
  const enums = (given.enums ?? []).map(
    (entry): TypeJson => ({
      oid: entry.oid,
      schema: entry.schema,
      name: entry.name,
      category: 'Enum',
      element: null,
      table: null,
      usable: entry.usable,
    }),
  );
  return readCatalog({
    role: 'anon',
    schemas,
    tables: [],
    foreignKeys: [],
    types: [...BUILT_IN, ...rows, ...enums, ...moreTypes],
    enums: [],
    functions: [],
    ...given,
  });
};
