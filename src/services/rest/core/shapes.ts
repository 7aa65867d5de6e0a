/**
 * Reuses the work of earlier requests. Requests that differ only in their values have the same shape, which is planned
 * and compiled once. A read that is repeated exactly, such as the list on a page, isn't parsed or bound again either. The
 * query and the headers of repeated changes and calls, which differ only in their bodies, aren't parsed again.
 */
import type { SchemaCache } from '../schema-cache/types.ts';
import type { RestSettings } from '../settings.ts';
import { type Bindings, type BoundParam, bindParam } from './compile/params.ts';
import { type Compiled, compile, type Statement } from './compile/statement.ts';
import { LaneMemory } from './lane.ts';
import type { Preferences } from './parse/preferences.ts';
import { canonicalQuery, encodeText, type ScannedQuery } from './parse/query.ts';
import type { RowRange } from './parse/range.ts';
import { type Comparison, comparisonsOf } from './plan/comparisons.ts';
import { eachLevel } from './plan/tree.ts';
import type { CrudPlan } from './plan/types.ts';
import {
  type CrudHead,
  type CrudRequest,
  header,
  type Profile,
  type RestRequest,
  readsBody,
} from './request.ts';
import { SpecializedStatements } from './specialized.ts';

/** The parts that all requests of the same shape share. */
export interface Shape {
  readonly plan: CrudPlan;
  readonly compiled: Compiled;
  readonly preferences: Preferences;
  /** The relation names by which the request referred to embeds that have an alias. */
  readonly legacyNames: readonly { readonly name: string; readonly alias: string }[];
  readonly lane: LaneMemory;
  /** The statements that contain values of many requests. Undefined if the shape always uses the same statement. */
  readonly specialized: SpecializedStatements | undefined;
}

/** A request that can be executed. */
export interface Prepared {
  readonly shape: Shape;
  readonly bindings: Bindings;
  /** The main statement. */
  readonly statement: Statement;
  /** Whether an identical request has the same statement, as long as the version of `specialized` is the same. */
  readonly isFinal: boolean;
  readonly version: number;
  /** The parameters of the main statement. */
  readonly params: readonly BoundParam[];
  /** The canonical path and query of a read, encoded for the Content-Location header. */
  readonly location: string | undefined;
  readonly range: RowRange;
  readonly profile: Profile;
}

/**
 * Resolves to the slots whose values must be constants so that PostgreSQL can reuse a plan. Resolves to undefined if the
 * best plan depends on other values as well.
 */
export type ConstantSlots = (comparisons: readonly Comparison[]) => Promise<ReadonlySet<number> | undefined>;

interface ShapeContext {
  readonly cache: SchemaCache;
  readonly settings: RestSettings;
  readonly shapes: ShapeCache;
  /** Undefined if the login role can't read statistics. */
  readonly constantSlots?: ConstantSlots | undefined;
}

/** Compiles the plan of the first request of a shape. */
export function compileShape(
  plan: CrudPlan,
  { key, givenRanges, preferences }: CrudRequest,
  { cache, settings, shapes, constantSlots }: ShapeContext,
): Shape {
  const compiled = compile(plan, {
    count: plan.kind === 'write' ? undefined : preferences.count,
    maxRows: settings.maxRows,
    given: new Set(givenRanges),
    setsResponse: cache.setsResponse || settings.preRequest !== undefined,
    isDistributed: cache.isDistributed,
    resolution: preferences.resolution,
    headersOnly: preferences.return === 'headers-only',
  });
  const legacyNames: { name: string; alias: string }[] = [];
  eachLevel(plan.read, (level) => {
    if (level.legacyName && level.alias !== undefined)
      legacyNames.push({ name: level.name, alias: level.alias });
  });
  const specialized =
    plan.kind === 'read'
      ? specializedOf(comparisonsOf(plan.read, cache.relations), compiled, givenRanges, constantSlots)
      : undefined;
  return { plan, compiled, preferences, legacyNames, lane: shapes.laneOf(key), specialized };
}

const NO_SLOTS: ReadonlySet<number> = new Set();

function specializedOf(
  comparisons: readonly Comparison[] | undefined,
  { specialize }: Compiled,
  rangeKeys: readonly string[],
  constantSlots: ConstantSlots | undefined,
): SpecializedStatements | undefined {
  if (comparisons === undefined || rangeKeys.length + comparisons.length === 0) return undefined;
  if (comparisons.length > 0 && constantSlots === undefined) return undefined;
  return new SpecializedStatements({
    compile: specialize,
    rangeKeys,
    constantSlots: async () => (comparisons.length === 0 ? NO_SLOTS : constantSlots?.(comparisons)),
  });
}

