/**
 * Builds SQL fragments for columns, conditions, ordering and grouping. Values become parameters, and names are always
 * quoted.
 */
import { quoteLiteral, type Sql, sql } from '../../../../base/kernel/sql.ts';
import type { QualifiedName } from '../../schema-cache/types.ts';
import { IS_VALUES, OPERATORS } from '../parse/operators.ts';
import type { JsonPath, ListValue, Operation, Value } from '../parse/types.ts';
import type {
  EmbedOutput,
  JoinCondition,
  PlanColumn,
  PlanCondition,
  PlanField,
  PlanOrder,
  SpreadColumn,
} from '../plan/types.ts';
import { operandText, type Param } from './params.ts';

export const param = (value: Param): Sql => sql`${value}`;

/** Quotes the name of a relation or function. If the schema is empty, `name` is an alias. */
export const nameOf = ({ schema, name }: QualifiedName): Sql =>
  schema === '' ? sql.id(name) : sql.id(schema, name);

/**
 * Returns a FROM item with the rows of a function call. PostgreSQL merges the body of an SQL function in FROM into the
 * query after Citus has decided that the query has no distributed tables, so the function would find no rows. Functions
 * in the select list aren't merged.
 */
export const rowsOfCall = (call: Sql, isDistributed: boolean): Sql =>
  isDistributed ? sql`(select (pgrst_row).* from (select ${call} as pgrst_row offset 0) pgrst_rows)` : call;

export const columnOf = (table: QualifiedName, name: string): Sql =>
  name === '*' ? sql`${nameOf(table)}.*` : sql`${nameOf(table)}.${sql.id(name)}`;

/**
 * Compiles a JSON path. The keys are part of the SQL text, because the expression must match expression indexes and
 * GROUP BY.
 */
function pathOf(path: JsonPath): Sql {
  const steps = path.map(({ arrow, operand }) =>
    'key' in operand ? `${arrow}${quoteLiteral(operand.key)}` : `${arrow}(${indexOf(operand.index)})`,
  );
  return sql.raw(steps.join(''));
}

/** The array index is quoted because PostgreSQL would reject a number that exceeds the integer range. */
const indexOf = (index: string) => `${quoteLiteral(index)}::int`;

export function fieldOf(table: QualifiedName, field: PlanField): Sql {
  if (field.fullRow) return sql.id(table.name);
  const column = columnOf(table, field.name);
  const value =
    field.jsonPath.length === 0
      ? column
      : sql`${field.toJson ? sql`to_jsonb(${column})` : column}${pathOf(field.jsonPath)}`;
  if (field.textSearch === undefined) return value;
  return sql`to_tsvector(${languageOf(field.textSearch.language)}${value})`;
}

const languageOf = (language: string | undefined): Sql =>
  language === undefined ? sql.empty : sql.raw(`${quoteLiteral(language)}, `);

/** Applies a function to a value. `transform` is the function's name from the catalog, which is already quoted. */
export const transformed = (transform: string | undefined, value: Sql): Sql =>
  transform === undefined ? value : sql`${sql.raw(transform)}(${value})`;

/**
 * Casts a value. The parser accepts only identifier characters in a type name, so the name isn't quoted. Quotes would
 * break names such as `double precision`.
 */
const castTo = (type: string | undefined, value: Sql): Sql =>
  type === undefined ? value : sql`cast(${value} as ${sql.raw(type)})`;

const aggregated = (aggregate: string | undefined, cast: string | undefined, value: Sql): Sql =>
  aggregate === undefined ? value : castTo(cast, sql`${sql.raw(aggregate)}(${value})`);

const named = (value: Sql, alias: string | undefined): Sql =>
  alias === undefined ? value : sql`${value} as ${sql.id(alias)}`;

export function selectedColumn(table: QualifiedName, column: PlanColumn): Sql {
  const value = castTo(column.cast, transformed(column.field.transform, fieldOf(table, column.field)));
  return named(aggregated(column.aggregate, column.aggregateCast, value), column.alias);
}

export function spreadColumn(aggregateAlias: string, column: SpreadColumn): Sql {
  const value = columnOf({ schema: '', name: aggregateAlias }, column.name);
  return named(aggregated(column.aggregate, column.aggregateCast, value), column.alias);
}

const valueSql = (value: Value, hasWildcards = false): Sql =>
  typeof value === 'string'
    ? param({ kind: 'text', text: operandText(value, hasWildcards) })
    : param({ kind: 'slot', slot: value.slot, hasWildcards });

