/**
 * Builds the immutable schema cache from catalog rows. The work is split into steps (see {@link inSlices}). The module
 * has no side effects.
 */
import type {
  ComputedRelationshipRow,
  ForeignKeyRow,
  MediaHandlerRow,
  PrimaryKeyRow,
  RelationRow,
  RepresentationRow,
  RoutineRow,
} from '../queries.ts';
import { buildRelationships } from './relationships.ts';
import {
  type Column,
  handlerKey,
  type IsolationLevel,
  keyOf,
  type MediaHandler,
  type Relation,
  type Routine,
  representationKey,
  type SchemaCache,
} from './types.ts';
import { traceViews, type View, viewForeignKeys, viewPrimaryKeys } from './view-keys.ts';

export interface CatalogRows {
  readonly schemas: readonly string[];
  readonly relations: readonly RelationRow[];
  readonly foreignKeys: readonly ForeignKeyRow[];
  readonly primaryKeys: readonly PrimaryKeyRow[];
  readonly views: readonly View[];
  readonly computed: readonly ComputedRelationshipRow[];
  readonly routines: readonly RoutineRow[];
  readonly representations: readonly RepresentationRow[];
  readonly mediaHandlers: readonly MediaHandlerRow[];
  readonly setsResponse: boolean;
  readonly isDistributed: boolean;
}

const UPDATE = 4;
const INSERT = 8;
const DELETE = 16;

export function* buildSchemaCache(rows: CatalogRows): Generator<void, SchemaCache> {
  const traced = yield* traceViews(rows.views);
  const viewKeys = yield* viewPrimaryKeys(traced, rows.primaryKeys);
  const relations = new Map<string, Relation>();
  for (const row of rows.relations) {
    yield;
    relations.set(keyOf(row.schema, row.name), {
      schema: row.schema,
      name: row.name,
      description: row.description,
      isView: row.isView,
      insertable: (row.events & INSERT) !== 0,
      updatable: (row.events & UPDATE) !== 0,
      deletable: (row.events & DELETE) !== 0,
      primaryKey: row.isView ? (viewKeys.get(row.oid) ?? []) : row.primaryKey,
      columns: columnsOf(row),
    });
  }
  const relationships = yield* buildRelationships({
    foreignKeys: rows.foreignKeys,
    primaryKeys: rows.primaryKeys,
    viewKeys: yield* viewForeignKeys(traced, rows.foreignKeys),
    computed: rows.computed,
    relations,
    schemas: new Set(rows.schemas),
  });
  return {
    relations,
    relationships,
    routines: yield* buildRoutines(rows.routines),
    representations: new Map(
      rows.representations.map((row) => [representationKey(row.from, row.to), row.function]),
    ),
    mediaHandlers: buildMediaHandlers(rows.mediaHandlers),
    setsResponse: rows.setsResponse,
    isDistributed: rows.isDistributed,
  };
}

/**
 * The columns of each relation row. An unchanged row is the same object in every load, so its columns can be cached.
 */
const knownColumns = new WeakMap<RelationRow, ReadonlyMap<string, Column>>();

function columnsOf(row: RelationRow): ReadonlyMap<string, Column> {
  let columns = knownColumns.get(row);
  if (columns === undefined) {
    columns = new Map(row.columns.map((column) => [column.name, column]));
    knownColumns.set(row, columns);
  }
  return columns;
}

const VOLATILITY = { i: 'immutable', s: 'stable', v: 'volatile' } as const;

function* buildRoutines(rows: readonly RoutineRow[]): Generator<void, Map<string, Routine[]>> {
  const byName = new Map<string, Routine[]>();
  for (const row of rows) {
    yield;
    const routine: Routine = {
      schema: row.schema,
      name: row.name,
      description: row.description,
      parameters: row.parameters,
      returns: { schema: row.returnsSchema, name: row.returnsName },
      returnsSet: row.returnsSet,
      returnsComposite: row.returnsComposite,
      volatility: VOLATILITY[row.volatility],
      hasVariadic: row.hasVariadic,
      isolation: row.isolation === null ? undefined : readIsolation(row.isolation),
      settings: row.settings,
    };
    const key = keyOf(row.schema, row.name);
    const overloads = byName.get(key);
    if (overloads === undefined) byName.set(key, [routine]);
    else overloads.push(routine);
  }
  for (const overloads of byName.values()) if (overloads.length > 1) overloads.sort(compareOverloads);
  return byName;
}

const compareOverloads = (a: Routine, b: Routine): number =>
  a.parameters.length - b.parameters.length ||
  compareText(a.description ?? '', b.description ?? '') ||
  compareText(JSON.stringify(a.parameters), JSON.stringify(b.parameters));

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

export function readIsolation(text: string): IsolationLevel {
  const level = text.toLowerCase();
  return level === 'repeatable read' || level === 'serializable' ? level : 'read committed';
}

function buildMediaHandlers(rows: readonly MediaHandlerRow[]): Map<string, MediaHandler> {
  const handlers = new Map<string, MediaHandler>();
  for (const row of rows) {
    const any = row.targetSchema === 'pg_catalog' && row.targetName === 'anyelement';
    const target = any ? undefined : { schema: row.targetSchema, name: row.targetName };
    handlers.set(handlerKey(target, row.mediaType), {
      function: { schema: row.schema, name: row.name },
      target,
      mediaType: row.mediaType,
      resolvedType: row.mediaType === '*/*' ? 'application/octet-stream' : row.mediaType,
      base: row.base,
    });
  }
  return handlers;
}
