/**
 * Derives GraphQL names from database names, as pg_graphql 1.6 does. A directive's name wins; otherwise names stay as
 * they are, or are inflected if the schema's directive says so.
 */

import {
  type Catalog,
  type Column,
  type ForeignKey,
  isLocallyUnique,
  type SqlEnum,
  type SqlFunction,
  type Table,
} from '../catalog.ts';

export const isValidName = (name: string): boolean => /^[_A-Za-z][_A-Za-z0-9]*$/.test(name);

/** Whether the schema inflects names. */
export const inflects = (catalog: Catalog, schemaOid: number): boolean =>
  catalog.schemas.get(schemaOid)?.directives.inflectNames ?? false;

/**
 * Returns the name with each letter after a separator in upper case, and without underscores.
 *
 * @example toTypeName('account_holder') // 'AccountHolder'
 */
export const toTypeName = (name: string): string =>
  name.replace(WORD_START, (letter) => letter.toUpperCase()).replaceAll('_', '');

export const lowerFirst = (name: string): string => {
  const [first] = name;
  return first === undefined ? name : first.toLowerCase() + name.slice(first.length);
};

/** The name of the table's node type, on which the names of all its types are based. */
export const tableTypeName = (catalog: Catalog, table: Table): string => {
  let name = tableTypeNames.get(table);
  if (name === undefined) {
    name =
      table.directives.name ?? (inflects(catalog, table.schemaOid) ? toTypeName(table.name) : table.name);
    tableTypeNames.set(table, name);
  }
  return name;
};

/** Known names. A table belongs to one catalog. */
const tableTypeNames = new WeakMap<Table, string>();

export const enumTypeName = (catalog: Catalog, type: SqlEnum): string =>
  type.directives.name ?? (inflects(catalog, type.schemaOid) ? toTypeName(type.name) : type.name);

export const columnFieldName = (catalog: Catalog, column: Column): string => {
  let name = columnFieldNames.get(column);
  if (name === undefined) {
    name =
      column.directives.name ??
      (inflects(catalog, column.schemaOid) ? lowerFirst(toTypeName(column.name)) : column.name);
    columnFieldNames.set(column, name);
  }
  return name;
};

/** Known names. A column belongs to one catalog. */
const columnFieldNames = new WeakMap<Column, string>();

/** A leading underscore marks computed fields in the database and isn't part of the name. */
export const functionFieldName = (catalog: Catalog, definition: SqlFunction): string => {
  if (definition.directives.name !== null) return definition.directives.name;
  const name = definition.name.startsWith('_') ? definition.name.slice(1) : definition.name;
  return lowerFirst(inflects(catalog, definition.schemaOid) ? toTypeName(name) : name);
};

export const functionArgumentName = (catalog: Catalog, definition: SqlFunction, name: string): string =>
  lowerFirst(inflects(catalog, definition.schemaOid) ? toTypeName(name) : name);

/**
 * Returns the name of a relationship's field. To one row, the name follows the key's column without its `_id` (`Id`
 * without inflection), or else the table. To many rows, it's the table's name and `Collection`.
 *
 * @param reverse - whether the field is on the referenced table
 */
export const relationFieldName = (catalog: Catalog, key: ForeignKey, reverse: boolean): string => {
  const given = reverse ? key.localName : key.foreignName;
  if (given !== null) return given;
  const table = catalog.tables.get(reverse ? key.local.tableOid : key.referenced.tableOid);
  if (!table) return '';
  const tableName = lowerFirst(tableTypeName(catalog, table));
  if (reverse && !isLocallyUnique(catalog, key)) return `${tableName}Collection`;
  const columns = reverse ? key.referenced.columns : key.local.columns;
  const [column] = columns;
  if (column === undefined || columns.length > 1) return tableName;
  const inflected = inflects(catalog, table.schemaOid);
  const suffix = inflected ? '_id' : 'Id';
  if (!column.endsWith(suffix)) return tableName;
  const base = column.slice(0, -suffix.length);
  return lowerFirst(inflected ? toTypeName(base) : base);
};

/** Orders by the code units of names, like a sort by bytes for the names that GraphQL allows. */
export const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0;

/** A character that doesn't follow a letter or digit. */
const WORD_START = /(?<![\p{Alphabetic}\p{N}])./gsu;
