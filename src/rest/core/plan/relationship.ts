/** Which relationship an embed means: target, hint and the origin's relationships, as PostgREST resolves them. */
import type { KeyRelationship, Relationship, SchemaCache } from '../../schema-cache/types.ts';
import { keyOf } from '../../schema-cache/types.ts';
import { ambiguousRelationship, relationshipNotFound } from './hints.ts';

/** Throws PGRST200 when there is none and PGRST201 when there are several. */
export function findRelationship(
  cache: SchemaCache,
  schema: string,
  origin: string,
  target: string,
  hint: string | undefined,
): Relationship {
  const candidates = cache.relationships.get(keyOf(schema, origin)) ?? [];
  const found = candidates.filter((one) =>
    one.kind === 'computed' ? one.function.name === target : matchesKey(one, target, hint),
  );
  const [first, ...others] = found;
  if (first === undefined) throw relationshipNotFound(cache, schema, origin, target, hint);
  if (others.length > 0) throw ambiguousRelationship(origin, target, found);
  return first;
}

function matchesKey(one: KeyRelationship, target: string, hint: string | undefined): boolean {
  const isTarget = one.foreignTable.name === target;
  if (one.isSelf) return matchesSelf(one, isTarget, target, hint);
  if (hint === undefined) {
    // Constraints and columns can only be targets where the other side is a table.
    return isTarget || (!one.foreignTableIsView && (one.constraint === target || ownColumn(one) === target));
  }
  return (
    isTarget &&
    (one.constraint === hint ||
      ownColumn(one) === hint ||
      foreignColumn(one) === hint ||
      one.junction?.table.name === hint)
  );
}

/** A self relationship is one key seen from both ends: the table's name means children, the column's the parent. */
function matchesSelf(
  one: KeyRelationship,
  isTarget: boolean,
  target: string,
  hint: string | undefined,
): boolean {
  if (hint === undefined) {
    return (
      (isTarget && one.cardinality === 'one-to-many') ||
      (one.cardinality === 'many-to-one' && ownColumn(one) === target)
    );
  }
  return isTarget && one.cardinality === 'one-to-many' && foreignColumn(one) === hint;
}

const ownColumn = (one: KeyRelationship) => (one.columns.length === 1 ? one.columns[0]?.[0] : undefined);
const foreignColumn = (one: KeyRelationship) => (one.columns.length === 1 ? one.columns[0]?.[1] : undefined);
