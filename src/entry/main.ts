/**
 * The composition root, which creates the configuration, keys, database, services and gateways in this order.
 * `backend/` contains the parts of the composition root.
 *
 * @example
 * const backend = await createBackend({ projectDir: process.cwd() });
 * await backend.start();
 * console.log(backend.url, backend.keys.publishableKey);
 * await backend.stop();
 */
import { join, resolve } from 'node:path';
import { type Logger, silentLogger } from '../base/kernel/log.ts';
import { thisMachine } from '../base/shared/machine.ts';
import {
  type Config,
  createLiveConfig,
  type LiveConfig,
  loadConfig,
  settingsFiles,
  shellEnvironment,
} from '../platform/config/index.ts';
import { createDatabase } from '../platform/database/index.ts';
import type { Database } from '../platform/database/types.ts';
import { createKeys } from '../platform/keys/index.ts';
import {
  createTelemetry,
  createTraceExporter,
  renderMetrics,
  type TraceExporter,
} from '../platform/telemetry/index.ts';
import { consoleHostOf, createAddresses, httpUrl, loopbackOf } from '../server/backend/addresses.ts';
import type { ApiWorkers, ApiWorkersInput } from '../server/backend/api-workers.ts';
import { type Configuration, createConfiguration } from '../server/backend/configuration.ts';
import { poolLimits, requestPathLimits } from '../server/backend/connection-limits.ts';
import { configOfCopy, copyMessage, isCopy } from '../server/backend/copy.ts';
import { closeDataFolder, rejectUnfinishedRestore } from '../server/backend/data-folder.ts';
import { databaseSettings } from '../server/backend/database-settings.ts';
import { rejectExposure } from '../server/backend/exposure.ts';
import { createGateways } from '../server/backend/gateways.ts';
import { checksOf, essentialChecks, watchDisk } from '../server/backend/health.ts';
import { createLifecycle } from '../server/backend/lifecycle.ts';
import { createMetrics } from '../server/backend/metric-sources.ts';
import { loadModules, type Modules, migrationSets } from '../server/backend/modules.ts';
import { preparedCluster } from '../server/backend/prepared-cluster.ts';
import { createRecentMetrics } from '../server/backend/recent-metrics.ts';
import { createReload } from '../server/backend/reload.ts';
import { createServerTls } from '../server/backend/server-tls.ts';
import { createConsole, createServices, enabledServices, type Hosting } from '../server/backend/services.ts';
import { createSpareCopy } from '../server/backend/spare-copy.ts';
import { statusFields } from '../server/backend/status.ts';
import type { Backend, BackendOptions, BackendParts } from '../server/backend/types.ts';
import type { Gateway } from '../server/gateway/index.ts';

export type { CreatedToken, ManagementCallName, TokenRow } from '../pages/console/index.ts';
export { type ConfigSource, settingName } from '../server/backend/configuration.ts';
export { migrateServices, prepareDatabase } from '../server/backend/prepare-database.ts';
export { prepareCluster, preparedCluster } from '../server/backend/prepared-cluster.ts';
export type { Reload } from '../server/backend/reload.ts';
export type { Backend, BackendOptions, ConsoleOrigin } from '../server/backend/types.ts';
export type { FunctionLogLine, InspectMode, ServeSession } from '../services/functions/index.ts';

/**
 * Creates a backend and starts its database. No port is open until {@link Backend.start} is called.
 * @throws {ConfigError} with all errors in the configuration
 * @throws {DatabaseError} with a message that describes how to fix the problem
 */
export async function createBackend(options: BackendOptions = {}): Promise<Backend> {
  const settings = readOptions(options);
  const { config, keys, mode } = settings;
  for (const host of [config.plinth.server.host, consoleHostOf(config)])
    rejectExposure(host, mode, keys.wellKnown);

  let modules: Promise<Modules> | undefined;
  const load = (): Promise<Modules> => {
    modules ??= loadModules();
    return modules;
  };
  const whileStarting = (): void => {
    load().catch(() => undefined);
  };
  const database = options.database ?? (await openDatabase(settings, load, whileStarting));
  try {
    return await compose({ ...settings, database }, await load());
  } catch (error) {
    await database.stop();
    throw error;
  }
}

/** Runs an API worker of the server that started this process. The process exits when the server stops it. */
export async function runApiWorker(): Promise<never> {
  const worker = await import('../server/backend/api-worker.ts');
  return await worker.runApiWorker();
}

type Settings = Omit<BackendParts, 'database'>;

