/**
 * Handles objects that depend on each other, because pg-delta can't sort them. For example, a view can call a function
 * whose signature contains the view's row type. To break such a cycle, the plan first creates the view without its
 * query, as in a dump, or the function without its body.
 *
 * Finds the cycles of a directed graph.
 */
import {
  type Action,
  buildFactBase,
  encodeId,
  type Fact,
  type FactBase,
  type StableId,
} from '@supabase/pg-delta';
import { quoteIdentifier } from '../../../base/kernel/sql.ts';
import type { Snapshot } from '../types.ts';

interface Cycles {
  readonly from: FactBase;
  readonly to: FactBase;
  /** Returns the statements that run before and after `actions`, which pg-delta has planned from `from` and `to`. */
  around(actions: readonly Action[]): { readonly before: string[]; readonly after: string[] };
}

/** Breaks cycles in both schemas by replacing definitions with placeholders. */
export function breakCycles(from: Snapshot, to: Snapshot): Cycles {
  const broken = new Map([...brokenIn(from), ...brokenIn(to)]);
  if (broken.size === 0) return { from: from.facts, to: to.facts, around: () => ({ before: [], after: [] }) };
  return {
    from: withPlaceholders(from, broken),
    to: withPlaceholders(to, broken),
    around: (actions) => statementsAround(from, to, broken, actions),
  };
}

/** Maps each object whose definition is replaced to the objects in its cycle. */
type Broken = ReadonlyMap<string, ReadonlySet<string>>;

const isRoutine = ({ kind }: StableId): boolean => kind === 'function' || kind === 'procedure';

/**
 * The ways to break a cycle, in the order in which they are tried. Each function checks whether a fact's definition can
 * be replaced.
 */
const breakable: readonly ((fact: Fact, snapshot: Snapshot) => boolean)[] = [
  ({ id }, { placeholders }) => id.kind === 'view' && placeholders.has(nameOf(id)),
  ({ id, payload }) => isRoutine(id) && sqlBody.test(String(payload.def)),
  ({ id, parent, payload }) =>
    id.kind === 'constraint' && parent?.kind === 'domain' && payload.validated === true,
];

function brokenIn(snapshot: Snapshot): Broken {
  const broken = new Map<string, ReadonlySet<string>>();
  for (const canBreak of breakable) {
    for (const cycle of cyclesOf(dependenciesOf(snapshot.facts, broken))) {
      const members = new Set(cycle);
      for (const fact of snapshot.facts.facts()) {
        const key = encodeId(fact.id);
        if (members.has(key) && canBreak(fact, snapshot)) broken.set(key, members);
      }
    }
  }
  return broken;
}

/**
 * Returns the dependencies between objects. Every object depends on its parent. A domain also depends on its
 * constraints, because CREATE DOMAIN contains them.
 */
function dependenciesOf(facts: FactBase, broken: Broken): Edge[] {
  const edges = facts.edges.flatMap(({ from, to, kind }): Edge[] =>
    kind === 'depends' && !isReleased(broken, from, to) ? [[encodeId(from), encodeId(to)]] : [],
  );
  for (const { id, parent } of facts.facts()) {
    if (parent === undefined) continue;
    edges.push([encodeId(id), encodeId(parent)]);
    if (id.kind === 'constraint' && parent.kind === 'domain' && !broken.has(encodeId(id)))
      edges.push([encodeId(parent), encodeId(id)]);
  }
  return edges;
}

/** The kinds of objects that a view's columns can depend on even without the view's query. */
const typeKinds: ReadonlySet<string> = new Set(['schema', 'extension', 'collation', 'type', 'domain']);

/**
 * Whether the placeholder removes the dependency of `from` on `to`. A function's dependencies on types and tables
 * remain, because its signature can contain them.
 */
function isReleased(broken: Broken, from: StableId, to: StableId): boolean {
  const members = broken.get(encodeId(from));
  if (members === undefined || from.kind === 'constraint') return false;
  if (from.kind === 'view') return !typeKinds.has(to.kind);
  return members.has(encodeId(to)) && (isRoutine(to) || to.kind === 'materializedView');
}

function withPlaceholders(snapshot: Snapshot, broken: Broken): FactBase {
  const { facts } = snapshot;
  return buildFactBase(
    facts.facts().map((fact) => (broken.has(encodeId(fact.id)) ? placeholderOf(fact, snapshot) : fact)),
    facts.edges.filter(({ from, to, kind }) => kind !== 'depends' || !isReleased(broken, from, to)),
  );
}

function placeholderOf(fact: Fact, { placeholders }: Snapshot): Fact {
  const { id, payload } = fact;
  if (id.kind === 'constraint') return { ...fact, payload: { ...payload, validated: false } };
  const def =
    id.kind === 'view' ? (placeholders.get(nameOf(id)) ?? payload.def) : withoutBody(String(payload.def));
  return { ...fact, payload: { ...payload, def: def as string } };
}

