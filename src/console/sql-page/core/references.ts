/** Reads the relations and functions of a query from the text form of its parse tree (pg_rewrite.ev_action). */

export interface References {
  /** OIDs in pg_class. */
  readonly relations: readonly number[];
  /** OIDs in pg_proc: functions, including those of operators and casts, aggregates, window functions and sampling methods. */
  readonly functions: readonly number[];
}

const field = /:(relid|funcid|opfuncid|aggfnoid|winfnoid|tsmhandler) (\d+)/g;

/**
 * Spaces in names and constants of a parse tree are escaped (`readfuncs.c` splits at spaces), so they can't look like one of
 * these fields. A false match could only add an object and never hide one.
 */
export function referencesOf(tree: string): References {
  const relations = new Set<number>();
  const functions = new Set<number>();
  for (const [, name, digits] of tree.matchAll(field)) {
    const oid = Number(digits);
    if (oid === 0) continue;
    (name === 'relid' ? relations : functions).add(oid);
  }
  return { relations: [...relations], functions: [...functions] };
}
