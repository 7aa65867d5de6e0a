/**
 * Runs a REST server for an existing PostgreSQL. Manages the configuration, the database connections, the schema cache,
 * the public server and the admin server. No other service is loaded.
 */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../base/kernel/clock.ts';
import { spaciousDisk } from '../../base/kernel/disk.ts';
import { ConnectionError, openRemote, PostgresError, type Remote } from '../../platform/database/index.ts';
import { createVerifier } from '../../platform/keys/index.ts';
import {
  BodyBudget,
  COMPATIBLE_VERSION,
  createState,
  type Extent,
  handle,
  ResponseStorage,
  type RestRequest,
  type RestResponse,
  type RestSettings,
  restError,
  type SchemaCache,
  type Snapshot,
  type State,
  selectRoleSettings,
} from '../../services/rest/index.ts';
import { createAdminServer, createMetrics, type Metrics, metricsText } from './admin.ts';
import { type CatalogWatch, createCatalogWatch } from './catalog-watch.ts';
import { readServerConfig, type ServerConfig, ServerConfigError } from './config.ts';
import { createHttpServer, type RequestFacts } from './http.ts';
import { isListening, listen } from './listen.ts';
import { createServerLog, errorJson, type ServerLog } from './log.ts';
import { schemaCacheText } from './printed.ts';
import { selectOne, selectServerSettings, selectVersion } from './queries.ts';

export interface RestServerOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The path to the configuration file. */
  readonly path: string | undefined;
  readonly readFile: (path: string) => Buffer;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Called if the process can't continue. The reason has already been logged. */
  readonly onFatal: () => void;
}

const OLDEST_VERSION = 150_000;
/** The delays before reconnection attempts, as in upstream. The delays double, up to 32 s. */
const RETRY_MS = [1000, 2000, 4000, 8000, 16_000, 32_000];
const GRACE_MS = 10_000;

const GIB = 1024 ** 3;
/** The default limits in the complete product (`plinth.toml`, `[rest]`). */
const RESPONSE_LIMITS = { responseBytes: 2 * GIB, totalBytes: 8 * GIB };
const REQUEST_BODIES_BYTES = GIB / 2;

/** Creates a server from its configuration. @throws {ServerConfigError} */
export function createRestServer(options: RestServerOptions): RestServer {
  return new RestServer(options);
}

export class RestServer {
  readonly #options: RestServerOptions;
  readonly #log: ServerLog;
  readonly #responsesDir = join(tmpdir(), `plinth-rest-${randomUUID()}`);
  readonly #responseStorage = new ResponseStorage(this.#responsesDir, () => RESPONSE_LIMITS);
  readonly #metrics: Metrics = createMetrics();
  readonly #remote: Remote;
  readonly #state: State;
  readonly #watch: CatalogWatch;
  readonly #public: Server;
  #admin: Server | undefined;
  #config: ServerConfig;
  #verifier: ReturnType<typeof createVerifier> | undefined;
  /** The PostgreSQL channel on which the server listens, or will listen after it connects to the database. */
  #channel: string | undefined;
  #snapshot: Snapshot | undefined;
  #version = '';
  #stopping: Promise<void> | undefined;
  #fatal = false;