/**
 * Matches a function body in standard SQL syntax. PostgreSQL doesn't record the dependencies of function bodies in
 * other formats.
 */
const sqlBody = /\n(?:BEGIN ATOMIC\n|RETURN )/;

const withoutBody = (definition: string): string => {
  const at = definition.search(sqlBody);
  return at === -1 ? definition : `${definition.slice(0, at)}\nAS 'SELECT NULL'\n`;
};

function statementsAround(
  from: Snapshot,
  to: Snapshot,
  broken: Broken,
  actions: readonly Action[],
): { before: string[]; after: string[] } {
  const changed = new Set(
    actions.flatMap(({ produces, destroys, consumes, verb }) =>
      [...produces, ...destroys, ...(verb === 'alter' ? consumes.slice(0, 1) : [])].map(encodeId),
    ),
  );
  const factOf = ({ facts }: Snapshot, key: string): Fact | undefined =>
    facts.facts().find(({ id }) => encodeId(id) === key);
  const before: string[] = [];
  const after: string[] = [];
  const restored: string[] = [];
  for (const [key, members] of broken) {
    const [old, next] = [factOf(from, key), factOf(to, key)];
    const isChanged =
      old?.payload.def !== next?.payload.def || [...members].some((each) => changed.has(each));
    if (!isChanged) continue;
    if (old !== undefined) before.push(...definition(placeholderOf(old, from), 'placeholder'));
    if (next === undefined) continue;
    after.push(...definition(next, 'complete'));
    restored.push(key);
  }
  return { before, after: [...after, ...refreshes(to, restored, changed)] };
}

function definition({ id, payload }: Fact, state: 'placeholder' | 'complete'): string[] {
  if (id.kind === 'constraint')
    return state === 'complete' && payload.validated === true
      ? [`ALTER DOMAIN ${nameOf({ ...id, name: id.table })} VALIDATE CONSTRAINT ${quoteIdentifier(id.name)}`]
      : [];
  if (id.kind !== 'view') return [String(payload.def)];
  const options = (payload.reloptions ?? []) as readonly string[];
  const withOptions = options.length === 0 ? '' : ` WITH (${options.join(', ')})`;
  return [`CREATE OR REPLACE VIEW ${nameOf(id)}${withOptions} AS ${payload.def}`];
}

/**
 * Returns the statements that refresh materialized views that were created from incomplete views and therefore contain
 * the wrong rows.
 */
function refreshes({ facts }: Snapshot, restored: readonly string[], changed: ReadonlySet<string>): string[] {
  const reached = new Set(restored);
  for (let size = 0; size < reached.size; ) {
    size = reached.size;
    for (const { from, to, kind } of facts.edges)
      if (kind === 'depends' && reached.has(encodeId(to))) reached.add(encodeId(from));
  }
  return facts.facts().flatMap(({ id }) => {
    const key = encodeId(id);
    const isIncomplete = id.kind === 'materializedView' && reached.has(key) && changed.has(key);
    return isIncomplete ? [`REFRESH MATERIALIZED VIEW ${nameOf(id)}`] : [];
  });
}

function nameOf(id: StableId): string {
  const parts = ['schema' in id ? id.schema : undefined, 'name' in id ? id.name : undefined];
  return parts.flatMap((part) => (typeof part === 'string' ? [quoteIdentifier(part)] : [])).join('.');
}

export type Edge = readonly [from: string, to: string];

/**
 * Returns the graph's strongly connected components that have more than one node. Uses Tarjan's algorithm with an
 * explicit stack, because dependency chains can be long.
 */
export function cyclesOf(edges: readonly Edge[]): string[][] {
  const next = new Map<string, string[]>();
  for (const [from, to] of edges) {
    const list = next.get(from);
    if (list === undefined) next.set(from, [to]);
    else list.push(to);
  }
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const cycles: string[][] = [];
  const enter = (node: string): { node: string; rest: Iterator<string> } => {
    index.set(node, index.size);
    low.set(node, index.size - 1);
    open.push(node);
    isOpen.add(node);
    return { node, rest: (next.get(node) ?? []).values() };
  };
  const lower = (node: string, value: number): void => {
    low.set(node, Math.min(low.get(node) as number, value));
  };
  for (const root of next.keys()) {
    if (index.has(root)) continue;
    const path = [enter(root)];
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { node, rest } = top;
      const step = rest.next();
      if (step.done !== true) {
        if (!index.has(step.value)) path.push(enter(step.value));
        else if (isOpen.has(step.value)) lower(node, index.get(step.value) as number);
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent !== undefined) lower(parent.node, low.get(node) as number);
      if (low.get(node) !== index.get(node)) continue;
      const component = open.splice(open.lastIndexOf(node));
      for (const each of component) isOpen.delete(each);
      if (component.length > 1) cycles.push(component);
    }
  }
  return cycles;
}
