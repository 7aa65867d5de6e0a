/**
 * Compiles conditions against a table's columns. Conditions that can be decided exactly from the text are evaluated in
 * this process. Conditions that depend on collation, locale, numeric scale or time zone are evaluated by PostgreSQL,
 * with one statement per batch.
 */
import type { Column } from './change.ts';
import type { Condition } from './filter.ts';

/** A validated condition, whose values have their type's output format. */
export interface CompiledCondition {
  readonly column: string;
  /** Tests a value. Undefined if PostgreSQL evaluates `condition`. */
  readonly test: ((value: string | null) => boolean) | undefined;
  readonly condition: Condition;
  readonly sqlType: string;
}

export interface ValidCondition extends Condition {
  /** The value in the output format of its type. For `in`, the elements of the list. */
  readonly normal: readonly (string | null)[];
}

const integers = new Set(['int2', 'int4', 'int8', 'oid']);
const texts = new Set(['text', 'varchar', 'name', 'uuid', 'bool', '_text', 'char']);

export function compileCondition(condition: ValidCondition, column: Column): CompiledCondition {
  const { column: name, operator, negate } = condition;
  const exact = exactTest(condition, column);
  const isNullAware = operator === 'is' || operator === 'isdistinct';
  const test =
    exact === undefined
      ? undefined
      : (value: string | null): boolean => {
          // If the row's value is NULL, neither a comparison nor its negation is true.
          if (value === null && !isNullAware) return false;
          return exact(value) !== negate;
        };
  return { column: name, test, condition, sqlType: column.sqlType };
}

function exactTest(
  { operator, value, normal }: ValidCondition,
  column: Column,
): ((value: string | null) => boolean) | undefined {
  if (operator === 'is') return isTest(value);
  // Equal names of project types have other meanings.
  if (!column.builtin) return undefined;
  if (integers.has(column.typeName)) return integerTest(operator, normal);
  if (!texts.has(column.typeName) || !column.bytewise) return undefined;
  const [only] = normal;
  switch (operator) {
    case 'eq':
      return (cell) => cell === only;
    case 'neq':
      return (cell) => cell !== only;
    case 'isdistinct':
      return (cell) => cell !== only;
    case 'in': {
      // If an element of the list is null, `not.in` is never true, so PostgreSQL evaluates the condition.
      if (normal.includes(null)) return undefined;
      const set = new Set(normal);
      return (cell) => set.has(cell);
    }
    default:
      return undefined;
  }
}

function isTest(keyword: string): (value: string | null) => boolean {
  switch (keyword) {
    case 'true':
      return (cell) => cell === 't';
    case 'false':
      return (cell) => cell === 'f';
    default:
      return (cell) => cell === null;
  }
}

function integerTest(
  operator: Condition['operator'],
  normal: readonly (string | null)[],
): ((value: string | null) => boolean) | undefined {
  if (normal.includes(null)) return undefined;
  const numbers = (normal as string[]).map(BigInt);
  const only = numbers[0] as bigint;
  const compare = (test: (cell: bigint) => boolean) => (cell: string | null) =>
    cell !== null && test(BigInt(cell));
  switch (operator) {
    case 'eq':
      return (cell) => cell === normal[0];
    case 'neq':
    case 'isdistinct':
      return (cell) => cell !== normal[0];
    case 'lt':
      return compare((cell) => cell < only);
    case 'lte':
      return compare((cell) => cell <= only);
    case 'gt':
      return compare((cell) => cell > only);
    case 'gte':
      return compare((cell) => cell >= only);
    case 'in': {
      const set = new Set(normal);
      return (cell) => set.has(cell);
    }
    default:
      return undefined;
  }
}

/**
 * `pending` means that all conditions evaluated in this process match, but PostgreSQL must still evaluate the listed
 * conditions.
 */
export type MatchResult = 'no' | 'yes' | { readonly pending: readonly PendingTest[] };

export interface PendingTest {
  readonly compiled: CompiledCondition;
  readonly value: string | null;
}

/**
 * Matches a row against the conditions. A condition never matches a row that doesn't contain the condition's column.
 */
export function matchRow(
  conditions: readonly CompiledCondition[],
  row: ReadonlyMap<string, string | null> | undefined,
): MatchResult {
  if (conditions.length === 0) return 'yes';
  if (row === undefined) return 'no';
  const pending: PendingTest[] = [];
  for (const compiled of conditions) {
    const value = row.get(compiled.column);
    if (value === undefined) return 'no';
    if (compiled.test === undefined) pending.push({ compiled, value });
    else if (!compiled.test(value)) return 'no';
  }
  return pending.length === 0 ? 'yes' : { pending };
}
