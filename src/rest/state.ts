/**
 * Settings, roles and schema cache as one immutable snapshot, which NOTIFY reloads. Bursts are merged, and the previous
 * snapshot is used until the new one is loaded. Requests only wait for the first snapshot.
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

/** The source of the snapshot's data and the callbacks for its reloads. */
export interface StateSource {
  /** The pool for catalog and settings queries. */
  readonly pool: Pool;
  readonly listen: Database['listen'];
  /** Called at each load. */
  readonly readSettings: (pool: Pool, extent: Extent) => Promise<RestSettings>;
  /** Returns undefined if role settings aren't applied. */
  readonly readRoles: () => ((pool: Pool) => Promise<RoleSettingRow[]>) | undefined;
  readonly onLoaded: (snapshot: Snapshot, extent: Extent, durationMs: number) => void;
  /** `retryMs`: the delay before the next attempt. */
  readonly onFailed: (error: unknown, retryMs: number) => void;
  readonly onNotified?: (extent: Extent) => void;
  /** Delays between failed loads. The last one repeats. */
  readonly retryMs: readonly number[];
}

/** `config`: only settings and roles. */
export type Extent = 'all' | 'config';

export interface State {
  /** Starts the first load. */
  start(): void;
  /** Reloads on notifications of this channel only. Undefined stops listening. */
  listenOn(channel: string | undefined): Promise<void>;
  reload(extent: Extent): Promise<void>;
  stop(): Promise<void>;
  /** Throws PGRST002 if the first load failed. The load is retried in the background. */
  snapshot(): Snapshot | Promise<Snapshot>;
  /** Returns undefined if requests can be served. */
  fault(): string | undefined;
  /** Whether the last load succeeded and no load is running. */
  isCurrent(): boolean;
  /** Seconds until the next attempt, at least 1. */
  retryAfterSeconds(): number;
}

const RETRY_MS = [100, 500, 1000, 2000, 5000];

/** The source for the full backend: project settings, overridden by the login role's `pgrst.*` settings. */
export function projectSource(database: Database, base: RestSettings, log: Logger): StateSource {
  return {
    pool: database.pool('authenticator'),
    listen: database.listen,
    readSettings: async (pool) => withDatabaseSettings(base, await selectDatabaseSettings(pool)),
    readRoles: () => selectRoleSettings,
    onLoaded: (snapshot) => log.debug(summary(snapshot), 'schema cache loaded'),
    onFailed: (error) => log.warn({ error }, 'failed to load the schema cache'),
    retryMs: RETRY_MS,
  };
}

export function createState(source: StateSource): State {
  const { retryMs } = source;
  const loader = new SchemaCacheLoader();
  let current: Snapshot | undefined;
  let failure: unknown;
  let loading: Promise<void> | undefined;
  /** The extent requested while a load was running. */
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
        // Changes that happened while the connection was down are unknown.
        () => void reload('all'),
        // A reload tests whether the database is reachable. The service isn't ready until it succeeds.
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

/** Unchanged parts are the same objects, so shapes planned from them remain valid. */
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
