/**
 * Derives all relationships between exposed relations from foreign keys and view columns. The module has no side
 * effects.
 */
import type { ComputedRelationshipRow, ForeignKeyRow, PrimaryKeyRow } from '../queries.ts';
import {
  type Cardinality,
  type ColumnPair,
  type ComputedRelationship,
  type KeyRelationship,
  keyOf,
  type QualifiedName,
  type Relation,
  type Relationship,
} from './types.ts';
import type { ViewKey, ViewKeys } from './view-keys.ts';

interface Inputs {
  readonly foreignKeys: readonly ForeignKeyRow[];
  /** The primary keys of the tables in all schemas. The primary keys of views are stored in `relations`. */
  readonly primaryKeys: readonly PrimaryKeyRow[];
  readonly viewKeys: ViewKeys;
  readonly computed: readonly ComputedRelationshipRow[];
  readonly relations: ReadonlyMap<string, Relation>;
  readonly schemas: ReadonlySet<string>;
}

/**
 * Builds the relationships. Yields after each relation, so a step processes the relationships of at most one relation.
 */
export function* buildRelationships(inputs: Inputs): Generator<void, Map<string, Relationship[]>> {
  const { schemas } = inputs;
  const direct: KeyRelationship[] = [];
  for (const key of inputs.foreignKeys) direct.push(fromForeignKey(key));
  for (const key of inputs.foreignKeys) {
    yield;
    for (const one of viewRelationships(key, inputs.viewKeys.get(key) ?? [])) direct.push(one);
  }
  const all = [...direct];
  for (const one of yield* manyToMany(direct, primaryKeysOf(inputs))) all.push(one);
  for (const one of direct) {
    yield;
    all.push(inverse(one));
  }

  // If a computed relationship has the same name as the related relation, it replaces the detected relationships
  // between the two relations.
  const byPair = new Map<string, Relationship[]>();
  const pairKey = (from: QualifiedName, to: QualifiedName) =>
    `${keyOf(from.schema, from.name)}\0${keyOf(to.schema, to.name)}`;
  for (const relationship of all) {
    yield;
    const key = pairKey(relationship.table, relationship.foreignTable);
    const list = byPair.get(key);
    if (list === undefined) byPair.set(key, [relationship]);
    else list.push(relationship);
  }
  for (const row of inputs.computed) {
    const relationship = fromFunction(row);
    byPair.set(pairKey(relationship.table, relationship.function), [relationship]);
  }

  const byOrigin = new Map<string, Relationship[]>();
  for (const relationship of [...byPair.values()].flat()) {
    yield;
    if (!isExposed(relationship, schemas)) continue;
    const key = keyOf(relationship.table.schema, relationship.table.name);
    const list = byOrigin.get(key) ?? [];
    byOrigin.set(key, list);
    // A relation is recorded as an origin even if all of its junctions are hidden, because hints depend on the origins.
    if (!hasHiddenJunction(relationship, schemas)) list.push(relationship);
  }
  for (const [key, list] of byOrigin) {
    yield;
    if (list.length > 1) byOrigin.set(key, sorted(list));
  }
  return byOrigin;
}

/**
 * Whether the relationship is exposed. The origin and the target of the relationship must be in the same schema. A
 * computed relationship must also be in the schema of its function.
 */
function isExposed(relationship: Relationship, schemas: ReadonlySet<string>): boolean {
  const { table, foreignTable } = relationship;
  if (!schemas.has(table.schema) || !schemas.has(foreignTable.schema)) return false;
  if (relationship.kind === 'computed') return relationship.function.schema === table.schema;
  return table.schema === foreignTable.schema;
}

const hasHiddenJunction = (relationship: Relationship, schemas: ReadonlySet<string>): boolean =>
  relationship.kind === 'key' &&
  relationship.junction !== undefined &&
  !schemas.has(relationship.junction.table.schema);

function fromForeignKey(row: ForeignKeyRow): KeyRelationship {
  return {
    kind: 'key',
    table: { schema: row.schema, name: row.table },
    foreignTable: { schema: row.foreignSchema, name: row.foreignTable },
    isSelf: row.tableOid === row.foreignOid,
    tableIsView: false,
    foreignTableIsView: false,
    cardinality: row.oneToOne ? 'one-to-one' : 'many-to-one',
    constraint: row.constraint,
    columns: row.columns,
    isParent: false,
    junction: undefined,
  };
}

function fromFunction(row: ComputedRelationshipRow): ComputedRelationship {
  return {
    kind: 'computed',
    function: { schema: row.schema, name: row.name },
    table: { schema: row.tableSchema, name: row.table },
    foreignTable: { schema: row.foreignSchema, name: row.foreignTable },
    toOne: row.toOne,
    isSelf: row.tableSchema === row.foreignSchema && row.table === row.foreignTable,
  };
}

/**
 * Returns the relationships of a foreign key that involve views: view to table, table to view, and view to view. If a
 * view includes the key's columns several times, there is one relationship for each set of view columns. `viewKeys`
 * contains the sets of view columns that correspond to this foreign key.
 */
