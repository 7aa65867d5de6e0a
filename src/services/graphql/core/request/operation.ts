/** Chooses the operation of a document, and rejects documents whose fragments are recursive. */

import { GraphqlError } from '../error.ts';
import type { Document, Fragment, Operation, Selection } from './ast.ts';

/**
 * Returns the operation with this name, or the only one if the name is null.
 *
 * @throws a GraphqlError if there's none, or if the document is invalid.
 */
export function chooseOperation({ operations, fragments }: Document, name: string | null): Operation {
  const names = operations.map((one) => (one.kind === 'subscription' ? null : one.name));
  if (names.length > 1 && names.includes(null)) {
    throw new GraphqlError('Anonymous operations must be the only defined operation');
  }
  if (new Set(names).size !== names.length) throw new GraphqlError('Operation names must be unique');
  const index = names.length === 1 && name === null ? 0 : names.indexOf(name);
  const operation = operations[index];
  rejectCycles(fragments);
  if (operation === undefined) throw new GraphqlError('Operation not found');
  if (operation.kind === 'subscription') throw new GraphqlError('Subscriptions are not supported');
  return operation;
}

/** The deepest path from a fragment through fields and further fragments. */
const MAX_DEPTH = 50;

/** Walks every fragment. The height of a finished fragment is remembered, so that none is walked twice. */
function rejectCycles(fragments: readonly Fragment[]): void {
  const byName = new Map<string, Fragment>();
  for (const fragment of fragments) if (!byName.has(fragment.name)) byName.set(fragment.name, fragment);
  const open = new Set<string>();
  const heights = new Map<string, number>();

  const heightOfFragment = (fragment: Fragment, depth: number): number => {
    const known = heights.get(fragment.name);
    if (known !== undefined) {
      rejectDepth(depth + known - 1);
      return known;
    }
    rejectDepth(depth);
    if (open.has(fragment.name)) throw new GraphqlError('Found a cycle between fragments');
    open.add(fragment.name);
    const height = 1 + heightOf(fragment.selections, depth + 1);
    open.delete(fragment.name);
    heights.set(fragment.name, height);
    return height;
  };
  const heightOf = (selections: readonly Selection[], depth: number): number => {
    rejectDepth(depth);
    let height = 0;
    for (const selection of selections) {
      if (selection.kind !== 'spread') height = Math.max(height, heightOf(selection.selections, depth + 1));
      else {
        const fragment = byName.get(selection.fragment);
        if (fragment) height = Math.max(height, heightOfFragment(fragment, depth + 1));
      }
    }
    return height + 1;
  };
  for (const fragment of fragments) heightOfFragment(fragment, 1);
}

function rejectDepth(depth: number): void {
  if (depth > MAX_DEPTH) throw new GraphqlError(`Fragment cycle depth is greater than ${MAX_DEPTH}`);
}
