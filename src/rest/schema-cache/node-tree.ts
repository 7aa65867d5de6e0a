/**
 * Reads which base columns a view shows from its rewrite rule (`pg_rewrite.ev_action`, a `pg_node_tree`): PostgreSQL
 * writes the origin of each plain column into the target list. Only the outermost query's list counts.
 */

export interface OriginColumn {
  /** Number of the view's column. */
  readonly viewColumn: number;
  /** Oid of the relation the column comes from. */
  readonly relation: number;
  /** Number of the column there. */
  readonly column: number;
}

/** Depth of an entry's fields: list of queries, query, target list, entry. */
const ENTRY_DEPTH = 4;
const QUERY_DEPTH = 2;

/** Columns that are expressions have no origin and are left out. */
export function originColumns(nodeTree: string): OriginColumn[] {
  const found: OriginColumn[] = [];
  let depth = 0;
  let inTargetList = false;
  let fields: Record<string, number> = {};
  // Strings escape whatever could look like structure, so a token is a bracket or a run of other characters.
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