function viewRelationships(row: ForeignKeyRow, viewKeys: readonly ViewKey[]): KeyRelationship[] {
  const base = fromForeignKey(row);
  const here = viewKeys.filter((key) => key.side === 'referencing');
  const there = viewKeys.filter((key) => key.side === 'referenced');
  const own = row.columns.map(([column]) => column);
  const foreign = row.columns.map(([, column]) => column);
  const make = (
    from: ViewKey | undefined,
    to: ViewKey | undefined,
    ours: readonly string[],
    theirs: readonly string[],
  ) => ({
    ...base,
    table: from?.view ?? base.table,
    foreignTable: to?.view ?? base.foreignTable,
    isSelf: from !== undefined && to !== undefined && sameView(from, to),
    tableIsView: from !== undefined,
    foreignTableIsView: to !== undefined,
    columns: ours.map((column, index): ColumnPair => [column, theirs[index] ?? '']),
  });
  const found: KeyRelationship[] = [];
  for (const from of here)
    for (const ours of from.columnSets) found.push(make(from, undefined, ours, foreign));
  for (const to of there) for (const theirs of to.columnSets) found.push(make(undefined, to, own, theirs));
  for (const from of here) {
    for (const ours of from.columnSets) {
      for (const to of there) for (const theirs of to.columnSets) found.push(make(from, to, ours, theirs));
    }
  }
  return found;
}

const sameView = (a: ViewKey, b: ViewKey) => a.view.schema === b.view.schema && a.view.name === b.view.name;

function inverse(relationship: KeyRelationship): KeyRelationship {
  const oneToOne = relationship.cardinality === 'one-to-one';
  return {
    ...relationship,
    table: relationship.foreignTable,
    foreignTable: relationship.table,
    tableIsView: relationship.foreignTableIsView,
    foreignTableIsView: relationship.tableIsView,
    cardinality: oneToOne ? 'one-to-one' : 'one-to-many',
    columns: swapped(relationship.columns),
    isParent: oneToOne,
  };
}

const swapped = (pairs: readonly ColumnPair[]): ColumnPair[] => pairs.map(([a, b]) => [b, a]);

function primaryKeysOf({ primaryKeys, relations }: Inputs): Map<string, ReadonlySet<string>> {
  const found = new Map<string, ReadonlySet<string>>();
  for (const { schema, table, columns } of primaryKeys) found.set(keyOf(schema, table), new Set(columns));
  for (const [key, relation] of relations) {
    if (relation.isView && relation.primaryKey.length > 0) found.set(key, new Set(relation.primaryKey));
  }
  return found;
}

/**
 * Finds many-to-many relationships. The junction is a table with two foreign keys whose columns are all part of its
 * primary key.
 */
function* manyToMany(
  direct: readonly KeyRelationship[],
  primaryKeys: ReadonlyMap<string, ReadonlySet<string>>,
): Generator<void, KeyRelationship[]> {
  const byJunction = Map.groupBy(
    direct.filter((one) => one.cardinality === 'many-to-one'),
    (one) => keyOf(one.table.schema, one.table.name),
  );
  const found: KeyRelationship[] = [];
  for (const [key, keys] of byJunction) {
    const primaryKey = primaryKeys.get(key);
    if (primaryKey === undefined) continue;
    for (const first of keys) {
      yield;
      for (const second of keys) {
        if (first.constraint === second.constraint) continue;
        if (![...first.columns, ...second.columns].every(([column]) => primaryKey.has(column))) continue;
        const isSelf =
          first.foreignTable.schema === second.foreignTable.schema &&
          first.foreignTable.name === second.foreignTable.name;
        found.push({
          kind: 'key',
          table: first.foreignTable,
          foreignTable: second.foreignTable,
          isSelf,
          tableIsView: first.foreignTableIsView,
          foreignTableIsView: second.foreignTableIsView,
          cardinality: 'many-to-many',
          constraint: '',
          columns: [],
          isParent: false,
          junction: {
            table: first.table,
            constraint1: first.constraint,
            constraint2: second.constraint,
            sourceColumns: swapped(first.columns),
            targetColumns: swapped(second.columns),
          },
        });
      }
    }
  }
  return found;
}

const RANK: Readonly<Record<Cardinality, number>> = {
  'one-to-many': 0,
  'many-to-one': 1,
  'one-to-one': 2,
  'many-to-many': 3,
};

/** Sorts relationships. Errors list ambiguous relationships in this order. */
function sorted(list: readonly Relationship[]): Relationship[] {
  return list
    .map((relationship) => ({ relationship, key: sortKey(relationship) }))
    .sort((a, b) => compare(a.key, b.key))
    .map(({ relationship }) => relationship);
}

const sortKey = (one: Relationship): string[] =>
  one.kind === 'computed'
    ? [one.foreignTable.schema, one.foreignTable.name, '9', one.function.name]
    : [
        one.foreignTable.schema,
        one.foreignTable.name,
        String(RANK[one.cardinality]),
        one.constraint,
        one.junction?.table.name ?? '',
        one.junction?.constraint1 ?? '',
        one.junction?.constraint2 ?? '',
        JSON.stringify(one.columns),
      ];

function compare(left: readonly string[], right: readonly string[]): number {
  for (let index = 0; index < left.length; index++) {
    const [part, other] = [left[index] ?? '', right[index] ?? ''];
    if (part !== other) return part < other ? -1 : 1;
  }
  return 0;
}