/** Binds the values of a request to the statement of its shape. */
export function bind(shape: Shape, { query, ranges, payload, range, profile }: CrudRequest): Prepared {
  const callArguments = payload?.form ?? query.callArguments;
  const bindings = { values: query.values, ranges, body: payload?.body, callArguments };
  const { plan, compiled, specialized } = shape;
  const choice = specialized?.choose(bindings);
  const statement = choice?.statement ?? compiled.main;
  return {
    shape,
    bindings,
    statement,
    isFinal: choice?.isFinal ?? true,
    version: specialized?.version ?? 0,
    params: statement.params.map((param) => bindParam(param, bindings)),
    location: plan.kind === 'read' ? contentLocation(plan.target.name, query) : undefined,
    range,
    profile,
  };
}

/**
 * The maximum length of the Content-Location header. Encoding can triple the length of a query, and clients reject
 * responses whose headers exceed 16 KiB. The header is optional, so it is omitted if it would be too long.
 */
const MAX_LOCATION_BYTES = 8 * 1024;

/** Returns the value of Content-Location, or undefined if it would be too long. */
function contentLocation(name: string, query: ScannedQuery): string | undefined {
  const canonical = canonicalQuery(query);
  const location = `/${encodeText(name)}${canonical === '' ? '' : `?${canonical}`}`;
  return location.length > MAX_LOCATION_BYTES ? undefined : location;
}

/** The maximum number of cached shapes. */
const MAX_SHAPES = 1000;
/**
 * The maximum length of a shape's key. Longer keys usually belong to one-time queries with long condition lists, so
 * caching them would only use memory.
 */
const MAX_SHAPE_KEY_LENGTH = 8192;
/** The maximum number of cached reads, and of cached heads. */
const MAX_REPEATS = 500;
/** The maximum number of stored keys for requests that have arrived only once. */
const MAX_SEEN = 500;
/** The maximum length of a request's key in characters. Longer requests are usually not repeated. */
const MAX_REPEAT_KEY_LENGTH = 2048;

/**
 * Caches shapes and repeated reads. The oldest entry is evicted first. The cache is recreated when the schema cache or
 * the configuration changes.
 */
export class ShapeCache {
  readonly #shapes = new Map<string, Shape>();
  readonly #repeats = new Map<string, Prepared>();
  readonly #heads = new Map<string, CrudHead>();
  /** The keys of requests that have arrived once. Most are never repeated, so only their keys are stored at first. */
  readonly #seen = new Set<string>();
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
    if (key.length > MAX_SHAPE_KEY_LENGTH) return;
    if (this.#shapes.size >= MAX_SHAPES) forgetOldest(this.#shapes);
    this.#shapes.set(key, shape);
  }

  /** Returns a request without a body that is identical to an earlier one, by its {@link repeatKey}. */
  repeat(key: string): Prepared | undefined {
    const found = this.#repeats.get(key);
    if (found !== undefined && found.version !== (found.shape.specialized?.version ?? 0)) {
      this.#repeats.delete(key);
      return undefined;
    }
    return found;
  }

  /** Returns the head of a request that differs from an earlier one only in its body, by its {@link repeatKey}. */
  head(key: string): CrudHead | undefined {
    return this.#heads.get(key);
  }

  /**
   * Stores a request if its key has been passed to this method before and its statement is final. If the request uses its
   * body, only its head is stored.
   */
  offerRepeat(key: string, head: CrudHead, prepared: Prepared): void {
    if (!prepared.isFinal || this.#heads.has(key)) return;
    if (!this.#seen.delete(key)) {
      if (this.#seen.size >= MAX_SEEN) this.#seen.clear();
      this.#seen.add(key);
      return;
    }
    if (readsBody(head.action)) keep(this.#heads, key, head);
    else keep(this.#repeats, key, prepared);
  }
}

function keep<T>(repeats: Map<string, T>, key: string, value: T): void {
  if (repeats.size >= MAX_REPEATS) forgetOldest(repeats);
  repeats.set(key, value);
}

function forgetOldest(of: Map<string, unknown>): void {
  const oldest = of.keys().next();
  if (!oldest.done) of.delete(oldest.value);
}

/** The names of the request headers that affect a statement. */
const DECIDING = ['accept', 'accept-profile', 'content-profile', 'content-type', 'prefer', 'range'];

/**
 * Returns the key of a request, which contains all parts of the request, except its body, that determine the statement
 * and its values. The caller isn't part of the key, because the statement is the same for all callers and the database
 * applies their permissions. Returns undefined if the request isn't cached. The key is unambiguous because a method and a
 * URL can't contain line feeds or NUL, and a header can't contain NUL.
 */
export function repeatKey(request: RestRequest): string | undefined {
  const { method, path, query, headers } = request;
  let key = `${method} ${path}?${query}`;
  for (const name of DECIDING) {
    if (headers[name] !== undefined) key += `\n${name}\0${header(request, name)}`;
  }
  return key.length > MAX_REPEAT_KEY_LENGTH ? undefined : key;
}
