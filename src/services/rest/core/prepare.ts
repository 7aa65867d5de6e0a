/**
 * Parses, plans and compiles requests. The results are cached per shape, so a request of a known shape only requires
 * binding its values.
 */
import { restError } from '../errors.ts';
import type { Relation, SchemaCache } from '../schema-cache/types.ts';
import { keyOf, type QualifiedName } from '../schema-cache/types.ts';
import type { RestSettings } from '../settings.ts';
import { type Bindings, type BoundParam, bindParam } from './compile/params.ts';
import { type Compiled, compile } from './compile/statement.ts';
import { contentLocation } from './content-location.ts';
import { LaneMemory } from './lane.ts';
import { JSON_TYPE, type MediaType, readAccept, readMediaType } from './parse/media-type.ts';
import { type Payload, readPayload } from './parse/payload.ts';
import { type Preferences, readPreferences } from './parse/preferences.ts';
import {
  type QueryTree,
  readQuery,
  rejectNul,
  rootRange,
  type ScannedQuery,
  scanQuery,
} from './parse/query.ts';
import { ALL_ROWS, isAllRows, type RowRange, rangeHeader, topLevelRange } from './parse/range.ts';
import { findRoutine, planCall } from './plan/call.ts';
import { tableNotFound } from './plan/hints.ts';
import { negotiate } from './plan/negotiate.ts';
import { hasDefaultSelect, planRead } from './plan/read.ts';
import { eachLevel } from './plan/tree.ts';
import type { CrudPlan, Mutation } from './plan/types.ts';
import { planWrite } from './plan/write.ts';
import { Repeats } from './repeats.ts';
import { type Action, header, type Profile, type RestRequest } from './request.ts';

/** The parts that all requests of the same shape share. */
export interface Shape {
  readonly plan: CrudPlan;
  readonly compiled: Compiled;
  readonly preferences: Preferences;
  readonly hasOnConflict: boolean;
  /** The relation names by which the request referred to embeds that have an alias. */
  readonly legacyNames: readonly { readonly name: string; readonly alias: string }[];
  readonly lane: LaneMemory;
}

export interface Prepared {
  readonly shape: Shape;
  readonly bindings: Bindings;
  /** The parameters of the main statement. */
  readonly params: readonly BoundParam[];
  /** The canonical path and query of a read, encoded for the Content-Location header. */
  readonly location: string | undefined;
  readonly range: RowRange;
  readonly profile: Profile;
}

export type CrudAction = Extract<Action, { kind: 'read' | 'write' | 'call' }>;

export interface Context {
  readonly cache: SchemaCache;
  readonly settings: RestSettings;
  readonly shapes: ShapeCache;
}

/** The parts of the request that are processed each time. All other parts of the request depend only on `key`. */
interface Parts {
  readonly key: string;
  readonly query: ScannedQuery;
  /** The parsed query. The tree is set only if the query had to be parsed to read the payload. */
  readonly tree: QueryTree | undefined;
  readonly payload: Payload | undefined;
  readonly given: ReadonlySet<string>;
  readonly contentType: MediaType;
  readonly accept: string | undefined;
  readonly preferences: Preferences;
}

export function prepare(
  request: RestRequest,
  action: CrudAction,
  profile: Profile,
  context: Context,
): Prepared {
  const readOnlyCall = action.kind === 'call' && action.method !== 'POST';
  rejectNul(request.query);
  const query = scanQuery(request.query, readOnlyCall);
  const preferences = readPreferences(header(request, 'prefer'), context.settings.txEnd.override);
  // The query is parsed before the range is checked, because an invalid query string must be reported first. The key is
  // unambiguous because paths can't contain `?` and headers can't contain NUL.
  const known = `${request.method} ${profile.schema}\0${request.path}?${query.shape}`;
  let tree: QueryTree | undefined;
  const needsTree = action.kind !== 'read' && query.pairs.some(([name]) => name === 'columns');
  if (needsTree || !context.shapes.hasQuery(known)) {
    tree = readQuery(query);
    context.shapes.rememberQuery(known);
  }
  const range = topLevelRange(
    request.method === 'GET' ? rangeHeader(header(request, 'range')) : ALL_ROWS,
    rootRange(query),
  );
  if (request.method === 'PUT' && !isAllRows(range)) throw restError('PGRST114');
  const ranges = new Map(query.ranges).set('limit', range);
  const given = givenRanges(ranges);
  const contentHeader = header(request, 'content-type');
  const contentType = contentHeader === undefined ? JSON_TYPE : readMediaType(contentHeader);
  const payload = payloadOf(request, action, contentType, tree);
  const accept = header(request, 'accept');
  const key = [
    known,
    given.length === 0 ? '' : JSON.stringify(given),
    header(request, 'prefer') ?? '',
    accept ?? '*/*',
    contentType.kind,
    payload === undefined ? '' : `${payload.isObject} ${JSON.stringify(payload.keys)}`,
  ].join('\0');
  let shape = context.shapes.get(key);
  if (shape === undefined) {
    const parts = { key, query, tree, payload, given: new Set(given), contentType, accept, preferences };
    shape = shapeOf(action, profile, parts, context);
    context.shapes.set(key, shape);
  }
  const callArguments = payload?.form ?? query.callArguments;
  const bindings = { values: query.values, ranges, body: payload?.body, callArguments };
  return {
    shape,
    bindings,
    params: shape.compiled.main.params.map((param) => bindParam(param, bindings)),
    location: action.kind === 'read' ? contentLocation(shape.plan.target.name, query) : undefined,
    range,
    profile,
  };
}

