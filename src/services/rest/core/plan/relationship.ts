/** Resolves an embed to a relationship, based on its target, hint and origin, as PostgREST does. */
import type { KeyRelationship, Relationship, SchemaCache } from '../../schema-cache/types.ts';
import { keyOf } from '../../schema-cache/types.ts';
import { ambiguousRelationship, relationshipNotFound } from './hints.ts';

/**
 * Finds the relationship of an embed.
 * @throws {RestError} PGRST200 if no relationship matches, PGRST201 if several match
 */
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
    // A constraint or column name can be a target only if the related relation is a table.
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

/**
 * Whether the target matches a self-reference. A self-reference is one foreign key with two directions: the table's
 * name selects the children, and the column's name selects the parent.
 */
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
