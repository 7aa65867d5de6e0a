/**
 * Provides settings, roles and the schema cache as one immutable snapshot. A notification from PostgreSQL reloads the
 * snapshot. Several notifications in quick succession cause a single reload. The previous snapshot is used until the
 * new one is loaded. Requests wait only for the first snapshot.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '../../base/kernel/log.ts';
import type { Database, Pool, Setting } from '../../platform/database/types.ts';
import { ShapeCache } from './core/shapes.ts';
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

/** The sources of a snapshot's data, and callbacks for reloads. */
export interface StateSource {
  /** The pool for catalog and settings queries. */
  readonly pool: Pool;
  readonly listen: Database['listen'];
  /** Reads the settings. Called at each load. */
  readonly readSettings: (pool: Pool, extent: Extent) => Promise<RestSettings>;
  /** Returns the function that reads the role settings. Returns undefined if role settings aren't applied. */
  readonly readRoles: () => ((pool: Pool) => Promise<RoleSettingRow[]>) | undefined;
  readonly onLoaded: (snapshot: Snapshot, extent: Extent, durationMs: number) => void;
  /** Called when a load fails. `retryMs` is the delay before the next attempt. */
  readonly onFailed: (error: unknown, retryMs: number) => void;
  readonly onNotified?: (extent: Extent) => void;
  /** The delays before repeating a failed load. The last delay is used for all later attempts. */
  readonly retryMs: readonly number[];
}

/**
 * Specifies what is reloaded. With `config`, only the settings and the roles are reloaded, but not the schema cache.
 */
export type Extent = 'all' | 'config';

export interface State {
  /** Starts loading the first snapshot. */
  start(): void;
  /** Sets the channel whose notifications cause reloads. If the channel is undefined, stops listening. */
  listenOn(channel: string | undefined): Promise<void>;
  reload(extent: Extent): Promise<void>;
  /** Resolves when no load is running. */
  settled(): Promise<void>;
  stop(): Promise<void>;
  /**
   * Returns the current snapshot. Throws PGRST002 if the first load failed. A failed load is retried in the background.
   */
  snapshot(): Snapshot | Promise<Snapshot>;
  /** Returns the reason why requests can't be served, or undefined if requests can be served. */
  fault(): string | undefined;
  /** Whether the last load has succeeded and no other load is running. */
  isCurrent(): boolean;
  /** Returns the number of seconds until the next attempt to load the snapshot, which is at least 1. */
  retryAfterSeconds(): number;
}

const RETRY_MS = [100, 500, 1000, 2000, 5000];

/**
 * Returns the full backend's data source, which combines the project's settings with the login role's `pgrst.*`
 * settings. The login role's settings take precedence.
 */
export function projectSource(database: Database, base: () => RestSettings, log: Logger): StateSource {
  return {
    pool: database.pool('authenticator'),
    listen: database.listen,
    readSettings: async (pool) => withDatabaseSettings(base(), await selectDatabaseSettings(pool)),
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
  /** A reload that was requested while a load was running. */
  let pending: Extent | undefined;
  let listening: { readonly channel: string; readonly unlisten: Promise<() => Promise<void>> } | undefined;
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
    async settled() {
      while (loading !== undefined) await loading;
    },
    async listenOn(channel) {
      if (channel === listening?.channel) return;
      const before = listening;
      listening = undefined;
      await before?.unlisten.then((unlisten) => unlisten()).catch(() => {});
      if (channel === undefined || stopped) return;
      const unlisten = source.listen(
        channel,
        (payload) => {
          if (payload === '' || payload === 'reload schema') notified('all');
          else if (payload === 'reload config') notified('config');
        },
        // The reload runs after the connection was reestablished. Notifications may have been missed while the
        // connection was lost, so everything is reloaded.
        () => void reload('all'),
        // The reload runs after the connection was lost. The reload checks whether the database is reachable, and the
        // service isn't ready until the reload succeeds.
        () => void reload('all'),
      );
      listening = { channel, unlisten };
      await unlisten;
    },
    async stop() {
      stopped = true;
      clearTimeout(retry);
      await listening?.unlisten.then((unlisten) => unlisten()).catch(() => {});
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
      return failure === undefined ? undefined : 'failed to query the database for the schema cache';
    },
    isCurrent: () => current !== undefined && failure === undefined && loading === undefined,
    retryAfterSeconds: () => Math.max(1, Math.round(delayAfter(failures - 1) / 1000)),
  };
}

/**
 * Loads a snapshot. Parts that haven't changed are the same objects as before, so shapes that were planned with them
 * remain valid.
 */
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
