/** Reads the result of `catalog.sql`: parses directives, links tables with their functions. */

import type {
  Catalog,
  Column,
  ForeignKey,
  ForeignKeySide,
  Index,
  SqlEnum,
  SqlFunction,
  SqlSchema,
  SqlType,
  Table,
  TypeCategory,
  Volatility,
} from './catalog.ts';
import { findTable } from './catalog.ts';
import {
  columnDirectives,
  type DeclaredForeignKey,
  enumDirectives,
  foreignKeyDirectives,
  functionDirectives,
  schemaDirectives,
  tableDirectives,
} from './directives.ts';

/**
 * The JSON of `catalog.sql`. Empty lists are null. Comments without a directive are null. Privileges are letters: s select, i insert, u update, d delete.
 */
export interface CatalogJson {
  readonly role: string;
  readonly schemas: readonly SchemaJson[] | null;
  readonly tables: readonly TableJson[] | null;
  readonly foreignKeys: readonly ForeignKeyJson[] | null;
  readonly types: readonly TypeJson[] | null;
  readonly enums: readonly EnumJson[] | null;
  readonly functions: readonly FunctionJson[] | null;
}

export interface SchemaJson {
  readonly oid: number;
  readonly name: string;
  readonly comment: string | null;
}

export interface TableJson {
  readonly oid: number;
  readonly schema: number;
  readonly name: string;
  readonly kind: Table['kind'];
  readonly rowType: number;
  readonly rls: boolean;
  readonly privileges: string;
  readonly columns: readonly ColumnJson[] | null;
  readonly indexes: readonly IndexJson[] | null;
  readonly comment: string | null;
}

/** Flags are letters: n not null, d has a default, s has a sequence, g generated. */
export type ColumnJson = readonly [
  name: string,
  number: number,
  type: number,
  typeName: string,
  maxCharacters: number | null,
  flags: string,
  privileges: string,
  comment: string | null,
];

export interface IndexJson {
  readonly columns: readonly string[] | null;
  readonly unique: boolean;
  readonly primary: boolean;
}

export interface ForeignKeyJson {
  readonly local: number;
  readonly localColumns: readonly string[];
  readonly referenced: number;
  readonly referencedColumns: readonly string[];
  readonly comment: string | null;
}

export interface TypeJson {
  readonly oid: number;
  readonly schema: number;
  readonly name: string;
  readonly category: TypeCategory;
  readonly element: number | null;
  readonly table: number | null;
  readonly usable: boolean;
}

export interface EnumJson {
  readonly oid: number;
  readonly schema: number;
  readonly name: string;
  readonly labels: readonly string[] | null;
  readonly usable: boolean;
  readonly comment: string | null;
}

export interface FunctionJson {
  readonly oid: number;
  readonly schema: number;
  readonly name: string;
  readonly arguments: readonly ArgumentJson[] | null;
  readonly returns: number;
  readonly returnsName: string;
  readonly setOf: boolean;
  readonly volatility: 'v' | 's' | 'i';
  readonly executable: boolean;
  readonly comment: string | null;
}

export interface ArgumentJson {
  readonly name: string | null;
  readonly type: number;
  readonly typeName: string;
  readonly default: string | null;
}

/**
 * Returns the catalog.
 *
 * @throws a GraphqlError for a comment whose directive isn't valid.
 */
export const readCatalog = (json: CatalogJson): Catalog => {
  const schemas = new Map((json.schemas ?? []).map((schema) => [schema.oid, readSchema(schema)]));
  const functions = (json.functions ?? []).map((entry) => readFunction(entry, schemas));
  const functionsByRow = rowFunctions(functions);
  const declared: (readonly [Table, readonly DeclaredForeignKey[]])[] = [];
  const tables = new Map<number, Table>();
  for (const entry of json.tables ?? []) {
    const { foreignKeys, ...directives } = tableDirectives(entry.comment);
    const table = readTable(entry, {
      schema: schemas.get(entry.schema)?.name ?? '',
      directives,
      functions: functionsByRow.get(entry.rowType) ?? [],
    });
    tables.set(table.oid, table);
    if (foreignKeys.length > 0) declared.push([table, foreignKeys]);
  }
  const catalog: Omit<Catalog, 'foreignKeys'> = {
    role: json.role,
    schemas,
    tables,
    types: new Map((json.types ?? []).map((type) => [type.oid, readType(type)])),
    enums: new Map((json.enums ?? []).map((entry) => [entry.oid, readEnum(entry)])),
    functions,
  };
  return { ...catalog, foreignKeys: readForeignKeys(json.foreignKeys ?? [], declared, tables) };
};

const readSchema = (json: SchemaJson): SqlSchema => ({
  oid: json.oid,
  name: json.name,
  directives: schemaDirectives(json.comment),
});

