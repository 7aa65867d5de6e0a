/** Compiles `aggregate`. */

import type { Column } from '../catalog.ts';
import { GraphqlError } from '../error.ts';
import type { Selected } from '../request/normalize.ts';
import { fieldOf, namedType } from '../schema/lookup.ts';
import type { AggregateOperation, Field } from '../schema/types.ts';
import type { Row } from './context.ts';
import { call, jsonObject, literal, type Sql, sql } from './fragments.ts';

/** An expression that aggregates rows to the JSON of the field. */
export function aggregateOf(field: Field, selected: Selected, row: Row): Sql {
  const type = namedType(field.type);
  if (type.kind !== 'OBJECT') throw new Error(`${field.name} has no fields`);
  return jsonObject(
    selected.selections(type.name).map((part) => {
      const partField = fieldOf(type, part.name);
      if (partField === undefined) {
        throw new GraphqlError(`Unknown field "${part.name}" selected on type "${type.name}"`);
      }
      if (part.name === '__typename') return [part.key, literal(type.name)];
      if (part.name === 'count') return [part.key, sql.raw('pg_catalog.count(*)')];
      return [part.key, columnsOf(partField, part, row)];
    }),
  );
}

/** The values of one aggregate function, by column. */
function columnsOf(field: Field, selected: Selected, row: Row): Sql {
  const type = namedType(field.type);
  if (type.kind !== 'OBJECT' || type.role.is !== 'aggregateResult') {
    throw new Error(`${field.name} isn't an aggregate`);
  }
  const { operation } = type.role;
  return jsonObject(
    selected.selections(type.name).map((part) => {
      const column = fieldOf(type, part.name);
      if (column === undefined) {
        throw new GraphqlError(`Unknown or invalid field "${part.name}" selected on type "${type.name}"`);
      }
      if (column.source?.is !== 'column') {
        throw new GraphqlError(`Internal error: Missing column info for aggregate field '${part.name}'`);
      }
      return [part.key, aggregated(operation, column.source.column, row)];
    }),
  );
}

const NUMERIC = 1700;

function aggregated(operation: AggregateOperation, column: Column, row: Row): Sql {
  const value = row.column(column.name);
  if (operation === 'avg') return shortened(call('avg', sql`${value}::numeric`));
  const result = call(operation, value);
  return column.typeOid === NUMERIC ? shortened(result) : result;
}

/** A decimal number without trailing zeros, apart from one after the point. */
const shortened = (value: Sql): Sql =>
  call('round', value, sql`greatest(${call('min_scale', value)}, least(${call('scale', value)}, 1))`);