function givenRanges(ranges: ReadonlyMap<string, RowRange>): string[] {
  const names: string[] = [];
  for (const [name, range] of ranges) if (!isAllRows(range)) names.push(name);
  return names;
}

function payloadOf(
  request: RestRequest,
  action: CrudAction,
  contentType: MediaType,
  tree: QueryTree | undefined,
): Payload | undefined {
  if (action.kind === 'read') return undefined;
  if (action.kind === 'call') {
    if (action.method !== 'POST') return undefined;
    return readPayload(request.body, contentType, 'function', tree?.columns);
  }
  if (action.mutation === 'delete') return undefined;
  const columns = action.mutation === 'put' ? undefined : tree?.columns;
  return readPayload(request.body, contentType, 'table', columns);
}

function shapeOf(action: CrudAction, profile: Profile, parts: Parts, context: Context): Shape {
  const { cache, settings } = context;
  const tree = parts.tree ?? readQuery(parts.query);
  const { preferences } = parts;
  const plan = planOf(action, profile.schema, tree, parts, context);
  const isWrite = plan.kind === 'write';
  const compiled = compile(plan, {
    count: isWrite ? undefined : preferences.count,
    maxRows: settings.maxRows,
    given: parts.given,
    setsResponse: cache.setsResponse || settings.preRequest !== undefined,
    resolution: preferences.resolution,
    headersOnly: preferences.return === 'headers-only',
  });
  const legacyNames: { name: string; alias: string }[] = [];
  eachLevel(plan.read, (level) => {
    if (level.legacyName && level.alias !== undefined)
      legacyNames.push({ name: level.name, alias: level.alias });
  });
  return {
    plan,
    compiled,
    preferences,
    hasOnConflict: tree.onConflict !== undefined,
    legacyNames,
    lane: context.shapes.laneOf(parts.key),
  };
}

function planOf(
  action: CrudAction,
  schema: string,
  tree: QueryTree,
  parts: Parts,
  context: Context,
): CrudPlan {
  const { cache, settings } = context;
  const options = {
    maxRows: settings.maxRows,
    aggregates: settings.aggregatesEnabled,
    legacyNames: settings.legacyTargetNames,
  };
  const accepts = readAccept(parts.accept);
  switch (action.kind) {
    case 'read': {
      const relation = findRelation(cache, { schema, name: action.name });
      const read = planRead(cache, relation, tree, 'read', options);
      const negotiated = negotiate(cache, relation, accepts, hasDefaultSelect(read), settings.planEnabled);
      rejectInvalidPreferences(parts.preferences);
      const handler = action.headersOnly ? ({ kind: 'none' } as const) : negotiated.handler;
      return {
        kind: 'read',
        read,
        target: relation,
        headersOnly: action.headersOnly,
        ...negotiated,
        handler,
      };
    }
    case 'write':
      return planWriteAction(
        action.mutation,
        findRelation(cache, { schema, name: action.name }),
        tree,
        parts,
        context,
      );
    case 'call':
      return planCallAction(action, schema, tree, parts, context);
  }
}

function planWriteAction(
  mutation: Mutation,
  relation: Relation,
  tree: QueryTree,
  parts: Parts,
  { cache, settings }: Context,
): CrudPlan {
  const { preferences, payload } = parts;
  const read = planRead(cache, relation, tree, 'write', {
    maxRows: undefined,
    aggregates: settings.aggregatesEnabled,
    legacyNames: settings.legacyTargetNames,
  });
  const write = planWrite(cache, relation, { mutation, query: tree, payload, preferences }, read);
  rejectInvalidPreferences(preferences);
  const negotiated = negotiate(
    cache,
    relation,
    readAccept(parts.accept),
    hasDefaultSelect(read),
    settings.planEnabled,
  );
  if (settings.safeUpdate) rejectUnfiltered(write.mutation, write.where.length, write.body.columns.length);
  const handler = preferences.return === 'representation' ? negotiated.handler : ({ kind: 'none' } as const);
  return { kind: 'write', read, write, target: relation, ...negotiated, handler };
}

