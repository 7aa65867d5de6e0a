/** Builds the Query type: node, collections, single rows, functions, and introspection where a schema allows it. */

import type { Column, Table } from '../catalog.ts';
import type { SchemaContext } from './context.ts';
import { field, inputValue, objectType } from './define.ts';
import { functionFields } from './functions.ts';
import { nonNull } from './lookup.ts';
import { SCHEMA_TYPE, TYPE_TYPE } from './meta.ts';
import { byName, columnFieldName, lowerFirst, tableTypeName } from './names.ts';
import { canRead } from './privileges.ts';
import { ID, STRING } from './scalars.ts';
import { columnType } from './sql-types.ts';
import type { Field, ObjectType } from './types.ts';

export const queryType = (context: SchemaContext): ObjectType =>
  objectType({ name: 'Query', description: 'The root type for querying data', role: { is: 'query' } }, () => {
    const fields = new Map<string, Field>();
    const add = (entry: Field | undefined) => {
      if (entry && !fields.has(entry.name)) fields.set(entry.name, entry);
    };
    add(nodeField(context));
    for (const table of context.catalog.tables.values()) {
      if (!canRead(context.catalog, table)) continue;
      add(collectionField(context, table));
      add(byPkField(context, table));
    }
    for (const entry of functionFields(context, ['immutable', 'stable'])) add(entry);
    if (allowsIntrospection(context)) for (const entry of INTROSPECTION_FIELDS) add(entry);
    return [...fields.values()].sort(byName);
  });

/** Whether any visible schema's directive allows introspection. */
export const allowsIntrospection = (context: SchemaContext): boolean =>
  [...context.catalog.schemas.values()].some((schema) => schema.directives.introspection);

const nodeField = (context: SchemaContext): Field =>
  field('node', context.nodeInterface, {
    description: 'Retrieve a record by its `ID`',
    args: [inputValue('nodeId', nonNull(ID), { description: "The record's `ID`" })],
    source: { is: 'nodeById' },
  });

const collectionField = (context: SchemaContext, table: Table): Field => {
  const name = tableTypeName(context.catalog, table);
  return field(`${lowerFirst(name)}Collection`, nonNull(context.typesOf(table).connection), {
    description: `A pagable collection of type \`${name}\``,
    args: context.typesOf(table).connectionArguments,
    source: { is: 'collection', table },
  });
};

const byPkField = (context: SchemaContext, table: Table): Field | undefined => {
  if (!table.primaryKey.every((column) => isSupportedKey(context, column))) return undefined;
  const name = tableTypeName(context.catalog, table);
  return field(`${lowerFirst(name)}ByPk`, context.typesOf(table).node, {
    description: `Retrieve a record of type \`${name}\` by its primary key`,
    args: table.primaryKey.map((column) =>
      inputValue(columnFieldName(context.catalog, column), nonNull(columnType(context, column) ?? STRING), {
        description: `The record's \`${column.name}\` value`,
        source: { is: 'column', column },
      }),
    ),
    source: { is: 'byPk', table },
  });
};

/** Primary keys of whole numbers, text without a maximum length, and UUIDs. */
const isSupportedKey = (context: SchemaContext, column: Column): boolean =>
  SUPPORTED_KEYS.has(column.typeName) || context.catalog.types.get(column.typeOid)?.name === 'citext';

const SUPPORTED_KEYS: ReadonlySet<string> = new Set([
  'smallint',
  'integer',
  'bigint',
  'text',
  'bpchar',
  'uuid',
]);

const INTROSPECTION_FIELDS: readonly Field[] = [
  field('__type', TYPE_TYPE, { args: [inputValue('name', STRING)], source: { is: '__type' } }),
  field('__schema', nonNull(SCHEMA_TYPE), { source: { is: '__schema' } }),
];