function readOptions(options: BackendOptions): Settings {
  const projectDir = resolve(options.projectDir ?? process.cwd());
  const supabaseDir = join(projectDir, 'supabase');
  const dataDir = resolve(options.dataDir ?? join(projectDir, '.plinth'));
  const mode = options.mode ?? 'development';
  rejectUnfinishedRestore(dataDir);
  closeDataFolder(dataDir);
  const onProgress = options.onProgress ?? (() => undefined);
  const isRestored = isCopy(dataDir);
  const given = options.config ?? loadConfig({ projectDir }).config;
  const config = isRestored ? configOfCopy(given) : given;
  if (isRestored) onProgress(copyMessage);
  const ownLog = options.log ?? silentLogger;
  const live = createLiveConfig(config);
  const configSource =
    options.configSource ??
    (options.config === undefined
      ? { load: () => loadConfig({ projectDir }), files: settingsFiles({ projectDir }) }
      : undefined);
  const traceExporter = exporterOf(live, ownLog);
  const telemetry = createTelemetry({ log: ownLog, dir: options.logDir, traces: traceExporter });
  const { log } = telemetry;
  const keys = createKeys({ mode, config, supabaseDir, dataDir, log });
  return {
    ...options,
    projectDir,
    supabaseDir,
    dataDir,
    isCopy: isRestored,
    mode,
    telemetry,
    traceExporter,
    log,
    onProgress,
    config,
    configSource,
    live,
    keys,
    spareCopy: createSpareCopy({
      dataDir,
      prepared: () => preparedCluster(onProgress),
      isWanted: mode === 'development',
      log,
    }),
  };
}

function exporterOf(live: LiveConfig, log: Logger): TraceExporter | undefined {
  const { plinth, project_id }: Config = live.current;
  const { otlp_endpoint: endpoint, otlp_headers: headers } = plinth.telemetry;
  if (endpoint === undefined) return undefined;
  return createTraceExporter({
    endpoint,
    headers,
    sampling: () => live.current.plinth.telemetry.sampling / 100,
    resource: { namespace: project_id },
    log: log.child({ service: 'telemetry' }),
  });
}

function openDatabase(
  settings: Settings,
  load: () => Promise<Modules>,
  whileStarting: () => void,
): Promise<Database> {
  const { config, keys, mode, dataDir, dbPort, databaseUrl, log, onProgress } = settings;
  return createDatabase({
    dataDir,
    port: dbPort ?? config.db.port,
    databaseUrl,
    environment: shellEnvironment(),
    durable: settings.durable,
    ...databaseSettings(config, keys, { mode, workers: settings.workers?.count, machine: thisMachine() }),
    password: keys.databasePassword,
    sharedPassword: config.plinth.database.shared_password,
    replication: config.plinth.database.replication,
    requestPath: requestPathLimits(config.plinth.rest, thisMachine()),
    pools: poolLimits(config.plinth.database, thisMachine()),
    knownMigrations: async () => migrationSets(await load()),
    log,
    onProgress,
    whileStarting,
    prepared: settings.spareCopy.prepared,
  });
}

/** Returns a function that creates a backend with an empty database, for comparisons with the project's migrations. */
const scratchOf =
  ({ projectDir, live }: BackendParts): Hosting['openScratch'] =>
  (dataDir) =>
    createBackend({
      projectDir,
      dataDir,
      config: live.current,
      ...{ port: 0, dbPort: 0, mailPort: 0, consolePort: 0 },
      durable: false,
    });

