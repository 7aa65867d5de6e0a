/**
 * Finds the base columns of a view in its rewrite rule (`pg_rewrite.ev_action`, a `pg_node_tree`). PostgreSQL records
 * the origin of each plain column in the target list. Only the list of the outermost query is used.
 */

export interface OriginColumn {
  /** The attribute number of the view's column. */
  readonly viewColumn: number;
  /** The OID of the relation that contains the base column. */
  readonly relation: number;
  /** The attribute number of the base column. */
  readonly column: number;
}

/** The nesting depth of a target list entry's fields (query list, query, target list, entry). */
const ENTRY_DEPTH = 4;
const QUERY_DEPTH = 2;

/** Returns the origins of the view's columns. A column that is an expression has no origin. */
export function originColumns(nodeTree: string): OriginColumn[] {
  const found: OriginColumn[] = [];
  let depth = 0;
  let inTargetList = false;
  let fields: Record<string, number> = {};
  // Structural characters in strings are escaped, so a token is a bracket or a run of other characters.
  for (const [token] of nodeTree.matchAll(/[(){}]|:\w+(?: -?\d+(?=[ )}]))?|(?:\\.|[^\s(){}\\])+/gs)) {
    switch (token) {
      case '(':
      case '{':
        depth++;
        continue;
      case ')':
      case '}':
        if (token === '}' && depth === ENTRY_DEPTH && inTargetList) {
          const { resno = 0, resorigtbl = 0, resorigcol = 0 } = fields;
          if (resorigtbl !== 0 && resorigcol > 0) {
            found.push({ viewColumn: resno, relation: resorigtbl, column: resorigcol });
          }
          fields = {};
        }
        depth--;
        continue;
    }
    if (!token.startsWith(':')) continue;
    if (depth === QUERY_DEPTH) {
      if (inTargetList) return found;
      inTargetList = token === ':targetList';
    } else if (depth === ENTRY_DEPTH && inTargetList) {
      const [name, value] = token.slice(1).split(' ');
      if (name !== undefined && value !== undefined) fields[name] = Number(value);
    }
  }
  return found;
}
