/**
 * What stands behind a view: its tables, the role each is read as (PostgreSQL 18 documentation, section 39.5), and which
 * of a table's columns the view shows as they are, so that a row of the view leads to the rows it is made of.
 */
import type { Queryable } from '../../database/types.ts';
import { joinsOuter, timesRead, viewTargets } from './core/view-targets.ts';
import { findRelation, findView, type RelationFacts } from './facts.ts';

export interface Source {
  readonly relation: RelationFacts;
  /** The owner of the view that reads it, or whoever asks. */
  readonly role: string;
  /** From 1: behind the view itself. */
  readonly depth: number;
  /** Names of its columns to those of the view that was asked for. Empty where the view reads it more than once. */
  readonly shown: ReadonlyMap<string, string>;
  /** The view may keep its row without one of this relation's: by an outer join. */
  readonly isKept: boolean;
  /** Columns that the view's query names. */
  readonly used: readonly string[];
}

/** Views of views of views … */
const maxDepth = 5;

/** Every relation behind a view, those behind views in it included, in the order of reading. */
export async function sourcesOf(db: Queryable, view: RelationFacts, asker: string): Promise<Source[]> {
  const own = new Map(view.columns.map(({ name }) => [name, name]));
  return behind(db, { relation: view, role: asker, depth: 0, shown: own, isKept: false, used: [] });
}

async function behind(db: Queryable, outer: Source): Promise<Source[]> {
  if (outer.relation.kind !== 'view' || outer.depth >= maxDepth) return [];
  const view = await findView(db, outer.relation.oid);
  if (view === undefined) return [];
  // Within a view that asks as its owner everything is read as that role, other views included.
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

/** The one table that a write to the view goes to; undefined where PostgreSQL would not write through it either. */
export function writtenTable(sources: readonly Source[]): Source | undefined {
  const tables = sources.filter(({ relation }) => relation.kind !== 'view');
  const [table] = tables;
  return tables.length === 1 && table?.relation.kind === 'table' && sources.length === table.depth
    ? table
    : undefined;
}
