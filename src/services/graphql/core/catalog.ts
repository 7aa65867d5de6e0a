/**
 * Defines the catalog: the database objects that the GraphQL schema of one caller is made of. It's collected in the
 * caller's session and as the caller's role, so its privileges are those of that role.
 *
 * Glossary. *Visible schema*: a schema on the caller's search path that the role may use. *Directive*: the JSON in an
 * object's comment, `@graphql({...})`. *Oid*: an object's identifier, which is unique among objects of one kind.
 */

export interface Catalog {
  /** The role whose privileges the catalog shows. */
  readonly role: string;
  /** The visible schemas by oid, in the order of the search path. */
  readonly schemas: ReadonlyMap<number, SqlSchema>;
  /** Tables, views, materialized views and foreign tables of the visible schemas, in the order of the search path. */
  readonly tables: ReadonlyMap<number, Table>;
  /**
   * Foreign keys between visible tables whose columns the role may select on both sides: first the constraints by
   * oid, then those that table directives declare.
   */
  readonly foreignKeys: readonly ForeignKey[];
  /** The types that columns, arguments and results use. Types in schemas without USAGE are absent. */
  readonly types: ReadonlyMap<number, SqlType>;
  /** The enum types of the visible schemas, by oid. */
  readonly enums: ReadonlyMap<number, SqlEnum>;
  /** The functions of the visible schemas, by oid; no procedures, aggregates or window functions. */
  readonly functions: readonly SqlFunction[];
}

export interface SqlSchema {
  readonly oid: number;
  readonly name: string;
  readonly directives: SchemaDirectives;
}

export interface SchemaDirectives {
  /** Whether `snake_case` names become `camelCase` fields and `PascalCase` types. */
  readonly inflectNames: boolean;
  /** The page size of collections without a limit, and the largest one. */
  readonly maxRows: number;
  readonly introspection: boolean;
}

export interface Table {
  readonly oid: number;
  readonly schemaOid: number;
  readonly schema: string;
  readonly name: string;
  /** `r` table, `v` view, `m` materialized view, `f` foreign table. */
  readonly kind: 'r' | 'v' | 'm' | 'f';
  /** The oid of the row type. */
  readonly rowTypeOid: number;
  readonly rlsEnabled: boolean;
  /** In the order of the table. */
  readonly columns: readonly Column[];
  readonly indexes: readonly Index[];
  /** The columns of the primary key, by the constraint or else by the directive. Empty if there's neither. */
  readonly primaryKey: readonly Column[];
  readonly privileges: TablePrivileges;
  readonly directives: TableDirectives;
  /** Functions whose only argument is a row of this table. */
  readonly functions: readonly SqlFunction[];
}

export interface TablePrivileges {
  readonly select: boolean;
  readonly insert: boolean;
  readonly update: boolean;
  readonly delete: boolean;
}

export interface TableDirectives {
  readonly name: string | null;
  readonly description: string | null;
  readonly totalCount: boolean;
  readonly aggregate: boolean;
  readonly primaryKeyColumns: readonly string[] | null;
  readonly maxRows: number | null;
}

export interface Column {
  readonly name: string;
  /** The position in the table, from 1. */
  readonly number: number;
  /** The schema of the table. */
  readonly schemaOid: number;
  readonly typeOid: number;
  /**
   * The type as SQL text with its modifier. Types outside pg_catalog are qualified, so the text means the same under
   * any search path.
   */
  readonly typeName: string;
  /** The maximum length of `char(n)` and `varchar(n)`, in characters. Meaningless for other types. */
  readonly maxCharacters: number | null;
  readonly notNull: boolean;
  readonly hasDefault: boolean;
  /** Whether a sequence belongs to the column: serial or identity. */
  readonly serial: boolean;
  readonly generated: boolean;
  readonly privileges: ColumnPrivileges;
  readonly directives: NameDirectives;
}

export interface ColumnPrivileges {
  readonly select: boolean;
  readonly insert: boolean;
  readonly update: boolean;
}

export interface NameDirectives {
  readonly name: string | null;
  readonly description: string | null;
}

export interface Index {
  /** The key columns in order. Empty if the key contains an expression. */
  readonly columns: readonly string[];
  /** Whether the index guarantees uniqueness for all rows, so not a partial one. */
  readonly unique: boolean;
  readonly primary: boolean;
}

export interface ForeignKey {
  readonly local: ForeignKeySide;
  readonly referenced: ForeignKeySide;
  /** The field name on the referenced table, which leads to the rows of the local table. */
  readonly localName: string | null;
  /** The field name on the local table, which leads to the referenced row. */
  readonly foreignName: string | null;
}

export interface ForeignKeySide {
  readonly tableOid: number;
  readonly columns: readonly string[];
  readonly rlsEnabled: boolean;
}

export type TypeCategory = 'Enum' | 'Composite' | 'Table' | 'Array' | 'Other';

export interface SqlType {
  readonly oid: number;
  readonly schemaOid: number;
  readonly name: string;
  readonly category: TypeCategory;
  /** The element type of an array type, otherwise null. */
  readonly elementOid: number | null;
  /** The table of a row type, otherwise null. */
  readonly tableOid: number | null;
  readonly usable: boolean;
}

export interface SqlEnum {
  readonly oid: number;
  readonly schemaOid: number;
  readonly name: string;
  /** The labels in their order. */
  readonly values: readonly string[];
  readonly usable: boolean;
  readonly directives: EnumDirectives;
}

export interface EnumDirectives {
  readonly name: string | null;
  /** From label to GraphQL name. Labels without an entry keep their name. */
  readonly mappings: ReadonlyMap<string, string>;
}

export type Volatility = 'volatile' | 'stable' | 'immutable';

export interface SqlFunction {
  readonly oid: number;
  readonly schemaOid: number;
  readonly schema: string;
  readonly name: string;
  /** The input arguments in order. */
  readonly arguments: readonly FunctionArgument[];
  readonly returnTypeOid: number;
  readonly returnTypeName: string;
  /** Whether it returns a set, and wasn't declared with `rows 1`. */
  readonly setOf: boolean;
  readonly volatility: Volatility;
  readonly executable: boolean;
  readonly directives: NameDirectives;
}

export interface FunctionArgument {
  /** Null for an argument without a name. */
  readonly name: string | null;
  readonly typeOid: number;
  /** The type as SQL text, qualified like `Column.typeName`. */
  readonly typeName: string;
  /** The default as SQL text, or null for a required argument. */
  readonly default: string | null;
}

/** Returns the table with this name, or undefined if it isn't visible. */
export const findTable = (
  catalog: Pick<Catalog, 'tables'>,
  schema: string,
  name: string,
): Table | undefined => {
  for (const table of catalog.tables.values()) {
    if (table.name === name && table.schema === schema) return table;
  }
  return undefined;
};

/** Returns the column with this name. */
export const findColumn = (table: Table, name: string): Column | undefined =>
  table.columns.find((column) => column.name === name);

/** The page size of the table's collections: its own directive, or else its schema's. */
export const maxRowsOf = (catalog: Catalog, table: Table): number =>
  table.directives.maxRows ?? catalog.schemas.get(table.schemaOid)?.directives.maxRows ?? 30;

/** Whether a unique index lies within the local columns, so that a referenced row has at most one local row. */
export const isLocallyUnique = (catalog: Catalog, key: ForeignKey): boolean =>
  catalog.tables
    .get(key.local.tableOid)
    ?.indexes.some(
      (index) =>
        index.unique &&
        index.columns.length > 0 &&
        index.columns.every((column) => key.local.columns.includes(column)),
    ) ?? false;
