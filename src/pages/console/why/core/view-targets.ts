/**
 * Determines which table columns a view shows, based on the view's rewrite rule (`pg_rewrite.ev_action`, a
 * `pg_node_tree`; `primnodes.h`, TargetEntry).
 */

export interface ViewTarget {
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
export const joinsOuter = (rule: string): boolean => / :jointype [123] /.test(rule);

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