const readTable = (json: TableJson, given: Pick<Table, 'schema' | 'directives' | 'functions'>): Table => {
  const columns = (json.columns ?? []).map((column) => readColumn(column, json.schema));
  const indexes = (json.indexes ?? []).map(readIndex);
  return {
    oid: json.oid,
    schemaOid: json.schema,
    name: json.name,
    kind: json.kind,
    rowTypeOid: json.rowType,
    rlsEnabled: json.rls,
    columns,
    indexes,
    primaryKey: primaryKeyOf(columns, indexes, given.directives.primaryKeyColumns),
    privileges: {
      select: json.privileges.includes('s'),
      insert: json.privileges.includes('i'),
      update: json.privileges.includes('u'),
      delete: json.privileges.includes('d'),
    },
    ...given,
  };
};

const readColumn = (json: ColumnJson, schemaOid: number): Column => {
  const [name, number, typeOid, typeName, maxCharacters, flags, privileges, comment] = json;
  return {
    name,
    number,
    schemaOid,
    typeOid,
    typeName,
    maxCharacters,
    notNull: flags.includes('n'),
    hasDefault: flags.includes('d'),
    serial: flags.includes('s'),
    generated: flags.includes('g'),
    privileges: {
      select: privileges.includes('s'),
      insert: privileges.includes('i'),
      update: privileges.includes('u'),
    },
    directives: columnDirectives(comment),
  };
};

const readIndex = (json: IndexJson): Index => ({
  columns: json.columns ?? [],
  unique: json.unique,
  primary: json.primary,
});

/** The constraint wins over the directive. A directive with an unknown column counts as absent. */
const primaryKeyOf = (
  columns: readonly Column[],
  indexes: readonly Index[],
  declared: readonly string[] | null,
): readonly Column[] => {
  const names = indexes.find((index) => index.primary)?.columns ?? declared ?? [];
  const key = names.flatMap((name) => columns.find((column) => column.name === name) ?? []);
  return key.length === names.length ? key : [];
};

const VOLATILITIES: Readonly<Record<FunctionJson['volatility'], Volatility>> = {
  v: 'volatile',
  s: 'stable',
  i: 'immutable',
};

const readFunction = (json: FunctionJson, schemas: ReadonlyMap<number, SqlSchema>): SqlFunction => ({
  oid: json.oid,
  schemaOid: json.schema,
  schema: schemas.get(json.schema)?.name ?? '',
  name: json.name,
  arguments: (json.arguments ?? []).map((argument) => ({
    name: argument.name,
    typeOid: argument.type,
    typeName: argument.typeName,
    default: argument.default,
  })),
  returnTypeOid: json.returns,
  returnTypeName: json.returnsName,
  setOf: json.setOf,
  volatility: VOLATILITIES[json.volatility],
  executable: json.executable,
  directives: functionDirectives(json.comment),
});

/** Groups the functions of one argument by the type of that argument. */
const rowFunctions = (functions: readonly SqlFunction[]): ReadonlyMap<number, readonly SqlFunction[]> => {
  const groups = new Map<number, SqlFunction[]>();
  for (const entry of functions) {
    const [only, second] = entry.arguments;
    if (!only || second) continue;
    const group = groups.get(only.typeOid);
    if (group) group.push(entry);
    else groups.set(only.typeOid, [entry]);
  }
  return groups;
};

const readType = (json: TypeJson): SqlType => ({
  oid: json.oid,
  schemaOid: json.schema,
  name: json.name,
  category: json.category,
  elementOid: json.element,
  tableOid: json.table,
  usable: json.usable,
});

const readEnum = (json: EnumJson): SqlEnum => ({
  oid: json.oid,
  schemaOid: json.schema,
  name: json.name,
  values: json.labels ?? [],
  usable: json.usable,
  directives: enumDirectives(json.comment),
});

const readForeignKeys = (
  constraints: readonly ForeignKeyJson[],
  declared: readonly (readonly [Table, readonly DeclaredForeignKey[]])[],
  tables: ReadonlyMap<number, Table>,
): readonly ForeignKey[] => {
  const keys: ForeignKey[] = [];
  const add = (
    names: Pick<ForeignKey, 'localName' | 'foreignName'>,
    local: readonly [Table | undefined, readonly string[]],
    referenced: readonly [Table | undefined, readonly string[]],
  ) => {
    const localSide = readableSide(...local);
    const referencedSide = readableSide(...referenced);
    if (localSide && referencedSide) keys.push({ local: localSide, referenced: referencedSide, ...names });
  };
  for (const json of constraints) {
    add(
      foreignKeyDirectives(json.comment),
      [tables.get(json.local), json.localColumns],
      [tables.get(json.referenced), json.referencedColumns],
    );
  }
  for (const [table, directives] of declared) {
    for (const directive of directives) {
      const { localName, foreignName, foreignSchema, foreignTable } = directive;
      add(
        { localName, foreignName },
        [table, directive.localColumns],
        [findTable({ tables }, foreignSchema, foreignTable), directive.foreignColumns],
      );
    }
  }
  return keys;
};

/** Returns undefined if the table isn't visible, or the role can't select one of the columns. */
const readableSide = (table: Table | undefined, columns: readonly string[]): ForeignKeySide | undefined => {
  if (!table) return undefined;
  const readable = columns.every((name) =>
    table.columns.some((column) => column.name === name && column.privileges.select),
  );
  return readable ? { tableOid: table.oid, columns, rlsEnabled: table.rlsEnabled } : undefined;
};
