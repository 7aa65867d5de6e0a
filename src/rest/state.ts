/**
 * Settings, roles and schema cache as one immutable snapshot, reloaded on NOTIFY. Bursts are merged, and the old
 * snapshot serves until the new one is there; requests wait for the first one only.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Database, Pool, Setting } from '../database/types.ts';
import type { Logger } from '../kernel/log.ts';
import { ShapeCache } from './core/prepare.ts';
import { restError } from './errors.ts';
import { type RoleSettingRow, selectDatabaseSettings, selectRoleSettings } from './queries.ts';
import { readIsolation } from './schema-cache/build.ts';
import { SchemaCacheLoader } from './schema-cache/load.ts';
import type { IsolationLevel, SchemaCache } from './schema-cache/types.ts';
import { type RestSettings, withDatabaseSettings } from './settings.ts';

export interface RoleFacts {
  readonly settings: readonly Setting[];
  readonly isolation: IsolationLevel | undefined;
}

export interface Snapshot {
  readonly settings: RestSettings;
  readonly cache: SchemaCache;
  readonly roles: ReadonlyMap<string, RoleFacts>;
  readonly shapes: ShapeCache;
}

/** Where a state gets its facts from, and who is told of them. */
export interface StateSource {
  /** For catalogs and settings. */
  readonly pool: Pool;
  readonly listen: Database['listen'];
  /** Asked at each load. */
  readonly readSettings: (pool: Pool, extent: Extent) => Promise<RestSettings>;
  /** Undefined: settings of roles are not applied. */
  readonly readRoles: () => ((pool: Pool) => Promise<RoleSettingRow[]>) | undefined;
  readonly onLoaded: (snapshot: Snapshot, extent: Extent, durationMs: number) => void;
  /** `retryMs`: when it is tried again. */
  readonly onFailed: (error: unknown, retryMs: number) => void;
  readonly onNotified?: (extent: Extent) => void;
  /** Between failed loads; the last one counts from then on. */
  readonly retryMs: readonly number[];
}

/** `config`: settings and roles only. */
export type Extent = 'all' | 'config';

export interface State {
  /** Begins the first load. */
  start(): void;
  /** Reloads on notifications of the channel from now on, of no other; undefined for none. */
  listenOn(channel: string | undefined): Promise<void>;
  reload(extent: Extent): Promise<void>;
  stop(): Promise<void>;
  /** Throws PGRST002 when the first load failed; it is tried again meanwhile. */
  snapshot(): Snapshot | Promise<Snapshot>;
  /** Undefined when requests can be served. */
  fault(): string | undefined;
  /** The last load has succeeded and none is under way. */
  isCurrent(): boolean;
  /** Seconds until the next attempt, at least 1. */
  retryAfterSeconds(): number;
}

const RETRY_MS = [100, 500, 1000, 2000, 5000];

/** The whole product's: settings of the project, `pgrst.*` of the login role over them. */
export function projectSource(database: Database, base: RestSettings, log: Logger): StateSource {
  return {
    pool: database.pool('authenticator'),
    listen: database.listen,
    readSettings: async (pool) => withDatabaseSettings(base, await selectDatabaseSettings(pool)),
    readRoles: () => selectRoleSettings,
    onLoaded: (snapshot) => log.debug(summary(snapshot), 'schema cache loaded'),
    onFailed: (error) => log.warn({ error }, 'schema cache could not be loaded'),
    retryMs: RETRY_MS,
  };
}

