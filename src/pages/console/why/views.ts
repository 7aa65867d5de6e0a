/**
 * Finds the tables that a view reads and the role that reads each of them (PostgreSQL 18 documentation, section 39.5).
 * Also finds the table columns that the view shows without changing them. These columns identify the table rows from
 * which a row of the view is derived.
 */
import type { Queryable } from '../../../platform/database/types.ts';
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

/**
 * Determines which table columns a view shows, based on the view's rewrite rule (`pg_rewrite.ev_action`, a
 * `pg_node_tree`; `primnodes.h`, TargetEntry).
 */
interface ViewTarget {
  /** The number of the view's column, starting at 1. */
  readonly number: number;
  /**
   * The OID of the relation that contains the column. The view shows the column unchanged. `column` is the column's
   * number in that relation.
   */
  readonly relation: number;
  readonly column: number;
}

/** The depth of nodes in the target list of the query itself. The target lists of subqueries are nested more deeply. */
const ownDepth = 2;
const entry =
  /^\{TARGETENTRY .*:resno (\d+) .*:resorigtbl (\d+) :resorigcol (-?\d+) :resjunk (?:true|false)\}$/s;

/** Returns the columns that the view shows unchanged. Columns that the view computes are omitted. */
export function viewTargets(rule: string): ViewTarget[] {
  return nodesAt(rule, ownDepth).flatMap((node) => {
    const [, number, relation, column] = (entry.exec(node) ?? []).map(Number);
    if (number === undefined || relation === undefined || column === undefined) return [];
    return relation === 0 || column <= 0 ? [] : [{ number, relation, column }];
  });
}

/** Returns how often the relation occurs in the FROM clause of the view, including subqueries. */
export function timesRead(rule: string, relation: number): number {
  return rule.split(`:rtekind 0 :relid ${relation} `).length - 1;
}

/** Whether the query contains a LEFT, FULL or RIGHT join (`nodes.h`, JoinType). */
const joinsOuter = (rule: string): boolean => / :jointype [123] /.test(rule);

/**
 * Returns the text of each node at this depth, without the nodes nested in it. A backslash escapes the next character.
 */
function nodesAt(text: string, requested: number): string[] {
  const nodes: string[] = [];
  let depth = 0;
  let own = '';
  for (let index = 0; index < text.length; index++) {
    const char = text[index] as string;
    if (char === '{') depth++;
    if (depth === requested) own += char;
    if (char === '\\') {
      index++;
      if (depth === requested) own += text[index] ?? '';
    } else if (char === '}') {
      if (depth === requested) {
        nodes.push(own);
        own = '';
      }
      depth--;
    }
  }
  return nodes;
}
