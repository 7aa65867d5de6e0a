/**
 * Finds a view's underlying tables, the role with which each is read (PostgreSQL 18 documentation, section 39.5), and
 * the table columns that the view shows unchanged. These columns lead from a row of the view to its source rows.
 */
import type { Queryable } from '../../database/types.ts';
import { joinsOuter, timesRead, viewTargets } from './core/view-targets.ts';
import { findRelation, findView, type RelationFacts } from './facts.ts';

export interface Source {
  readonly relation: RelationFacts;
  /** The owner of the view that reads the relation, or the persona. */
  readonly role: string;
  /** The nesting depth, from 1 for relations that the view reads directly. */
  readonly depth: number;
  /** Maps the relation's columns to the requested view's. Empty if the view reads the relation more than once. */
  readonly shown: ReadonlyMap<string, string>;
  /** Whether an outer join can keep the view's row without a row of this relation. */
  readonly isKept: boolean;
  /** The columns that the view's query uses. */
  readonly used: readonly string[];
}

/** The maximum nesting of views. */
const maxDepth = 5;

/** Returns every relation behind a view, including those behind nested views, in the order of reading. */
export async function sourcesOf(db: Queryable, view: RelationFacts, asker: string): Promise<Source[]> {
  const own = new Map(view.columns.map(({ name }) => [name, name]));
  return behind(db, { relation: view, role: asker, depth: 0, shown: own, isKept: false, used: [] });
}

async function behind(db: Queryable, outer: Source): Promise<Source[]> {
  if (outer.relation.kind !== 'view' || outer.depth >= maxDepth) return [];
  const view = await findView(db, outer.relation.oid);
  if (view === undefined) return [];
  // Within a view that is read as its owner, nested views are read as that role too.
  const role = outer.relation.invoker ? outer.role : outer.relation.owner;
  const targets = viewTargets(view.rule);
  const found: Source[] = [];
  for (const { oid, columns } of view.sources) {
    const relation = await findRelation(db, { oid });
    if (relation === undefined) continue;
    const taken = targets.filter((target) => target.relation === oid && timesRead(view.rule, oid) === 1);
    const shown = taken.flatMap(({ number, column }) => {
      const name = relation.columns.find((each) => each.number === column)?.name;
      const inner = outer.relation.columns.find((each) => each.number === number)?.name ?? '';
      const asked = outer.shown.get(inner);
      return name === undefined || asked === undefined ? [] : [[name, asked] as const];
    });
    const source = {
      relation,
      role,
      depth: outer.depth + 1,
      shown: new Map(shown),
      isKept: outer.isKept || joinsOuter(view.rule),
      used: columns,
    };
    found.push(source, ...(await behind(db, source)));
  }
  return found;
}

/** Returns the table to which a write to the view goes, or undefined if the view isn't updatable. */
export function writtenTable(sources: readonly Source[]): Source | undefined {
  const tables = sources.filter(({ relation }) => relation.kind !== 'view');
  const [table] = tables;
  return tables.length === 1 && table?.relation.kind === 'table' && sources.length === table.depth
    ? table
    : undefined;
}
