/**
 * Finds the tables that a view reads and the role that reads each of them (PostgreSQL 18 documentation, section 39.5).
 * Also finds the table columns that the view shows without changing them. These columns identify the table rows from
 * which a row of the view is derived.
 */
import type { Queryable } from '../../../platform/database/types.ts';
import { joinsOuter, timesRead, viewTargets } from './core/view-targets.ts';
import { findRelation, findView, type RelationFacts } from './facts.ts';

export interface Source {
  readonly relation: RelationFacts;
  /** The role that reads the relation, which is the owner of the view or the persona's role. */
  readonly role: string;
  /** The nesting depth, starting at 1 for relations that the view reads directly. */
  readonly depth: number;
  /**
   * The requested view's column for each column of the relation. Empty if the view reads the relation more than once.
   */
  readonly shown: ReadonlyMap<string, string>;
  /** Whether an outer join can return the view's row even if this relation has no matching row. */
  readonly isKept: boolean;
  /** The columns that the query of the view uses. */
  readonly used: readonly string[];
}

/** The maximum depth to which nested views are searched. */
const maxDepth = 5;

/**
 * Returns all relations behind a view, including the relations behind nested views, in the order in which they are
 * read.
 */
export async function sourcesOf(db: Queryable, view: RelationFacts, role: string): Promise<Source[]> {
  const own = new Map(view.columns.map(({ name }) => [name, name]));
  return behind(db, { relation: view, role: role, depth: 0, shown: own, isKept: false, used: [] });
}

async function behind(db: Queryable, outer: Source): Promise<Source[]> {
  if (outer.relation.kind !== 'view' || outer.depth >= maxDepth) return [];
  const view = await findView(db, outer.relation.oid);
  if (view === undefined) return [];
  // If a view is read as its owner, nested views are also read as the owner of the outer view.
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
      const statement = outer.shown.get(inner);
      return name === undefined || statement === undefined ? [] : [[name, statement] as const];
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

/** Returns the table that is changed by a write to the view, or undefined if the view isn't writable. */
export function writtenTable(sources: readonly Source[]): Source | undefined {
  const tables = sources.filter(({ relation }) => relation.kind !== 'view');
  const [table] = tables;
  return tables.length === 1 && table?.relation.kind === 'table' && sources.length === table.depth
    ? table
    : undefined;
}
