/** Determines which B-tree index can find the rows that satisfy the condition of a sequential scan. */

import { isRecord } from '../../../../base/shared/json.ts';
import { parseExpression } from '../../why/core/expression.ts';

export interface TableColumns {
  readonly columns: readonly { readonly name: string; readonly isSortable: boolean }[];
  /** The columns of each index, in order. Partial and invalid indexes aren't included. */
  readonly indexes: readonly (readonly string[])[];
}

const comparison = /^(.+?) (=|<|>|<=|>=) (.+)$/s;
const columnName = /^(?:(?:"(?:[^"]|"")+"|\w+)\.)?("(?:[^"]|"")+"|\w+)(?:::[\w ]+)?$/;

/**
 * Returns the columns of an index for the condition, or undefined if no index can be used or a suitable index already
 * exists. The parts of the condition must be combined with AND, because PostgreSQL doesn't search an index for OR,
 * patterns or functions of a column.
 * @example
 * indexFor("((big.kind = $1) AND (big.id > 5))", facts); // ['kind', 'id']
 */
export function indexFor(condition: string, { columns, indexes }: TableColumns): string[] | undefined {
  const tree = parseExpression(condition);
  const tests = tree.kind === 'and' ? tree.parts : [tree];
  const equal = new Set<string>();
  const ranges = new Set<string>();
  for (const test of tests) {
    const [, left = '', operator = '', right = ''] =
      test.kind === 'test' ? (comparison.exec(test.text) ?? []) : [];
    const column = columnOf(left);
    if (column === undefined || !columns.some((each) => each.name === column && each.isSortable)) continue;
    // A value that is read from the same row can't be looked up in an index.
    if (columns.some(({ name }) => mentions(right, name))) continue;
    if (operator === '=') equal.add(column);
    else ranges.add(column);
  }
  // Only one range can be searched, and only after the columns that are compared with =.
  const [range] = [...ranges].filter((name) => !equal.has(name));
  const wanted = [...equal, ...(range === undefined ? [] : [range])];
  if (wanted.length === 0) return undefined;
  const isCovered = indexes.some((index) =>
    equal.size > 0 ? index[0] !== undefined && equal.has(index[0]) : index[0] === range,
  );
  return isCovered ? undefined : wanted;
}

function columnOf(text: string): string | undefined {
  const [, name] = columnName.exec(text.replace(/^\(([^()]+)\)/, '$1')) ?? [];
  return name?.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
}

const mentions = (text: string, column: string): boolean =>
  [...text.replace(/'(?:[^']|'')*'|::[\w ]+/g, ' ').matchAll(/"((?:[^"]|"")+)"|([a-z_]\w*)(?!\w*\()/gi)].some(
    ([, quoted, plain]) => (quoted?.replaceAll('""', '"') ?? plain) === column,
  );

/** Finds the sequential scans in a plan that have a condition. */
interface Scan {
  readonly schema: string;
  readonly table: string;
  readonly filter: string;
  /** The estimated number of rows that satisfy the scan's condition. */
  readonly kept: number;
}

/**
 * Returns the sequential scans in a plan that have a condition. The plan must be verbose, because only verbose plans
 * contain schema names.
 */
export function filteredScans(plan: unknown): Scan[] {
  if (!isRecord(plan)) return [];
  const {
    Plans: children,
    'Node Type': type,
    'Relation Name': table,
    Schema: schema,
    Filter: filter,
    'Plan Rows': kept,
  } = plan;
  const inner = isRecord(plan.Plan)
    ? filteredScans(plan.Plan)
    : Array.isArray(children)
      ? children.flatMap(filteredScans)
      : [];
  const isScan = type === 'Seq Scan' && typeof table === 'string' && typeof filter === 'string';
  return isScan
    ? [
        {
          schema: typeof schema === 'string' ? schema : 'public',
          table,
          filter,
          kept: Number(kept ?? 0),
        },
        ...inner,
      ]
    : inner;
}
