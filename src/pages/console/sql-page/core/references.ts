/**
 * Finds the relations and functions that a query uses, based on the text form of its parse tree (pg_rewrite.ev_action).
 */

export interface References {
  /** The OIDs of the relations in pg_class. */
  readonly relations: readonly number[];
  /**
   * The OIDs of the functions in pg_proc. Includes aggregates, window functions, sampling methods, and the functions
   * behind operators and casts.
   */
  readonly functions: readonly number[];
}

const field = /:(relid|funcid|opfuncid|aggfnoid|winfnoid|tsmhandler) (\d+)/g;

/**
 * Finds the fields of the parse tree that contain OIDs. Names and constants can't be mistaken for a field that contains
 * OIDs, because spaces in them are escaped (`readfuncs.c` splits the text at spaces). A false match could only add an
 * object to the result, never hide an object.
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
