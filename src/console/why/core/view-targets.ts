/**
 * Where the columns of a view come from, read from the rule that PostgreSQL keeps for it (`pg_rewrite.ev_action`, a
 * `pg_node_tree`; `primnodes.h`, TargetEntry). Pure.
 */

export interface ViewTarget {
  /** Of the view's column, from 1. */
  readonly number: number;
  /** Of the relation that the column is taken from as it is, and the number of its column there. */
  readonly relation: number;
  readonly column: number;
}

/** The nodes of the query's own list; those of subqueries stand deeper. */
const ownDepth = 2;
const entry =
  /^\{TARGETENTRY .*:resno (\d+) .*:resorigtbl (\d+) :resorigcol (-?\d+) :resjunk (?:true|false)\}$/s;

/** Columns that are computed are left out. */
export function viewTargets(rule: string): ViewTarget[] {
  return nodesAt(rule, ownDepth).flatMap((node) => {
    const [, number, relation, column] = (entry.exec(node) ?? []).map(Number);
    if (number === undefined || relation === undefined || column === undefined) return [];
    return relation === 0 || column <= 0 ? [] : [{ number, relation, column }];
  });
}

/** How often the view's own FROM names the relation, its subqueries included. */
export function timesRead(rule: string, relation: number): number {
  return rule.split(`:rtekind 0 :relid ${relation} `).length - 1;
}

/** Whether there is a LEFT, FULL or RIGHT join anywhere in it (`nodes.h`, JoinType). */
export const joinsOuter = (rule: string): boolean => / :jointype [123] /.test(rule);

/** The texts of all nodes at a depth, without what stands in nodes within them. A backslash protects what follows it. */
function nodesAt(text: string, wanted: number): string[] {
  const nodes: string[] = [];
  let depth = 0;
  let own = '';
  for (let index = 0; index < text.length; index++) {
    const char = text[index] as string;
    if (char === '{') depth++;
    if (depth === wanted) own += char;
    if (char === '\\') {
      index++;
      if (depth === wanted) own += text[index] ?? '';
    } else if (char === '}') {
      if (depth === wanted) {
        nodes.push(own);
        own = '';
      }
      depth--;
    }
  }
  return nodes;
}
