/**
 * Settings, roles and schema cache as one immutable snapshot, reloaded on NOTIFY. Bursts are merged, and the old
 * snapshot serves until the new one is there; requests wait for the first one only.
 */
import type { Database, Setting } from '../database/types.ts';
import type { Logger } from '../kernel/log.ts';
import { ShapeCache } from './core/prepare.ts';
import { restError } from './errors.ts';
import { selectDatabaseSettings, selectRoleSettings } from './queries.ts';
import { readIsolation } from './schema-cache/build.ts';
import { loadSchemaCache } from './schema-cache/load.ts';
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

export interface State {
  /** Begins the first load and listens. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Throws PGRST002 when the first load failed; it is tried again meanwhile. */
  snapshot(): Snapshot | Promise<Snapshot>;
  /** Undefined when requests can be served. */
  fault(): string | undefined;
}

const CHANNEL = 'pgrst';
const RETRY_MS = [100, 500, 1000, 2000, 5000];

export function createState(database: Database, base: RestSettings, log: Logger): State {
  let current: Snapshot | undefined;
  let failure: unknown;
  let loading: Promise<void> | undefined;
  /** What was asked for while a load was under way. */
  let pending: Extent | undefined;
  let unlisten: (() => Promise<void>) | undefined;
  let retry: NodeJS.Timeout | undefined;
  let failures = 0;
  let stopped = false;

  function reload(extent: Extent): Promise<void> {
    if (loading !== undefined) {
      pending = pending === 'all' ? 'all' : extent;
      return loading;
    }
    clearTimeout(retry);
    loading = load(database, base, extent === 'config' ? current?.cache : undefined)
      .then(
        (snapshot) => {
          current = snapshot;
          failure = undefined;
          failures = 0;
          log.debug(summary(snapshot), 'schema cache loaded');
        },
        (error: unknown) => {
          failure = error;
          log.warn({ error }, 'schema cache could not be loaded');
          if (!stopped)
            retry = setTimeout(() => void reload('all'), RETRY_MS[Math.min(failures++, 4)]).unref();
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

  return {
    async start() {
      void reload('all');
      unlisten = await database.listen(
        CHANNEL,
        (payload) => {
          if (payload === '' || payload === 'reload schema') void reload('all');
          else if (payload === 'reload config') void reload('config');
        },
        // What happened while nobody listened is unknown.
        () => void reload('all'),
      );
    },
    async stop() {
      stopped = true;
      clearTimeout(retry);
      await unlisten?.();
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
      return current === undefined ? 'the schema cache is not loaded' : undefined;
    },
  };
}

type Extent = 'all' | 'config';

/** With `cache`, only settings and roles are read anew. */
async function load(
  database: Database,
  base: RestSettings,
  cache: SchemaCache | undefined,
): Promise<Snapshot> {
  const pool = database.pool('authenticator');
  const [settingRows, roleRows] = await Promise.all([selectDatabaseSettings(pool), selectRoleSettings(pool)]);
  const settings = withDatabaseSettings(base, settingRows);
  const roles = new Map<string, { settings: Setting[]; isolation: IsolationLevel | undefined }>();
  for (const { role, name, value } of roleRows) {
    const facts = roles.get(role) ?? { settings: [], isolation: undefined };
    if (name === 'default_transaction_isolation') facts.isolation = readIsolation(value);
    else facts.settings.push([name, value]);
    roles.set(role, facts);
  }
  const loaded = cache ?? (await loadSchemaCache(pool, settings));
  return { settings, cache: loaded, roles, shapes: new ShapeCache() };
}

const summary = ({ cache }: Snapshot) => ({
  relations: cache.relations.size,
  relationships: cache.relationships.size,
  routines: cache.routines.size,
});
