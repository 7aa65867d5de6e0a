/** Builds node types: nodeId, columns, relationships and computed fields, in this order. */

import { type Catalog, type ForeignKey, isLocallyUnique, type SqlFunction, type Table } from '../catalog.ts';
import type { SchemaContext } from './context.ts';
import { field, objectType } from './define.ts';
import { nonNull } from './lookup.ts';
import { columnFieldName, functionFieldName, isValidName, relationFieldName } from './names.ts';
import { canRead } from './privileges.ts';
import { ID } from './scalars.ts';
import { columnType, graphqlType } from './sql-types.ts';
import type { Field, InterfaceType, ObjectType, Type } from './types.ts';

export const NODE_INTERFACE: InterfaceType = {
  kind: 'INTERFACE',
  name: 'Node',
  description: null,
  fields: [field('nodeId', nonNull(ID), { description: 'Retrieves a record by `ID`' })],
};

export const nodeType = (context: SchemaContext, table: Table, name: string): ObjectType =>
  objectType(
    { name, description: table.directives.description, role: { is: 'node', table } },
    () => [
      ...nodeIdField(table),
      ...columnFields(context, table),
      ...relationFields(context, table),
      ...computedFields(context, table),
    ],
    table.primaryKey.length > 0 ? [NODE_INTERFACE] : [],
  );

const nodeIdField = (table: Table): readonly Field[] =>
  table.primaryKey.length === 0
    ? []
    : [
        field('nodeId', nonNull(ID), {
          description: 'Globally Unique Record Identifier',
          source: { is: 'nodeId', columns: table.primaryKey },
        }),
      ];

const columnFields = (context: SchemaContext, table: Table): readonly Field[] =>
  table.columns
    .filter((column) => column.privileges.select)
    .flatMap((column) => {
      const type = columnType(context, column);
      if (!type) return [];
      return field(columnFieldName(context.catalog, column), type, {
        description: column.directives.description,
        source: { is: 'column', column },
      });
    })
    .filter((entry) => isValidName(entry.name));

const relationFields = (context: SchemaContext, table: Table): readonly Field[] => {
  const { catalog } = context;
  const { local, referencing } = context.keysOf(table);
  const outward = local.flatMap((key) => {
    const target = readableTable(catalog, key.referenced.tableOid);
    if (!target) return [];
    const { node } = context.typesOf(target);
    return relation(catalog, { key, reverse: false, type: isCertain(table, key) ? nonNull(node) : node });
  });
  const inward = referencing.flatMap((key) => {
    const target = readableTable(catalog, key.local.tableOid);
    if (!target) return [];
    const { node, connection } = context.typesOf(target);
    if (isLocallyUnique(catalog, key)) return relation(catalog, { key, reverse: true, type: node });
    return {
      ...relation(catalog, { key, reverse: true, type: connection }),
      args: context.typesOf(target).connectionArguments,
    };
  });
  return [...outward, ...inward];
};

const relation = (
  catalog: Catalog,
  given: { readonly key: ForeignKey; readonly reverse: boolean; readonly type: Type },
): Field =>
  field(relationFieldName(catalog, given.key, given.reverse), given.type, {
    source: { is: 'relation', key: given.key, reverse: given.reverse },
  });

/** Whether each row has a referenced row that the role can see: no nullable column, and no row level security. */
const isCertain = (table: Table, key: ForeignKey): boolean =>
  !key.referenced.rlsEnabled &&
  key.local.columns.every((name) => table.columns.some((column) => column.name === name && column.notNull));

const readableTable = (catalog: Catalog, oid: number): Table | undefined => {
  const table = catalog.tables.get(oid);
  return table && canRead(catalog, table) ? table : undefined;
};

/** A function of a row reads the whole row, so the role needs SELECT on the table itself. */
const computedFields = (context: SchemaContext, table: Table): readonly Field[] =>
  table.privileges.select
    ? table.functions
        .filter((definition) => definition.executable)
        .flatMap((definition) => computedField(context, definition) ?? [])
        .filter((entry) => isValidName(entry.name))
    : [];

const computedField = (context: SchemaContext, definition: SqlFunction): Field | undefined => {
  const sqlType = context.catalog.types.get(definition.returnTypeOid);
  const type = sqlType && graphqlType(context, sqlType, { setOf: definition.setOf });
  if (!type) return undefined;
  return field(functionFieldName(context.catalog, definition), type, {
    description: definition.directives.description,
    args:
      type.kind === 'OBJECT' && type.role.is === 'connection'
        ? context.typesOf(type.role.table).connectionArguments
        : [],
    source: { is: 'computed', function: definition },
  });
};
