/**
 * Finds the columns that a read compares with values. If a value is much more frequent than others, the best plan
 * depends on the value, so a plan that PostgreSQL makes once for all values may be slow.
 */
import { keyOf, type QualifiedName, type Relation, type SchemaCache } from '../../schema-cache/types.ts';
import type { OperatorExpression } from '../parse/types.ts';
import { eachLevel } from './tree.ts';
import type { PlanCondition, PlanField, ReadPlan } from './types.ts';

/** A column of a table that is compared with a value for equality. */
export interface Comparison extends QualifiedName {
  readonly column: string;
  /** The slot of the value. Undefined for lists, and for values that are part of the shape. */
  readonly slot: number | undefined;
}

/**
 * Returns the read's comparisons, except those with a primary key. Returns undefined if statistics can't show whether the
 * plan depends on the values: for views, expressions, and operators other than equality.
 */
export function comparisonsOf(
  plan: ReadPlan,
  relations: SchemaCache['relations'],
): readonly Comparison[] | undefined {
  const found: Comparison[] = [];
  let isKnown = true;
  eachLevel(plan, (level) => {
    const filters = level.where.flatMap(filtersIn).filter(({ expression }) => hasValue(expression));
    if (filters.length === 0 || isKeyset(level, filters)) return;
    const { schema, name } = level.from;
    const relation = relations.get(keyOf(schema, name));
    for (const { field, expression } of filters) {
      if (relation?.isView !== false || !isColumn(field) || !isEquality(expression)) isKnown = false;
      else if (isKey(relation, field.name)) continue;
      else found.push({ schema, name, column: field.name, slot: slotOf(expression) });
    }
  });
  return isKnown ? found : undefined;
}

type FilterCondition = Extract<PlanCondition, { kind: 'filter' }>;

function filtersIn(condition: PlanCondition): FilterCondition[] {
  if (condition.kind === 'null-embed') return [];
  return condition.kind === 'logic' ? condition.children.flatMap(filtersIn) : [condition];
}

const isColumn = ({ jsonPath, textSearch, transform }: PlanField): boolean =>
  jsonPath.length === 0 && textSearch === undefined && transform === undefined;

/** Whether the condition's SQL contains a parameter. */
function hasValue({ operation }: OperatorExpression): boolean {
  if (operation.kind === 'in') return !Array.isArray(operation.values) || operation.values.length > 0;
  return operation.kind !== 'is';
}

function isEquality({ negated, operation }: OperatorExpression): boolean {
  if (negated) return false;
  return (
    operation.kind === 'in' ||
    (operation.kind === 'quantified' && operation.operator === 'eq' && operation.quantifier === undefined)
  );
}

/** Every value of a primary key has one row. */
const isKey = ({ primaryKey }: Relation, column: string): boolean =>
  primaryKey.length === 1 && primaryKey[0] === column;

function slotOf({ operation }: OperatorExpression): number | undefined {
  return operation.kind === 'quantified' && typeof operation.value === 'object'
    ? operation.value.slot
    : undefined;
}

const BOUNDS = new Set<string>(['gt', 'gte', 'lt', 'lte']);

/**
 * Whether the only values of the level are bounds of the column by which it is ordered first, as in keyset pagination.
 * Any value then leads to the same plan, because the rows are read in order from the bound.
 */
function isKeyset({ order: [first] }: ReadPlan, filters: readonly FilterCondition[]): boolean {
  if (first === undefined || first.relation !== undefined || !isColumn(first.field)) return false;
  return filters.every(
    ({ field, expression: { negated, operation } }) =>
      !negated &&
      operation.kind === 'quantified' &&
      operation.quantifier === undefined &&
      BOUNDS.has(operation.operator) &&
      isColumn(field) &&
      field.name === first.field.name,
  );
}