  constructor(options: RestServerOptions) {
    this.#options = options;
    this.#config = readServerConfig({ ...options, database: new Map() });
    this.#log = createServerLog(() => this.#config.logLevel, options.out, options.err);
    const { pool } = this.#config;
    this.#remote = openRemote({
      ...pool,
      connectOptions: () => ({
        ...this.#config.connection,
        namedStatements: this.#config.preparedStatements,
        // Loading the schema replaces the connections, so this applies to all requests.
        passesSettingsOn: this.#snapshot?.cache.isDistributed === true,
      }),
      onListenError: (error) => this.#listenFailed(error),
    });
    this.#takeKeys();
    this.#state = createState({
      pool: this.#remote.catalogs,
      listen: (channel, onNotify, onReconnect, onLost) =>
        this.#remote.listen(
          channel,
          onNotify,
          () => {
            this.#watch.stop();
            onReconnect?.();
          },
          onLost,
        ),
      readSettings: (_pool, extent) => this.#readSettings(extent),
      readRoles: () => (this.#config.readsDatabase ? selectRoleSettings : undefined),
      onLoaded: (snapshot, extent, durationMs) => this.#loaded(snapshot, extent, durationMs),
      onFailed: (error, retryMs) => this.#loadFailed(error, retryMs),
      onNotified: (extent) => {
        const what = extent === 'all' ? 'schema cache' : 'config';
        this.#log.say(`Received a ${what} reload message on the "${this.#config.channel}" channel`);
      },
      retryMs: RETRY_MS,
    });
    this.#watch = createCatalogWatch(this.#remote.catalogs, () => {
      this.#log.say('The schema has changed');
      void this.#state.reload('all');
    });
    this.#public = createHttpServer({
      config: () => this.#config,
      log: this.#log,
      bodies: new BodyBudget(() => REQUEST_BODIES_BYTES),
      handle: (request, facts) => this.#respond(request, facts),
    });
  }

  get config(): ServerConfig {
    return this.#config;
  }

  /** Starts listening after the first attempt to load the schema cache, even if the attempt fails. */
  async start(): Promise<void> {
    this.#log.say(`Starting PostgREST ${COMPATIBLE_VERSION} (plinth rest)...`);
    for (const warning of this.#config.warnings) this.#log.say(`WARNING: ${warning}`);
    this.#warnOfOldClaimPath();
    const { admin, server } = this.#config;
    if (admin !== undefined) {
      this.#admin = createAdminServer({
        isLive: () => isListening(this.#public),
        isReady: () => this.#isReady(),
        metrics: () => metricsText(this.#metrics, this.#remote.load(), this.#config.pool.connections),
        schemaCache: () => (this.#snapshot === undefined ? '' : schemaCacheText(this.#snapshot.cache)),
      });
      this.#log.say(`Admin server listening on ${await listen(this.#admin, admin)}`);
    }
    this.#listenOnChannel();
    await this.#state.reload('all');
    if (this.#fatal || this.#stopping !== undefined) return;
    this.#log.say(`API server listening on ${await listen(this.#public, server)}`);
  }

  /**
   * Reads the configuration, including the settings in the database, for `--dump-config`.
   * @throws {ServerConfigError}
   */
  async readWholeConfig(): Promise<ServerConfig> {
    const database = await this.#databaseSettings().catch((error: unknown) => {
      this.#log.say(`Failed to query database settings for the config parameters. ${errorJson(error)}`);
      return new Map<string, string>();
    });
    this.#config = readServerConfig({ ...this.#options, database });
    return this.#config;
  }

  /** Loads the schema cache and returns it. Throws if the schema cache can't be loaded. */
  async loadSchemaCache(): Promise<SchemaCache> {
    await this.#state.reload('all');
    const { cache } = await this.#state.snapshot();
    return cache;
  }

  /** Reloads the configuration or the schema. Called if the process receives SIGUSR1 or SIGUSR2. */
  reload(extent: Extent): void {
    void this.#state.reload(extent);
  }

  /** Stops accepting connections, finishes requests in progress, then closes everything. */
  stop(signal?: string): Promise<void> {
    if (signal !== undefined && this.#stopping === undefined) {
      this.#log.say(`Received termination unix signal ${signal}`);
    }
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  async #stopAll(): Promise<void> {
    const servers = [this.#public, ...(this.#admin === undefined ? [] : [this.#admin])];
    // Otherwise, a connection whose last response is sent during shutdown would stay open.
    const sweep = setInterval(() => this.#public.closeIdleConnections(), 20).unref();
    const cut = setTimeout(() => this.#public.closeAllConnections(), GRACE_MS).unref();
    this.#admin?.closeIdleConnections();
    this.#watch.stop();
    await Promise.all(servers.map(closed));
    clearInterval(sweep);
    clearTimeout(cut);
    // Both objects must be stopped concurrently, because each completes work for which the other waits.
    await Promise.all([this.#state.stop(), this.#remote.stop()]);
    await rm(this.#responsesDir, { recursive: true, force: true });
  }

  #respond(request: RestRequest, facts: RequestFacts): Promise<RestResponse> {
    const { requestPath } = this.#remote;
    const { statements } = facts;
    return handle(request, {
      requestPath:
        statements === undefined
          ? requestPath
          : {
              stop: requestPath.stop,
              loads: requestPath.loads,
              answeredAt: () => requestPath.answeredAt(),
              execute: (requested) => {
                const all = [...(requested.before ?? []), requested.statement, ...(requested.after ?? [])];
                for (const { text } of all) statements.push(text);
                return requestPath.execute(requested);
              },
            },
      verify: (token) => {
        if (this.#verifier === undefined) throw restError('PGRST300');
        return this.#verifier.verify(token);
      },
      // Responses contain PostgREST's messages without the hints that Plinth adds.
      responseStorage: this.#responseStorage,
      disk: spaciousDisk,
      advise: async (error) => error,
      clock: systemClock,
      log: this.#log.logger,
      snapshot: () => this.#state.snapshot(),
      onIdentity: ({ role }) => {
        facts.role = role;
      },
      retryAfterSeconds: () => this.#state.retryAfterSeconds(),
    }).then((response) => {
      if (response.status === 504) this.#metrics.poolTimeouts++;
      return response;
    });
  }

  #takeKeys(): void {
    const { keySet, jwtCacheEntries } = this.#config;
    this.#verifier =
      keySet === undefined
        ? undefined
        : createVerifier(() => keySet, {
            entries: jwtCacheEntries,
            onLookup: (hit) => {
              this.#metrics.jwtCacheRequests++;
              if (hit) this.#metrics.jwtCacheHits++;
            },
            onEviction: () => {
              this.#metrics.jwtCacheEvictions++;
            },
          });
  }

  /**
   * Reads the settings before each load. Detects the server version and reads the configuration again, including the
   * database settings.
   */
  async #readSettings(extent: Extent): Promise<RestSettings> {
    const { number, text } = await selectVersion(this.#remote.catalogs);
    if (number < OLDEST_VERSION) this.#die(`PostgreSQL 15 or newer is required, but this is ${text}.`);
    if (text !== this.#version) this.#log.say(`Successfully connected to ${text}`);
    this.#version = text;
    // When only the schema is reloaded, PostgREST's binary rereads its configuration only if the configuration includes
    // database settings.
    if (extent === 'all' && !this.#config.readsDatabase) return this.#config.rest;
    const database = await this.#databaseSettings();
    try {
      const read = readServerConfig({ ...this.#options, database });
      // The connection pool and the connection settings are already in use, so they can't change.
      this.#config = { ...read, pool: this.#config.pool, connection: this.#config.connection };
      this.#takeKeys();
      this.#warnOfOldClaimPath();
      this.#listenOnChannel();
    } catch (error) {
      if (!(error instanceof ServerConfigError)) throw error;
      this.#log.say(`Failed reloading config: ${error.message}`);
    }
    return this.#config.rest;
  }

  /**
   * Reads the settings in the database. If PostgreSQL rejects the query, the server continues without these settings.
   */
  async #databaseSettings(): Promise<ReadonlyMap<string, string>> {
    const { readsDatabase, preConfig } = this.#config;
    if (!readsDatabase) return new Map();
    try {
      return await selectServerSettings(this.#remote.catalogs, preConfig);
    } catch (error) {
      if (error instanceof ConnectionError) throw error;
      this.#log.say(`Failed to query database settings for the config parameters. ${errorJson(error)}`);
      return new Map();
    }
  }

  #listenOnChannel(): void {
    const { channel } = this.#config;
    if (channel === this.#channel) return;
    this.#channel = channel;
    this.#state.listenOn(channel).then(
      () => {
        if (this.#watch.isRunning) {
          this.#watch.stop();
          // The schema may have changed since the last comparison.
          void this.#state.reload('all');
        }
        if (channel !== undefined)
          this.#log.say(`Listening for database notifications on the "${channel}" channel`);
      },
      // The retries continue until the server is stopped.
      () => {},
    );
  }

  #loaded(snapshot: Snapshot, extent: Extent, durationMs: number): void {
    this.#snapshot = snapshot;
    if (extent === 'config' || this.#config.readsDatabase) this.#log.say('Config reloaded');
    if (extent === 'config') return;
    // Sessions are replaced because existing sessions would continue to use old role settings and query plans.
    this.#remote.renew();
    this.#metrics.schemaCacheLoads = {
      ...this.#metrics.schemaCacheLoads,
      SUCCESS: this.#metrics.schemaCacheLoads.SUCCESS + 1,
    };
    this.#metrics.schemaCacheQuerySeconds = durationMs / 1000;
    const { relations, relationships, routines, representations, mediaHandlers } = snapshot.cache;
    const counts = [
      `${relations.size} Relations`,
      `${[...relationships.values()].flat().length} Relationships`,
      `${[...routines.values()].flat().length} Functions`,
      `${representations.size} Domain Representations`,
      `${mediaHandlers.size} Media Type Handlers`,
    ];
    this.#log.say(`Schema cache loaded ${counts.join(', ')} in ${durationMs.toFixed(1)} milliseconds`);
  }

  #loadFailed(error: unknown, retryMs: number): void {
    if (this.#stopping !== undefined) return;
    const { schemas, extraSearchPath } = this.#config.rest;
    this.#metrics.schemaCacheLoads = {
      ...this.#metrics.schemaCacheLoads,
      FAIL: this.#metrics.schemaCacheLoads.FAIL + 1,
    };
    this.#log.say(
      `Failed to load the schema cache using db-schemas=${schemas.join(',')} and db-extra-search-path=${extraSearchPath.join(',')}. ${errorJson(error)}`,
    );
    if (isRejectedLogin(error)) {
      this.#die('PostgreSQL rejected this login. Correct the user and password in db-uri.');
    } else if (!this.#config.pool.recovers) {
      this.#die('Automatic recovery disabled, exiting.');
    } else this.#log.say(`Attempting to reconnect to the database in ${retryMs / 1000} seconds...`);
  }

  #listenFailed(error: unknown): void {
    if (this.#stopping !== undefined) return;
    if (isStandby(error)) {
      if (!this.#watch.isRunning)
        this.#log.say(
          'The server is a standby, which has no notifications. Changes of the schema are detected by polling',
        );
      this.#watch.start();
      return;
    }
    this.#log.say(
      `Failed listening for database notifications on the "${this.#config.channel}" channel. ${errorJson(error)}`,
    );
    if (!this.#config.pool.recovers) this.#die('Automatic recovery disabled, exiting.');
  }

  #die(sentence: string): void {
    if (this.#fatal) return;
    this.#fatal = true;
    this.#log.say(sentence);
    this.#options.onFatal();
  }

  #warnOfOldClaimPath(): void {
    const { text, isDeprecated } = this.#config.rest.roleClaim;
    if (!isDeprecated) return;
    this.#log.say(
      `WARNING: The config \`jwt-role-claim-key=${text}\` is using the deprecated JSPath syntax. Write it as a JSONPath, such as $.app_metadata.role.`,
    );
  }

  async #isReady(): Promise<boolean> {
    if (!this.#state.isCurrent()) return false;
    return await selectOne(this.#remote.catalogs).then(
      () => true,
      () => false,
    );
  }
}

/** Whether PostgreSQL rejected the password, or a required password isn't configured (both have SQLSTATE 28P01). */
const isRejectedLogin = (error: unknown): boolean => error instanceof PostgresError && error.code === '28P01';

/** Whether LISTEN failed because the server is a standby (read_only_sql_transaction). */
const isStandby = (error: unknown): boolean => error instanceof PostgresError && error.code === '25006';

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    if (!server.listening) return resolve();
    server.close(() => resolve());
    server.closeIdleConnections();
  });