export function createState(source: StateSource): State {
  const { retryMs } = source;
  const loader = new SchemaCacheLoader();
  let current: Snapshot | undefined;
  let failure: unknown;
  let loading: Promise<void> | undefined;
  /** What was asked for while a load was under way. */
  let pending: Extent | undefined;
  let heard: { readonly channel: string; readonly unlisten: Promise<() => Promise<void>> } | undefined;
  let retry: NodeJS.Timeout | undefined;
  let failures = 0;
  let stopped = false;

  function reload(extent: Extent): Promise<void> {
    if (loading !== undefined) {
      pending = pending === 'all' ? 'all' : extent;
      return loading;
    }
    clearTimeout(retry);
    const since = performance.now();
    loading = load(source, loader, extent, current)
      .then(
        (snapshot) => {
          current = snapshot;
          failure = undefined;
          failures = 0;
          source.onLoaded(snapshot, extent, performance.now() - since);
        },
        (error: unknown) => {
          failure = error;
          const delayMs = delayAfter(failures++);
          source.onFailed(error, delayMs);
          if (!stopped) retry = setTimeout(() => void reload('all'), delayMs).unref();
        },
      )
      .finally(() => {
        loading = undefined;
        const next = pending;
        pending = undefined;
        if (next !== undefined && !stopped) void reload(next);
      });
    return loading;
  }

  const delayAfter = (failed: number): number => retryMs[Math.min(failed, retryMs.length - 1)] ?? 1000;
  const notified = (extent: Extent): void => {
    source.onNotified?.(extent);
    void reload(extent);
  };

  return {
    start: () => void reload('all'),
    reload,
    async listenOn(channel) {
      if (channel === heard?.channel) return;
      const before = heard;
      heard = undefined;
      await before?.unlisten.then((unlisten) => unlisten()).catch(() => {});
      if (channel === undefined || stopped) return;
      const unlisten = source.listen(
        channel,
        (payload) => {
          if (payload === '' || payload === 'reload schema') notified('all');
          else if (payload === 'reload config') notified('config');
        },
        // What happened while nobody listened is unknown.
        () => void reload('all'),
        // Whether the database is still there shows by asking it; until it answers we are not ready.
        () => void reload('all'),
      );
      heard = { channel, unlisten };
      await unlisten;
    },
    async stop() {
      stopped = true;
      clearTimeout(retry);
      await heard?.unlisten.then((unlisten) => unlisten()).catch(() => {});
      await loading;
    },
    snapshot() {
      if (current !== undefined) return current;
      if (loading === undefined) throw restError('PGRST002', { cause: failure });
      return loading.then(() => {
        if (current === undefined) throw restError('PGRST002', { cause: failure });
        return current;
      });
    },
    fault() {
      if (current === undefined) return 'the schema cache is not loaded';
      return failure === undefined ? undefined : 'the database could not be asked for the schema cache';
    },
    isCurrent: () => current !== undefined && failure === undefined && loading === undefined,
    retryAfterSeconds: () => Math.max(1, Math.round(delayAfter(failures - 1) / 1000)),
  };
}

/** What stays as it is stays the same object, and shapes planned from it stay good. */
async function load(
  source: StateSource,
  loader: SchemaCacheLoader,
  extent: Extent,
  current: Snapshot | undefined,
): Promise<Snapshot> {
  const { pool } = source;
  const [settings, roleRows] = await Promise.all([
    source.readSettings(pool, extent),
    source.readRoles()?.(pool) ?? [],
  ]);
  const roles = new Map<string, { settings: Setting[]; isolation: IsolationLevel | undefined }>();
  for (const { role, name, value } of roleRows) {
    const facts = roles.get(role) ?? { settings: [], isolation: undefined };
    if (name === 'default_transaction_isolation') facts.isolation = readIsolation(value);
    else facts.settings.push([name, value]);
    roles.set(role, facts);
  }
  const known = extent === 'config' ? current?.cache : undefined;
  const cache = known ?? (await loader.load(pool, settings));
  const isSame = cache === current?.cache && isDeepStrictEqual(settings, current.settings);
  return { settings, cache, roles, shapes: isSame ? current.shapes : new ShapeCache(current?.shapes) };
}

const summary = ({ cache }: Snapshot) => ({
  relations: cache.relations.size,
  relationships: cache.relationships.size,
  routines: cache.routines.size,
});