/** Rejects writes without a filter, as the extension pg-safeupdate does, before the statement is sent. */
function rejectUnfiltered(mutation: Mutation, conditions: number, columns: number): void {
  if (conditions > 0) return;
  if (mutation === 'delete') throw unfiltered('DELETE');
  if (mutation === 'update' && columns > 0) throw unfiltered('UPDATE');
}

const unfiltered = (command: 'UPDATE' | 'DELETE') => restError('21000', { texts: { command } });

function planCallAction(
  action: Extract<CrudAction, { kind: 'call' }>,
  schema: string,
  tree: QueryTree,
  parts: Parts,
  { cache, settings }: Context,
): CrudPlan {
  const { preferences, payload, contentType } = parts;
  const isPost = action.method === 'POST';
  const given = isPost
    ? (payload?.keys ?? [])
    : [...new Set(parts.query.callArguments.map(([name]) => name))].sort();
  const routine = findRoutine(cache, { schema, name: action.name, given, contentType, isPost });
  // If a function returns a relation's row type, the request can embed the relation's related tables in the result.
  const relation: QualifiedName = {
    schema: routine.schema,
    name: routine.returnsComposite ? routine.returns.name : routine.name,
  };
  const read = planRead(cache, relation, tree, 'call', {
    maxRows: settings.maxRows,
    aggregates: settings.aggregatesEnabled,
    legacyNames: settings.legacyTargetNames,
  });
  const source =
    !isPost || contentType.kind === 'form'
      ? 'parameters'
      : contentType.kind === 'json' || contentType.kind === 'csv'
        ? 'json'
        : 'raw';
  const call = planCall(routine, given, source, payload?.isObject ?? true, read);
  const negotiated = negotiate(
    cache,
    relation,
    readAccept(parts.accept),
    hasDefaultSelect(read),
    settings.planEnabled,
  );
  rejectInvalidPreferences(preferences);
  if (preferences.maxAffected !== undefined && preferences.handling === 'strict' && !routine.returnsSet) {
    throw restError('PGRST128');
  }
  const headersOnly = action.method === 'HEAD';
  const handler = headersOnly ? ({ kind: 'none' } as const) : negotiated.handler;
  const readOnly = !isPost || routine.volatility !== 'volatile';
  return { kind: 'call', read, call, target: relation, headersOnly, readOnly, ...negotiated, handler };
}

export function findRelation(cache: SchemaCache, name: QualifiedName): Relation {
  const relation = cache.relations.get(keyOf(name.schema, name.name));
  if (relation === undefined) throw tableNotFound(cache, name.schema, name.name);
  return relation;
}

function rejectInvalidPreferences({ handling, invalid }: Preferences): void {
  if (handling !== 'strict' || invalid.length === 0) return;
  throw restError('PGRST122', { details: `Invalid preferences: ${invalid.join(', ')}` });
}

/**
 * Caches shapes by key. The shape that was added first is evicted first. The cache is recreated when the schema cache
 * or the configuration changes.
 */
export class ShapeCache {
  readonly #shapes = new Map<string, Shape>();
  readonly #queries = new Set<string>();
  readonly repeats = new Repeats<Prepared>();
  readonly #lanes: ReadonlyMap<string, LaneMemory>;
  /** The speed of the queries for the OpenAPI document. */
  readonly rootLane: LaneMemory;

  /** Creates a cache that keeps the speeds measured for the shapes in `previous`. */
  constructor(previous?: ShapeCache) {
    const shapes = previous === undefined ? [] : [...previous.#shapes];
    this.rootLane = previous?.rootLane ?? new LaneMemory();
    this.#lanes = new Map(shapes.map(([key, { lane }]) => [key, lane]));
  }

  laneOf(key: string): LaneMemory {
    return this.#lanes.get(key) ?? new LaneMemory();
  }

  get(key: string): Shape | undefined {
    return this.#shapes.get(key);
  }

  set(key: string, shape: Shape): void {
    if (key.length > MAX_KEY_LENGTH) return;
    if (this.#shapes.size >= MAX_SHAPES) forgetOldest(this.#shapes);
    this.#shapes.set(key, shape);
  }

  /** Whether a query string of this shape has been parsed successfully before. */
  hasQuery(key: string): boolean {
    return this.#queries.has(key);
  }

  rememberQuery(key: string): void {
    if (key.length > MAX_KEY_LENGTH) return;
    if (this.#queries.size >= MAX_SHAPES) forgetOldest(this.#queries);
    this.#queries.add(key);
  }
}

const MAX_SHAPES = 1000;
/**
 * The maximum length of a cached key. Longer keys usually belong to one-time queries with long condition lists, so
 * caching them would only use memory.
 */
const MAX_KEY_LENGTH = 8192;

function forgetOldest(of: { keys(): Iterator<string>; delete(key: string): boolean }): void {
  const oldest = of.keys().next();
  if (!oldest.done) of.delete(oldest.value);
}
