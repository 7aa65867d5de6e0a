/** Converts a query plan to a tree of steps with each step's share of the total. */
import type { RawNode, RawPlan } from './api.ts';

export interface PlanStep {
  readonly id: string;
  readonly depth: number;
  /** The type of the step, for example `Index Scan`. */
  readonly type: string;
  /** The object that the step reads, such as `public.tasks t using tasks_pkey`. */
  readonly on: string;
  /** Conditions, sort keys and similar details, as PostgreSQL prints them. */
  readonly details: readonly { readonly name: string; readonly text: string }[];
  /** The cost of this step, without its child steps. */
  readonly ownCost: number;
  /** The time of this step in milliseconds, without its child steps. Undefined unless the statement was run. */
  readonly ownMs: number | undefined;
  /**
   * The step's share of the total, as a number from 0 to 1. Based on the time if the statement was run, and otherwise
   * on the cost.
   */
  readonly share: number;
  readonly expectedRows: number;
  readonly actualRows: number | undefined;
  readonly loops: number;
  /**
   * The factor by which the row estimate is wrong. 1 if the estimate is correct or the actual number of rows isn't
   * known.
   */
  readonly off: number;
  readonly children: readonly PlanStep[];
}

const detailFields = [
  'Index Cond',
  'Recheck Cond',
  'Hash Cond',
  'Merge Cond',
  'Join Filter',
  'Filter',
  'One-Time Filter',
  'Sort Key',
  'Group Key',
  'Rows Removed by Filter',
  'CTE Name',
  'Subplan Name',
] as const;

const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
const text = (value: unknown): string =>
  Array.isArray(value)
    ? value.join(', ')
    : typeof value === 'string' || typeof value === 'number'
      ? String(value)
      : '';

export function planTree({ Plan }: RawPlan): PlanStep {
  const wasRun = 'Actual Total Time' in Plan;
  const whole = wasRun ? totalMs(Plan) : number(Plan['Total Cost']);
  return stepOf(Plan, { id: '0', depth: 0 }, wasRun, whole);
}

/** Returns the steps in display order, from top to bottom. */
export const flatten = (step: PlanStep): PlanStep[] => [step, ...step.children.flatMap(flatten)];

/** PostgreSQL reports a step's time as the average per loop, so the time is multiplied by the number of loops. */
const totalMs = (node: RawNode): number =>
  number(node['Actual Total Time']) * Math.max(1, number(node['Actual Loops']));

function stepOf(
  node: RawNode,
  { id, depth }: { readonly id: string; readonly depth: number },
  wasRun: boolean,
  whole: number,
): PlanStep {
  const plans = node.Plans ?? [];
  const sum = (measure: (each: RawNode) => number): number =>
    plans.reduce((total, each) => total + measure(each), 0);
  const ownCost = Math.max(0, number(node['Total Cost']) - sum((each) => number(each['Total Cost'])));
  const ownMs = wasRun ? Math.max(0, totalMs(node) - sum(totalMs)) : undefined;
  const expectedRows = number(node['Plan Rows']);
  const actualRows = wasRun ? number(node['Actual Rows']) : undefined;
  const own = ownMs ?? ownCost;
  return {
    id,
    depth,
    type: typeOf(node),
    on: targetOf(node),
    details: detailFields.flatMap((name) => {
      const value = text(node[name]);
      return value === '' || value === '0' ? [] : [{ name, text: value }];
    }),
    ownCost,
    ownMs,
    share: whole > 0 ? Math.min(1, own / whole) : 0,
    expectedRows,
    actualRows,
    loops: number(node['Actual Loops']),
    off:
      actualRows === undefined || number(node['Actual Loops']) === 0 ? 1 : factor(expectedRows, actualRows),
    children: plans.map((each, index) =>
      stepOf(each, { id: `${id}.${index}`, depth: depth + 1 }, wasRun, whole),
    ),
  };
}

/** Returns the type as PostgreSQL's text format prints it, for example `Nested Loop Left Join`. */
function typeOf(node: RawNode): string {
  const type = text(node['Node Type']);
  const join = text(node['Join Type']);
  return join === '' || join === 'Inner' ? type : `${type.replace(/ Join$/, '')} ${join} Join`;
}

function targetOf(node: RawNode): string {
  const relation = text(node['Relation Name']) || text(node['Function Name']) || text(node['CTE Name']);
  const alias = text(node.Alias);
  const index = text(node['Index Name']);
  return [relation, alias === relation ? '' : alias, index === '' ? '' : `using ${index}`]
    .filter(Boolean)
    .join(' ');
}

function factor(expected: number, actual: number): number {
  const [low, high] = expected < actual ? [expected, actual] : [actual, expected];
  return Math.round(Math.max(1, high) / Math.max(1, low));
}