async function compose(parts: BackendParts, modules: Modules): Promise<Backend> {
  const { config, live, keys, database, log, mode, projectDir, onProgress } = parts;
  const addresses = createAddresses(parts);
  const health = (): Record<string, string | undefined> =>
    Object.fromEntries(services.map((service) => [service.name, service.health?.()]));
  const disk = watchDisk(parts);
  const tls = createServerTls(parts, modules, addresses);
  await tls?.load();
  if (parts.onConfig !== undefined) live.onChange(parts.onConfig);
  const apply = createReload(live, tls);
  const allowed = (next: Config): Config => (parts.isCopy ? configOfCopy(next) : next);
  const reload = (next: Config) => apply(allowed(next));
  const configuration = configurationOf(parts, reload, allowed);
  const hosting: Hosting = {
    configuration,
    addresses,
    internalFetch: (path, init) => gateways.api.fetch(path, init),
    internalStream: (path, init) => gateways.api.stream(path, init),
    observe: (call, work) => gateways.api.observe(call, work),
    health,
    conditions: () => ({ disk: disk.health(), ...(tls === undefined ? {} : { tls: tls.health() }) }),
    disk,
    openScratch: scratchOf(parts),
  };
  const created = createServices(parts, modules, hosting);
  const consoleService = createConsole(parts, modules, hosting, created);
  const services = enabledServices(parts, created, consoleService);
  // REST requests wait until the schema is known, so the schema is read while the other services are created.
  if (database.info.existed === true) for (const service of services) service.warm?.();
  const { mail, functions, backups } = created;
  const apiWorkers = await openApiWorkers(parts, {
    services: services.filter((service) => service !== consoleService),
    gateway: () => gateways.api,
    addresses,
    certificates: tls?.certificates,
    probeAfterMs: modules.gateway.probeAfterMs,
  });
  const readiness = modules.gateway.createReadiness(
    checksOf(parts, services, { disk, backups, tls, configuration, apiWorkers }),
    log.child({ service: 'health' }),
    essentialChecks,
  );
  const metrics = createMetrics(parts, {
    services,
    created,
    disk,
    tls,
    configuration,
    gateways: () => gateways,
    apiWorkers,
  });
  const gateways = createGateways(parts, modules, {
    services,
    consoleService,
    readiness,
    metricsText: async () => renderMetrics(await metrics.collect()),
    addresses,
    tls,
    apiWorkers,
  });
  const migrated = await database.migrate(migrationSets(modules));
  const project = modules.project.createProject({
    database,
    config,
    keys,
    projectDir,
    mode,
    log,
    onProgress,
  });
  const { apiUrl, consoleUrl } = addresses;
  const mailUrl = (port: number | undefined): string | undefined =>
    port === undefined ? undefined : httpUrl(loopbackOf(addresses.host), port);
  return {
    get url() {
      return apiUrl();
    },
    keys,
    get config() {
      return live.current;
    },
    database,
    ...createLifecycle(parts, {
      services,
      created,
      gateways,
      readiness,
      disk,
      metrics,
      recentMetrics: createRecentMetrics({
        dataDir: parts.dataDir,
        figures: { requests: parts.telemetry.recentMetrics, functions: functions.activity },
        now: Date.now,
        log,
      }),
      project,
      isMigrated: migrated > 0,
      drainMs: () => live.current.plinth.server.drain,
    }),
    reload,
    configuration,
    async restartWorkers() {
      if (apiWorkers === undefined)
        throw new Error(
          'The server has no API workers. Start it with "plinth serve --workers N", or use "plinth stop" and "plinth serve".',
        );
      await apiWorkers.restart();
    },
    fetch: (path, init) => fetchFrom(gateways.api, apiUrl(), path, init),
    routes: () => gateways.api.routes(),
    console: {
      get url() {
        return consoleUrl();
      },
      fetch: (path, init) => fetchFrom(gateways.console, consoleUrl(), path, init),
      routes: () => gateways.console?.routes() ?? [],
    },
    health,
    status: () =>
      statusFields({
        config: live.current,
        keys,
        apiUrl: apiUrl(),
        consoleUrl: gateways.console === undefined ? undefined : consoleUrl(),
        databaseUrl: database.info.url,
        mailUrl: mailUrl(mail.port()),
      }),
    consoleLink: (operator) => consoleService.issueLink(operator),
    operators: consoleService,
    manage: consoleService.manage,
    functions,
    backups,
  };
}

/** Starts the API workers. This module is loaded only if needed, so that a server without workers starts faster. */
async function openApiWorkers(parts: BackendParts, input: ApiWorkersInput): Promise<ApiWorkers | undefined> {
  if (parts.workers === undefined) return undefined;
  const { createApiWorkers } = await import('../server/backend/api-workers.ts');
  return createApiWorkers(parts, parts.workers, input);
}

function configurationOf(
  { configSource, live, log }: BackendParts,
  apply: Backend['reload'],
  allowed: (config: Config) => Config,
): Configuration | undefined {
  return (
    configSource &&
    createConfiguration({
      source: {
        files: configSource.files,
        load() {
          const loaded = configSource.load();
          return { ...loaded, config: allowed(loaded.config) };
        },
      },
      running: () => live.current,
      apply,
      now: Date.now,
      log: log.child({ service: 'reload' }),
    })
  );
}

/**
 * Sends a request to the backend. With HTTPS, the request doesn't use the network, because the certificate may be
 * self-signed or for a different name.
 */
async function fetchFrom(
  gateway: Gateway | undefined,
  origin: string,
  path: string,
  init?: RequestInit,
): Promise<Response> {
  return gateway !== undefined && origin.startsWith('https:')
    ? gateway.fetch(path, { ...init, headers: withHost(init?.headers, origin) })
    : fetch(new URL(path, origin), init);
}

function withHost(given: RequestInit['headers'], origin: string): Headers {
  const headers = new Headers(given);
  if (!headers.has('host')) headers.set('host', new URL(origin).host);
  return headers;
}
