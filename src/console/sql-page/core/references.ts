/** What a parsed query refers to, read from the text form of its parse tree (pg_rewrite.ev_action). Pure. */

export interface References {
  /** Of pg_class. */
  readonly relations: readonly number[];
  /** Of pg_proc: functions, those behind operators and casts, aggregates, window functions, sampling methods. */
  readonly functions: readonly number[];
}

const field = /:(relid|funcid|opfuncid|aggfnoid|winfnoid|tsmhandler) (\d+)/g;

/**
 * Names and constants in a parse tree have their blanks escaped (`readfuncs.c` splits at blanks), so none of them can look
 * like one of these fields; if one did, there would be an object too many and never one too few.
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
