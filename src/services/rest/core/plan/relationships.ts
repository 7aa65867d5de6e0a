/**
 * Resolves the relationships of all embeds. A relationship determines the source of a level and the condition that
 * joins it with its parent.
 */
import {
  isToOne,
  type KeyRelationship,
  keyOf,
  type Relationship,
  type SchemaCache,
} from '../../schema-cache/types.ts';
import { ambiguousRelationship, type EmbedAttempt, relationshipNotFound } from './hints.ts';
import type { Resolver } from './resolve.ts';
import { type JoinCondition, type ReadPlan, SOURCE } from './types.ts';

/**
 * Resolves the relationships below `root`. `fromSource` specifies whether the root reads the result of a write or call.
 */
export function addRelationships(root: ReadPlan, resolver: Resolver, fromSource: boolean): void {
  if (fromSource) {
    root.fromAlias = root.from.name;
    root.from = { schema: '', name: SOURCE };
  }
  for (const embed of root.embeds) relate(embed, root, resolver);
}

function relate(level: ReadPlan, parent: ReadPlan, resolver: Resolver): void {
  // The source's alias replaces only the name of the root's relation.
  const origin = level.depth === 1 ? (parent.fromAlias ?? parent.from.name) : parent.from.name;
  const relationship = findRelationship(resolver.cache, {
    schema: resolver.relation.schema,
    origin,
    target: level.name,
    hint: level.hint,
  });
  level.relationship = relationship;
  level.from = relationship.foreignTable;
  level.aggregateAlias = `${relationship.table.name}_${level.alias ?? level.name}_${level.depth}`;
  level.parentAlias = parent.fromAlias;
  if (level.spread !== undefined && !isToOne(relationship))
    level.spread = { kind: 'to-many', extra: [], order: [] };
  // A many-to-many embed joins its junction in the same FROM clause, so the embedded table doesn't need an alias.
  const isJoined = relationship.kind === 'key' && relationship.junction !== undefined;
  level.fromAlias = isJoined ? undefined : `${relationship.foreignTable.name}_${level.depth}`;
  level.joinConditions = joinConditions(relationship, level.fromAlias, parent.fromAlias);
  for (const embed of level.embeds) relate(embed, level, resolver);
}

function joinConditions(
  relationship: Relationship,
  alias: string | undefined,
  parentAlias: string | undefined,
): JoinCondition[] {
  if (relationship.kind === 'computed') return [];
  const { table, foreignTable, junction } = relationship;
  const parent = parentAlias === undefined ? table : { schema: '', name: parentAlias };
  if (junction !== undefined) {
    const target = { schema: table.schema, name: foreignTable.name };
    const between = { schema: table.schema, name: junction.table.name };
    return [
      ...junction.targetColumns.map(
        ([own, joined]): JoinCondition => ({ left: [between, joined], right: [target, own] }),
      ),
      ...junction.sourceColumns.map(
        ([own, joined]): JoinCondition => ({ left: [between, joined], right: [parent, own] }),
      ),
    ];
  }
  const own = alias === undefined ? foreignTable : { schema: '', name: alias };
  return relationship.columns.map(([here, there]) => ({ left: [own, there], right: [parent, here] }));
}

/**
 * Finds the relationship of an embed, based on its target, hint and origin, as PostgREST does.
 * @throws {RestError} PGRST200 if no relationship matches, PGRST201 if several match
 */
function findRelationship(cache: SchemaCache, embed: EmbedAttempt): Relationship {
  const { schema, origin, target, hint } = embed;
  const candidates = cache.relationships.get(keyOf(schema, origin)) ?? [];
  const found = candidates.filter((one) =>
    one.kind === 'computed' ? one.function.name === target : matchesKey(one, target, hint),
  );
  const [first, ...others] = found;
  if (first === undefined) throw relationshipNotFound(cache, embed);
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
