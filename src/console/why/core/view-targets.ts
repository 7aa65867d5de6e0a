/**
 * Reads the sources of a view's columns from its rewrite rule (`pg_rewrite.ev_action`, a `pg_node_tree`; `primnodes.h`,
 * TargetEntry).
 */

export interface ViewTarget {
  /** The one-based number of the view's column. */
  readonly number: number;
  /** The OID of the relation whose column is shown unchanged, and the number of its column. */
  readonly relation: number;
  readonly column: number;
}

/** The nodes of the query's own target list. Those of subqueries are nested deeper. */
const ownDepth = 2;
const entry =
  /^\{TARGETENTRY .*:resno (\d+) .*:resorigtbl (\d+) :resorigcol (-?\d+) :resjunk (?:true|false)\}$/s;

/** Returns the columns that are shown unchanged. Computed columns are skipped. */
export function viewTargets(rule: string): ViewTarget[] {
  return nodesAt(rule, ownDepth).flatMap((node) => {
    const [, number, relation, column] = (entry.exec(node) ?? []).map(Number);
    if (number === undefined || relation === undefined || column === undefined) return [];
    return relation === 0 || column <= 0 ? [] : [{ number, relation, column }];
  });
}

/** Counts how often the view's FROM, including its subqueries, names the relation. */
export function timesRead(rule: string, relation: number): number {
  return rule.split(`:rtekind 0 :relid ${relation} `).length - 1;
}

/** Whether the query contains a LEFT, FULL or RIGHT join (`nodes.h`, JoinType). */
export const joinsOuter = (rule: string): boolean => / :jointype [123] /.test(rule);

/** Returns the texts of all nodes at a depth, without their inner nodes. A backslash escapes the next character. */
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
