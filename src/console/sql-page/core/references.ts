/** Finds the relations and functions that a query uses, based on its parse tree as text (pg_rewrite.ev_action). */

export interface References {
  /** The relations' OIDs in pg_class. */
  readonly relations: readonly number[];
  /**
   * The functions' OIDs in pg_proc. Includes the functions of operators and casts, aggregates, window functions and
   * sampling methods.
   */
  readonly functions: readonly number[];
}

const field = /:(relid|funcid|opfuncid|aggfnoid|winfnoid|tsmhandler) (\d+)/g;

/**
 * Finds the fields that contain OIDs. Names and constants can't look like such a field, because spaces in them are
 * escaped (`readfuncs.c` splits the text at spaces). A false match could only add an object, never hide one.
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
