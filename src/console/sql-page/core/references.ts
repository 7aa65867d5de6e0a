/** Finds the relations and functions that a query uses, in the text of its parse tree (pg_rewrite.ev_action). */

export interface References {
  /** The OIDs of the relations in pg_class. */
  readonly relations: readonly number[];
  /**
   * The OIDs of the functions in pg_proc. They include the functions of operators and casts, aggregates, window
   * functions and sampling methods.
   */
  readonly functions: readonly number[];
}

const field = /:(relid|funcid|opfuncid|aggfnoid|winfnoid|tsmhandler) (\d+)/g;

/**
 * Finds the fields that contain OIDs. Names and constants can't look like one of these fields, because their spaces are
 * escaped (`readfuncs.c` splits the text at spaces). A false match could only add an object and never hide one.
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
