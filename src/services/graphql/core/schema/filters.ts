/** Builds the inputs that select and order rows: filters of values, filters of tables, and orderBy. */

import type { Column, Table } from '../catalog.ts';
import type { SchemaContext } from './context.ts';
import { inputType, inputValue } from './define.ts';
import { list, namedType, nonNull, nullable } from './lookup.ts';
import { byName, columnFieldName, isValidName } from './names.ts';
import { FILTER_IS, ID, ORDER_BY_DIRECTION } from './scalars.ts';
import { columnType } from './sql-types.ts';
import type {
  EnumType,
  InputObjectType,
  InputValue,
  ListType,
  ScalarName,
  ScalarType,
  Type,
} from './types.ts';

const ORDERED = ['eq', 'neq', 'lt', 'lte', 'gt', 'gte', 'in', 'is'];

/** The operators of each scalar's filter. JSON and Cursor have no filter. */
const SCALAR_OPERATORS: Readonly<Record<ScalarName, readonly string[]>> = {
  ID: ['eq'],
  UUID: ['eq', 'neq', 'in', 'is'],
  Boolean: ['eq', 'is'],
  Opaque: ['eq', 'is'],
  Int: ORDERED,
  Float: ORDERED,
  BigInt: ORDERED,
  BigFloat: ORDERED,
  Date: ORDERED,
  Time: ORDERED,
  Datetime: ORDERED,
  String: [...ORDERED, 'startsWith', 'like', 'ilike', 'regex', 'iregex'],
  JSON: [],
  Cursor: [],
};

const ENUM_OPERATORS = ['eq', 'in', 'is', 'neq'];
const LIST_OPERATORS = ['containedBy', 'contains', 'eq', 'is', 'overlaps'];

/** The scalars whose lists can be filtered. */
export const LIST_FILTER_SCALARS: readonly ScalarName[] = [
  'Int',
  'Float',
  'String',
  'Boolean',
  'Date',
  'Time',
  'Datetime',
  'BigInt',
  'UUID',
  'BigFloat',
];

/** Returns the filter of one value, such as IntFilter, StringListFilter or an enum's. */
export const valueFilter = (value: ScalarType | EnumType | ListType): InputObjectType => {
  const name = value.kind === 'LIST' ? `${namedType(value).name}List` : value.name;
  return inputType(
    {
      name: `${name}Filter`,
      description: `Boolean expression comparing fields on type "${name}"`,
      role: { is: 'valueFilter', value },
    },
    () =>
      operatorsOf(value)
        .map((operator) => inputValue(operator, operandType(value, operator)))
        .sort(byName),
  );
};

const operatorsOf = (value: ScalarType | EnumType | ListType): readonly string[] => {
  if (value.kind === 'LIST') return LIST_OPERATORS;
  return value.kind === 'ENUM' ? ENUM_OPERATORS : SCALAR_OPERATORS[value.name];
};

const operandType = (value: ScalarType | EnumType | ListType, operator: string): Type => {
  if (operator === 'is') return FILTER_IS;
  if (value.kind === 'LIST') return list(nonNull(value.of));
  return operator === 'in' ? list(nonNull(value)) : value;
};

/**
 * Returns the filter of a table. A column named `and`, `or` or `not` replaces the logical operator of that name, so
 * that filters on the column keep working.
 */
export const tableFilter = (context: SchemaContext, table: Table, name: string): InputObjectType => {
  const filter: InputObjectType = inputType({ name: `${name}Filter`, role: { is: 'filter', table } }, () => {
    const columns = table.columns.flatMap((column) => columnFilter(context, column) ?? []);
    const names = new Set(columns.map((column) => column.name));
    return [
      ...columns.filter((column) => isValidName(column.name)),
      ...nodeIdFilter(context, table),
      ...logicalOperators(filter).filter((operator) => !names.has(operator.name)),
    ];
  });
  return filter;
};

const columnFilter = (context: SchemaContext, column: Column): InputValue | undefined => {
  if (!column.privileges.select || isJson(column)) return undefined;
  const type = columnType(context, column);
  const value = type && filterable(nullable(type));
  return (
    value &&
    inputValue(columnFieldName(context.catalog, column), context.valueFilter(value), {
      source: { is: 'column', column },
    })
  );
};

const filterable = (type: Type): ScalarType | EnumType | ListType | undefined => {
  if (type.kind === 'SCALAR' || type.kind === 'ENUM') return type;
  if (type.kind !== 'LIST') return undefined;
  const element = nullable(type.of);
  return element.kind === 'SCALAR' && LIST_FILTER_SCALARS.includes(element.name) ? type : undefined;
};

const nodeIdFilter = (context: SchemaContext, table: Table): readonly InputValue[] =>
  table.primaryKey.length === 0
    ? []
    : [
        inputValue('nodeId', context.valueFilter(ID), {
          source: { is: 'nodeId', columns: table.primaryKey },
        }),
      ];

const logicalOperators = (filter: InputObjectType): readonly InputValue[] => [
  inputValue('and', list(nonNull(filter)), {
    description: 'Returns true only if all its inner filters are true, otherwise returns false',
  }),
  inputValue('or', list(nonNull(filter)), {
    description: 'Returns true if at least one of its inner filters is true, otherwise returns false',
  }),
  inputValue('not', filter, { description: 'Negates a filter' }),
];

/** Returns the order of a table. Arrays, composite values and JSON can't be ordered by. */
export const tableOrderBy = (context: SchemaContext, table: Table, name: string): InputObjectType =>
  inputType({ name: `${name}OrderBy`, role: { is: 'orderBy', table } }, () =>
    table.columns
      .filter((column) => column.privileges.select && isOrdered(context, column))
      .map((column) =>
        inputValue(columnFieldName(context.catalog, column), ORDER_BY_DIRECTION, {
          source: { is: 'column', column },
        }),
      )
      .filter((entry) => isValidName(entry.name)),
  );

const isOrdered = (context: SchemaContext, column: Column): boolean =>
  !isJson(column) &&
  !column.typeName.endsWith('[]') &&
  context.catalog.types.get(column.typeOid)?.category !== 'Composite';

/** JSON has no equality. (JSONB does, but upstream treats both alike.) */
const isJson = (column: Column): boolean => column.typeName === 'json' || column.typeName === 'jsonb';
