/**
 * Resolves the relationships of all embeds. A relationship determines the source of a level and the condition that
 * joins it with its parent.
 */
import { isToOne, type Relationship, type SchemaCache } from '../../schema-cache/types.ts';
import { findRelationship } from './relationship.ts';
import { type JoinCondition, type ReadPlan, SOURCE } from './types.ts';

/**
 * Resolves the relationships below `root`. `fromSource` specifies whether the root reads the result of a write or call.
 */
export function addRelationships(
  root: ReadPlan,
  cache: SchemaCache,
  schema: string,
  fromSource: boolean,
): void {
  if (fromSource) {
    root.fromAlias = root.from.name;
    root.from = { schema: '', name: SOURCE };
  }
  for (const embed of root.embeds) relate(embed, root, cache, schema);
}

function relate(level: ReadPlan, parent: ReadPlan, cache: SchemaCache, schema: string): void {
  // The source's alias replaces only the name of the root's relation.
  const origin = level.depth === 1 ? (parent.fromAlias ?? parent.from.name) : parent.from.name;
  const relationship = findRelationship(cache, schema, origin, level.name, level.hint);
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
  for (const embed of level.embeds) relate(embed, level, cache, schema);
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
