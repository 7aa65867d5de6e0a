/** Decides which operations the role's schema has for a table. */

import type { Catalog, Table } from '../catalog.ts';
import { isValidName, tableTypeName } from './names.ts';

/** A table needs a valid name, a primary key and a readable column to have a node type. */
export const canRead = (catalog: Catalog, table: Table): boolean => {
  let known = readable.get(table);
  if (known === undefined) {
    known =
      table.primaryKey.length > 0 &&
      table.columns.some((column) => column.privileges.select) &&
      isValidName(tableTypeName(catalog, table));
    readable.set(table, known);
  }
  return known;
};

/** Known results. A table belongs to one catalog. */
const readable = new WeakMap<Table, boolean>();

export const canInsert = (catalog: Catalog, table: Table): boolean =>
  canRead(catalog, table) && table.columns.some((column) => column.privileges.insert);

export const canUpdate = (catalog: Catalog, table: Table): boolean =>
  canRead(catalog, table) && table.columns.some((column) => column.privileges.update);

export const canDelete = (catalog: Catalog, table: Table): boolean =>
  canRead(catalog, table) && table.privileges.delete;
