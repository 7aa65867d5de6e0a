/** Maps the database's types to GraphQL's. */

import type { Column, SqlType } from '../catalog.ts';
import type { SchemaContext } from './context.ts';
import { list, nonNull } from './lookup.ts';
import { OPAQUE, scalarOf } from './scalars.ts';
import type { Type } from './types.ts';

/**
 * Returns the GraphQL type of a value, or undefined if GraphQL can't show it: composite types, arrays whose element
 * type the role can't use, and rows of tables that aren't visible.
 *
 * @param options.setOf - for the result of a function: only sets of rows can be shown, as a connection
 */
export const graphqlType = (
  context: SchemaContext,
  type: SqlType,
  options: { readonly maxCharacters?: number | null; readonly setOf?: boolean } = {},
): Type | undefined => {
  if (options.setOf && type.category !== 'Table') return undefined;
  switch (type.category) {
    case 'Other':
      return scalarOf(type, options.maxCharacters ?? null);
    case 'Array':
      return arrayType(context, type);
    case 'Enum': {
      const definition = context.catalog.enums.get(type.oid);
      return definition ? context.enumOf(definition) : OPAQUE;
    }
    case 'Table': {
      const table = type.tableOid === null ? undefined : context.catalog.tables.get(type.tableOid);
      if (!table) return undefined;
      const types = context.typesOf(table);
      return options.setOf ? types.connection : types.node;
    }
    case 'Composite':
      return undefined;
  }
};

/** Returns the type of a column, or undefined if GraphQL can't show it. Rows as values of a column are among those. */
export const columnType = (context: SchemaContext, column: Column): Type | undefined => {
  const sqlType = context.catalog.types.get(column.typeOid);
  if (!sqlType || sqlType.category === 'Table') return undefined;
  const type = graphqlType(context, sqlType, { maxCharacters: column.maxCharacters });
  return type && column.notNull ? nonNull(type) : type;
};

const arrayType = (context: SchemaContext, type: SqlType): Type | undefined => {
  if (type.elementOid === null) return undefined;
  const element = context.catalog.types.get(type.elementOid);
  if (!element) return list(OPAQUE);
  if (!element.usable || element.category === 'Table') return undefined;
  const inner = graphqlType(context, element);
  return inner && list(inner);
};