export function conditionOf(table: QualifiedName, condition: PlanCondition): Sql {
  switch (condition.kind) {
    case 'null-embed':
      return sql`${sql.id(condition.aggregateAlias)} is ${sql.raw(condition.negated ? '' : 'not ')}distinct from null`;
    case 'logic':
      return logicOf(condition, (child) => conditionOf(table, child));
    case 'filter': {
      const { negated, operation } = condition.expression;
      const test = sql`${fieldOf(table, condition.field)} ${operationOf(operation, condition.field)}`;
      return negated ? sql`not ${test}` : test;
    }
  }
}

export function logicOf(
  condition: Extract<PlanCondition, { kind: 'logic' }>,
  write: (child: PlanCondition) => Sql,
): Sql {
  const children = sql.join(condition.children.map(write), ` ${condition.operator} `);
  return condition.negated ? sql`not (${children})` : sql`(${children})`;
}

function operationOf(operation: Operation, field: PlanField): Sql {
  switch (operation.kind) {
    case 'simple':
    case 'quantified': {
      const { sql: operator, hasWildcards, isText } = OPERATORS[operation.operator];
      const operand = valueSql(operation.value, hasWildcards);
      const value = isText ? operand : transformed(field.transform, operand);
      if (operation.kind === 'simple' || operation.quantifier === undefined) {
        return sql`${sql.raw(operator)} ${value}`;
      }
      return sql`${sql.raw(operator)} ${sql.raw(operation.quantifier)}(${value})`;
    }
    case 'is':
      return sql.raw(`${OPERATORS.is.sql} ${IS_VALUES[operation.value]}`);
    case 'in':
      return sql`${sql.raw(OPERATORS.in.sql)} (${listOf(operation.values, field.transform)})`;
    case 'fts': {
      const query = sql.raw(OPERATORS[operation.operator].sql);
      return sql`@@ ${query}(${languageOf(operation.language)}${valueSql(operation.value)})`;
    }
  }
}

/**
 * Compiles a list condition. Uses `= any` instead of `in`, because a list can be empty and its length must not change
 * the statement.
 */
function listOf(values: ListValue, transform: string | undefined): Sql {
  const isEmpty = Array.isArray(values) && (values.length === 0 || (values.length === 1 && values[0] === ''));
  if (isEmpty) return sql.raw(`'{}'`);
  const list = Array.isArray(values)
    ? param({ kind: 'text', text: literalOf(values) })
    : param({ kind: 'list', slot: (values as { slot: number }).slot });
  return transform === undefined
    ? list
    : sql`(select ${transformed(transform, sql`unnest(${list}::text[])`)})`;
}

const literalOf = (values: readonly string[]): string =>
  `{${values.map((one) => `"${one.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`).join(',')}}`;

export const joinOf = ({ left, right }: JoinCondition): Sql =>
  sql`${columnOf(...left)} = ${columnOf(...right)}`;

const DIRECTION = { asc: ' asc', desc: ' desc' } as const;
const NULLS = { nullsfirst: ' nulls first', nullslast: ' nulls last' } as const;

export function orderBy(table: QualifiedName, order: readonly PlanOrder[]): Sql {
  if (order.length === 0) return sql.empty;
  const terms = order.map(({ relation, field, direction, nulls }) => {
    const of = relation === undefined ? table : { schema: '', name: relation };
    const suffix =
      (direction === undefined ? '' : DIRECTION[direction]) + (nulls === undefined ? '' : NULLS[nulls]);
    return sql`${fieldOf(of, field)}${sql.raw(suffix)}`;
  });
  return sql` order by ${sql.join(terms)}`;
}

/**
 * Returns the GROUP BY clause of a level. If an aggregate is applied to any column of the level, all other selected
 * columns are grouping columns.
 */
export function groupBy(
  table: QualifiedName,
  columns: readonly PlanColumn[],
  outputs: readonly EmbedOutput[],
): Sql {
  const spreads = outputs.flatMap((output) => (output.kind === 'spread' ? output.columns : []));
  const aggregates = [...columns, ...spreads].some((one) => one.aggregate !== undefined);
  if (!aggregates) return sql.empty;
  const terms = [
    ...columns
      .filter((column) => column.aggregate === undefined)
      .map((column) => (column.alias === undefined ? fieldOf(table, column.field) : sql.id(column.alias))),
    ...outputs.flatMap((output) => {
      if (output.kind === 'json') return [sql.id(output.name)];
      return output.columns
        .filter((column) => column.aggregate === undefined)
        .map((column) => columnOf({ schema: '', name: output.aggregateAlias }, column.alias ?? column.name));
    }),
  ];
  return terms.length === 0 ? sql.empty : sql` group by ${sql.join(terms)}`;
}
