/**
 * Provides the schema of each role for requests over HTTP. A schema is loaded by the first request of a role and reused
 * until PostgreSQL notifies of a change. Some changes, such as a role's memberships, cause no notification, so a schema
 * in use is also loaded again from time to time, without a delay for requests.
 */
import type { Logger } from '../../base/kernel/log.ts';
import type { Pool } from '../../platform/database/types.ts';
import { Lru } from './lru.ts';
import { selectRoleCatalog } from './queries.ts';
import type { SchemaStore, StoredSchema } from './schema-store.ts';

/** The maximum number of roles and search paths. */
const MAX_ROLES = 100;
/** The age after which a schema is loaded again. */
const MAX_AGE_MS = 10_000;

export interface RoleSchema extends StoredSchema {
  /** The version of the installed extension. Null if the extension isn't installed. */
  readonly version: string | null;
  readonly isOwn: boolean;
  readonly mayCall: boolean;
}

interface Entry {
  readonly loaded: Promise<RoleSchema>;
  /** The result of `loaded`, so that requests don't have to wait for a microtask. */
  schema: RoleSchema | undefined;
  loadedAt: number;
  isReloading: boolean;
}

export class RoleSchemas {
  readonly #entries = new Lru<Entry>(MAX_ROLES);
  readonly #pool: Pool;
  readonly #store: SchemaStore;
  readonly #log: Logger;

  constructor(pool: Pool, store: SchemaStore, log: Logger) {
    this.#pool = pool;
    this.#store = store;
    this.#log = log;
  }

  /** Returns the schema of a role. @throws {PostgresErrorShape} if the role doesn't exist or the database is unreachable */
  of(role: string, searchPath: readonly string[]): RoleSchema | Promise<RoleSchema> {
    const key = JSON.stringify([role, searchPath]);
    const entry = this.#entries.get(key);
    if (entry === undefined) return this.#load(key, role, searchPath);
    if (entry.schema === undefined) return entry.loaded;
    if (!entry.isReloading && performance.now() - entry.loadedAt > MAX_AGE_MS) {
      entry.isReloading = true;
      this.#reload(entry, role, searchPath).catch((error: unknown) => {
        this.#log.debug({ error, role }, 'failed to reload a GraphQL schema');
        // The next request loads the schema and reports the error.
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      });
    }
    return entry.schema;
  }

  /** Makes the next request of each role load its schema. */
  invalidate(): void {
    this.#entries.clear();
  }

  #load(key: string, role: string, searchPath: readonly string[]): Promise<RoleSchema> {
    const loaded = this.#select(role, searchPath);
    const entry: Entry = { loaded, schema: undefined, loadedAt: performance.now(), isReloading: false };
    this.#entries.set(key, entry);
    loaded.then(
      (schema) => {
        entry.schema = schema;
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    return loaded;
  }

  async #reload(entry: Entry, role: string, searchPath: readonly string[]): Promise<void> {
    const startedAt = performance.now();
    entry.schema = await this.#select(role, searchPath);
    entry.loadedAt = startedAt;
    entry.isReloading = false;
  }

  async #select(role: string, searchPath: readonly string[]): Promise<RoleSchema> {
    const { catalog, ...facts } = await selectRoleCatalog(this.#pool, role, searchPath);
    return { ...this.#store.of(catalog), ...facts };
  }
}
