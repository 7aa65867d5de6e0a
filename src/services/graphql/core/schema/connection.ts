/** Builds the types of a table's collections: connection, edge, aggregates and their arguments. */

import type { Column, SqlType, Table } from '../catalog.ts';
import type { SchemaContext } from './context.ts';
import { field, inputValue, objectType } from './define.ts';
import { list, nonNull } from './lookup.ts';
import { columnFieldName } from './names.ts';
import {
  BIG_FLOAT,
  BIG_INT,
  BOOLEAN,
  CURSOR,
  DATE,
  DATETIME,
  INT,
  limitedString,
  OPAQUE,
  STRING,
  TIME,
} from './scalars.ts';
import type {
  AggregateOperation,
  Field,
  InputObjectType,
  InputValue,
  ObjectType,
  ScalarType,
} from './types.ts';

export const PAGE_INFO: ObjectType = objectType({ name: 'PageInfo', role: { is: 'pageInfo' } }, () => [
  field('endCursor', STRING),
  field('hasNextPage', nonNull(BOOLEAN)),
  field('hasPreviousPage', nonNull(BOOLEAN)),
  field('startCursor', STRING),
]);

/** The arguments of the collections of the table with these types. */
export const connectionArguments = (
  filter: InputObjectType,
  orderBy: InputObjectType,
): readonly InputValue[] => [
  inputValue('first', INT, { description: 'Query the first `n` records in the collection' }),
  inputValue('last', INT, { description: 'Query the last `n` records in the collection' }),
  inputValue('before', CURSOR, {
    description: 'Query values in the collection before the provided cursor',
  }),
  inputValue('after', CURSOR, {
    description: 'Query values in the collection after the provided cursor',
  }),
  inputValue('offset', INT, {
    description:
      'Skip n values from the after cursor. Alternative to cursor pagination. Backward pagination not supported.',
  }),
  inputValue('filter', filter, {
    description: 'Filters to apply to the results set when querying from the collection',
  }),
  inputValue('orderBy', list(nonNull(orderBy)), { description: 'Sort order to apply to the collection' }),
];

export const connectionType = (context: SchemaContext, table: Table, name: string): ObjectType =>
  objectType({ name: `${name}Connection`, role: { is: 'connection', table } }, () => {
    const types = context.typesOf(table);
    const fields: Field[] = [
      field('edges', nonNull(list(nonNull(types.edge)))),
      field('pageInfo', nonNull(PAGE_INFO)),
    ];
    if (table.directives.totalCount) {
      fields.push(
        field('totalCount', nonNull(INT), {
          description: 'The total number of records matching the `filter` criteria',
        }),
      );
    }
    if (table.directives.aggregate) {
      fields.push(
        field('aggregate', types.aggregate, {
          description: `Aggregate functions calculated on the collection of \`${name}\``,
        }),
      );
    }
    return fields;
  });

export const edgeType = (context: SchemaContext, table: Table, name: string): ObjectType =>
  objectType({ name: `${name}Edge`, role: { is: 'edge', table } }, () => [
    field('cursor', nonNull(STRING)),
    field('node', nonNull(context.typesOf(table).node)),
  ]);

export const aggregateType = (context: SchemaContext, table: Table, name: string): ObjectType =>
  objectType(
    {
      name: `${name}Aggregate`,
      description: `Aggregate results for \`${name}\``,
      role: { is: 'aggregate', table },
    },
    () => {
      const types = context.typesOf(table);
      const count = field('count', nonNull(INT), { description: 'The number of records matching the query' });
      const results = aggregateOperations(context, table).map((operation) =>
        field(operation, types.aggregateResult(operation), { description: OPERATIONS[operation].field }),
      );
      return [count, ...results];
    },
  );

export const aggregateResultType = (
  context: SchemaContext,
  given: { readonly table: Table; readonly name: string; readonly operation: AggregateOperation },
): ObjectType => {
  const { table, name, operation } = given;
  const words = OPERATIONS[operation];
  return objectType(
    {
      name: `${name}${words.typeName}AggregateResult`,
      description: `Result of ${words.noun} aggregation for \`${name}\``,
      role: { is: 'aggregateResult', table, operation },
    },
    () =>
      table.columns.flatMap((column) => {
        const type = aggregatedType(context.catalog.types.get(column.typeOid), column, operation);
        if (!type) return [];
        const columnName = columnFieldName(context.catalog, column);
        return field(columnName, type, {
          description: `${words.title} of ${columnName} across all matching records`,
          source: { is: 'column', column },
        });
      }),
  );
};

/** The operations that at least one column of the table supports. */
export const aggregateOperations = (context: SchemaContext, table: Table): readonly AggregateOperation[] =>
  (['sum', 'avg', 'min', 'max'] as const).filter((operation) =>
    table.columns.some(
      (column) => aggregatedType(context.catalog.types.get(column.typeOid), column, operation) !== undefined,
    ),
  );

const OPERATIONS: Readonly<
  Record<
    AggregateOperation,
    { readonly typeName: string; readonly noun: string; readonly title: string; readonly field: string }
  >
> = {
  sum: {
    typeName: 'Sum',
    noun: 'summation',
    title: 'Sum',
    field: 'Summation aggregates for numeric fields',
  },
  avg: {
    typeName: 'Avg',
    noun: 'average',
    title: 'Average',
    field: 'Average aggregates for numeric fields',
  },
  min: {
    typeName: 'Min',
    noun: 'minimum',
    title: 'Minimum',
    field: 'Minimum aggregates for comparable fields',
  },
  max: {
    typeName: 'Max',
    noun: 'maximum',
    title: 'Maximum',
    field: 'Maximum aggregates for comparable fields',
  },
};

const INTEGERS: ReadonlySet<string> = new Set(['int2', 'int4', 'int8']);

const NUMBERS: ReadonlyMap<string, ScalarType> = new Map([
  ['int2', INT],
  ['int4', INT],
  ['int8', BIG_INT],
  ['float4', BIG_FLOAT],
  ['float8', BIG_FLOAT],
  ['numeric', BIG_FLOAT],
  ['money', OPAQUE],
]);

const TEXTS: ReadonlySet<string> = new Set(['text', 'varchar', 'char', 'bpchar', 'name', 'citext']);

const OTHER_COMPARABLE: ReadonlyMap<string, ScalarType> = new Map([
  ['bool', BOOLEAN],
  ['date', DATE],
  ['time', TIME],
  ['timetz', TIME],
  ['timestamp', DATETIME],
  ['timestamptz', DATETIME],
]);

/** The type of an aggregate over a column, or undefined if it can't be computed. */
const aggregatedType = (
  type: SqlType | undefined,
  column: Column,
  operation: AggregateOperation,
): ScalarType | undefined => {
  if (type?.category !== 'Other' || !column.privileges.select) return undefined;
  const number = NUMBERS.get(type.name);
  if (operation === 'sum') return INTEGERS.has(type.name) ? BIG_INT : number && BIG_FLOAT;
  if (operation === 'avg') return number && BIG_FLOAT;
  if (TEXTS.has(type.name)) return limitedString(column.maxCharacters);
  return number ?? OTHER_COMPARABLE.get(type.name);
};
