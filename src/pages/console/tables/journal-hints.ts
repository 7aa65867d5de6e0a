/** Converts the scope of a change to hints for the undo journal, so that large tables needn't be searched. */
import type { Hint } from '../undo/capture.ts';
import type { Recorded } from '../undo/recorder.ts';
import type { Relation, Values } from './contract.ts';
import { inScope, type Scope } from './write.ts';

/** @param before the rows that are changed or deleted @param after the rows that are changed or inserted */
export const hintOf = (relation: Relation, before: Scope | undefined, after: Scope | undefined): Hint => ({
  schema: relation.schema,
  name: relation.name,
  ...(before === undefined ? {} : { before: conditionOf(relation, before) }),
  ...(after === undefined ? {} : { after: conditionOf(relation, after) }),
});

/** An empty condition matches all rows. Without a key, a row's place changes with each edit. */
function conditionOf(relation: Relation, scope: Scope): Hint['before'] {
  if ('keys' in scope && relation.key.kind !== 'columns') return undefined;
  return inScope(relation, scope);
}

/** The key of an inserted row. */
export const insertedScope = (relation: Relation, row: Values): Scope | undefined =>
  relation.key.kind === 'columns'
    ? { keys: [Object.fromEntries(relation.key.columns.map((name) => [name, row[name] ?? '']))] }
    : undefined;

/** The part of a response that refers to the journal. */
export const undoOf = (recorded: Recorded | undefined): { undo?: Recorded } =>
  recorded === undefined ? {} : { undo: recorded };
