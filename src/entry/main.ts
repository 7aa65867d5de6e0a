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
import { systemClock } from '../base/kernel/clock.ts';
import { thisMachine } from '../base/shared/machine.ts';
import type { ConsoleService } from '../pages/console/index.ts';
import type { Config } from '../platform/config/index.ts';
import type { NodeLimits } from '../platform/database/index.ts';
import { renderMetrics } from '../platform/telemetry/index.ts';
import { consoleHostOf, createAddresses, mailUrlOf, rejectExposure } from '../server/backend/addresses.ts';
import type { ApiWorkers, ApiWorkersInput } from '../server/backend/api-workers.ts';
import type { BranchesService } from '../server/backend/branches/branches.ts';
import { createLazyBranches } from '../server/backend/branches/lazy.ts';
import type { BranchesDeps } from '../server/backend/branches/types.ts';
import {
  type Configuration,
  createConfiguration,
  createReload,
  includeSettings,
} from '../server/backend/configuration.ts';
import { consoleProject, consoleSite } from '../server/backend/console.ts';
import { createGateways } from '../server/backend/gateways.ts';
import { checksOf, essentialChecks, healthOf, watchDisk } from '../server/backend/health.ts';
import { createServerTls } from '../server/backend/https.ts';
import { createLifecycle } from '../server/backend/lifecycle.ts';
import { createMetricSampler } from '../server/backend/metric-sampler.ts';
import { createMetrics } from '../server/backend/metric-sources.ts';
import { loadModules, type Modules, migrationSets } from '../server/backend/modules.ts';
import { createNodes, type Nodes } from '../server/backend/nodes.ts';
import { allowedConfig, type BackendParts, openState, readOptions } from '../server/backend/parts.ts';
import { createRecentMetrics } from '../server/backend/recent-metrics.ts';
import { createRollingRestart } from '../server/backend/rolling-restart.ts';
import { createServices, enabledServices, isEnabled } from '../server/backend/services.ts';
import { statusFields } from '../server/backend/status.ts';
import type { Backend, BackendOptions } from '../server/backend/types.ts';
import type { Gateway } from '../server/gateway/index.ts';

export {
  type AdmittedOperator,
  type BranchOperator,
  type CreatedToken,
  type ManagementCallName,
  ManagementError,
  type TokenRow,
} from '../pages/console/index.ts';
export type { BranchServer, StartBranchServer } from '../server/backend/branches/types.ts';
export type { Reload } from '../server/backend/configuration.ts';
export {
  type ConfigSource,
  configSourceOf,
  settingName,
} from '../server/backend/configuration.ts';
export {
  migrateServices,
  prepareCluster,
  prepareDatabase,
  preparedCluster,
} from '../server/backend/prepared-cluster.ts';
export type { Backend, BackendOptions, ConsoleOrigin, WorkersOption } from '../server/backend/types.ts';
export { unusedSettings } from '../server/backend/unused-settings.ts';
export type { FunctionLogLine, InspectMode, ServeSession } from '../services/functions/index.ts';

/**
 * Creates a backend and starts its database. No port is open until {@link Backend.start} is called.
 * @throws {ConfigError} with all errors in the configuration
 * @throws {DatabaseError} with a message that describes how to fix the problem
 */
export async function createBackend(options: BackendOptions = {}): Promise<Backend> {
  try {
    return await openBackend(options);
  } catch (error) {
    // Aborting the start makes waits fail in several ways.
    options.signal?.throwIfAborted();
    throw error;
  }
}

async function openBackend(options: BackendOptions): Promise<Backend> {
  const settings = readOptions(options);
  const { config, mode } = settings;
  let modules: Promise<Modules> | undefined;
  const load = (): Promise<Modules> => {
    modules ??= loadModules({ hasBackups: config.plinth.backup.to !== undefined });
    return modules;
  };
  const state = await openState(settings, load, ({ wellKnown }) => {
    for (const host of [config.plinth.server.host, consoleHostOf(config)])
      rejectExposure(host, mode, wellKnown);
  });
  const close = async (): Promise<void> => {
    await state.group.stop();
    await state.database.stop();
  };
  const { configSource } = settings;
  if (configSource !== undefined && includeSettings(state.group.replacedAtStart)) {
    // Another node has changed the settings while this node wasn't running. The database was opened with the old ones.
    await close();
    await settings.traceExporter?.stop();
    const next = configSource.load().config;
    options.onConfig?.(next);
    return await createBackend({ ...options, configSource, config: next });
  }
  try {
    options.signal?.throwIfAborted();
    return await compose({ ...settings, ...state }, await load());
  } catch (error) {
    await close();
    throw error;
  }
}

/** Runs an API worker of the server that started this process. The process exits when the server stops it. */
export async function runApiWorker(): Promise<never> {
  const worker = await import('../server/backend/api-worker.ts');
  return await worker.runApiWorker();
}

/** Compares schemas for the server that started this process. The process exits when the server stops it. */
export async function runSchemaComparer(): Promise<never> {
  const comparer = await import('../server/backend/schema-comparer.ts');
  return await comparer.runSchemaComparer();
}

/** Returns the limits of the connections to PostgreSQL that "plinth serve" uses with these settings. */
export async function nodeLimitsOf(config: Config): Promise<NodeLimits> {
  const { nodeLimits } = await import('../server/backend/share.ts');
  const { workers } = config.plinth.server;
  const machine = thisMachine();
  return nodeLimits(config, workers === 'auto' ? machine.cores : workers, machine);
}

/** Returns a function that creates a backend with an empty database, for comparisons with the project's migrations. */
const scratchOf =
  ({ projectDir, live }: BackendParts) =>
  (dataDir: string): Promise<Backend> =>
    createBackend({
      projectDir,
      dataDir,
      config: live.current,
      ...{ port: 0, dbPort: 0, mailPort: 0, consolePort: 0 },
      durable: false,
    });

/** Creates each part after the parts that it uses ([decision 99](../../docs/decisions/0099-one-bag.md)). */
async function compose(parts: BackendParts, modules: Modules): Promise<Backend> {
  const { options, config, live, keys, group, database, projectDir, mode, log, onProgress } = parts;
  const addresses = createAddresses(parts);
  const disk = watchDisk(parts);
  const tls = createServerTls(parts, modules, addresses);
  await tls?.load();
  if (options.onConfig !== undefined) live.onChange(options.onConfig);
  const allowed = (next: Config): Config => allowedConfig(next, parts);
  const apply = createReload(live, tls);
  const reload = (next: Config) => apply(allowed(next));
  const configuration = configurationOf(parts, reload, allowed);
  const gateways = createGateways(parts, modules, { addresses, tls });
  const created = createServices(parts, modules, { addresses, disk, observe: gateways.observe });
  const apiServices = enabledServices(parts, created);
  const nodes = createNodes(parts);
  const branches = openBranches(parts, () => consoleService.listOperators());
  const consoleService: ConsoleService = modules.console.createConsole({
    database,
    keys,
    group,
    view: nodes.view,
    config: live,
    telemetry: parts.telemetry,
    services: created,
    project: consoleProject(parts, modules, scratchOf(parts)),
    branches,
    api: { url: addresses.apiUrl, fetch: gateways.fetch, stream: gateways.stream },
    site: consoleSite(addresses),
    server: {
      health: () => healthOf(apiServices),
      nodes: nodes.list,
      conditions: () => ({ disk: disk.health(), ...(tls === undefined ? {} : { tls: tls.health() }) }),
      configuration,
      restart: restartOf(parts, nodes.view),
    },
    clock: systemClock,
    log: log.child({ service: 'console' }),
  });
  const hasConsole = isEnabled(parts, 'console', config.studio);
  const services = hasConsole ? [...apiServices, consoleService] : apiServices;
  // REST requests wait until the schema is known, so the schema is read while the other services are created.
  if (database.info.existed === true) for (const service of services) service.warm?.();
  const { mail, functions, backups } = created;
  group.onReplaced((names) => {
    // The log contains the errors.
    if (includeSettings(names)) void configuration?.reload().catch(() => undefined);
    keys.refresh();
    functions.reloadFiles(names);
  });
  const apiWorkers = await openApiWorkers(parts, {
    services: apiServices,
    gateways,
    addresses,
    certificates: tls?.certificates,
    probeAfterMs: modules.gateway.probeAfterMs,
  });
  const readiness = modules.gateway.createReadiness(
    checksOf(parts, services, { disk, backups, tls, configuration, apiWorkers }),
    log.child({ service: 'health' }),
    essentialChecks,
  );
  const metrics = createMetrics(parts, { services, created, disk, tls, configuration, gateways, apiWorkers });
  gateways.mount({
    apiServices,
    exchangeUserKey: apiServices.includes(created.auth) ? created.auth.exchangeUserKey : undefined,
    consoleService: hasConsole ? consoleService : undefined,
    readiness,
    metricsText: async () => renderMetrics(await metrics.collect()),
    apiWorkers,
  });
  nodes.report({ created, apiServices, loads: metrics.loads, readiness: readiness.report, configuration });
  const migrated = await database.migrate(migrationSets(modules));
  await created.jobs.answerQuestions();
  const { apiUrl, consoleUrl } = addresses;
  const lifecycle = createLifecycle(parts, {
    services,
    created,
    branches,
    gateways,
    readiness,
    ...{ disk, metrics, nodes },
    recentMetrics: createRecentMetrics({
      dataDir: parts.dataDir,
      figures: { requests: parts.telemetry.recentMetrics, functions: functions.activity },
      now: Date.now,
      log,
    }),
    metricSampler: createMetricSampler(parts, { metrics, created, apiServices, disk }),
    project: modules.project.createProject({
      ...{ database, config, keys, projectDir, mode, log, onProgress },
      signal: options.signal,
    }),
    isMigrated: migrated > 0,
    drainMs: () => live.current.plinth.server.drain,
  });
  return {
    get url() {
      return apiUrl();
    },
    keys,
    get config() {
      return live.current;
    },
    database,
    ports: addresses.listening,
    ...lifecycle,
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
    console: consoleOf(gateways, consoleUrl),
    health: () => healthOf(services),
    status: () =>
      statusFields({
        config: live.current,
        keys,
        apiUrl: apiUrl(),
        consoleUrl: gateways.console === undefined ? undefined : consoleUrl(),
        databaseUrl: databaseUrlOf(parts),
        mailUrl: mailUrlOf(addresses, mail.port()),
      }),
    nodes: nodes.list,
    ...operationsOf(consoleService),
    functions,
    backups,
  };
}

const operationsOf = (service: ConsoleService) => ({
  consoleLink: service.issueLink,
  operators: service,
  manage: service.manage,
  admit: service.admit,
  setOperators: service.setOperators,
  mcp: service.mcp,
});

/** Returns the URL of the database for clients. Those of a branch use the port that its project listens on. */
function databaseUrlOf({ database, branch }: BackendParts): string {
  // The URL of an external server isn't parsed, because it can have several hosts. A branch's server is embedded.
  if (branch === undefined) return database.info.url;
  const url = new URL(database.info.url);
  url.port = String(branch.databasePort);
  return url.href;
}

/** Returns the function with which the Console restarts all nodes. Undefined if this server can't restart itself. */
function restartOf({ options, group, log }: BackendParts, view: Nodes['view']): (() => void) | undefined {
  const { restart } = options;
  if (restart === undefined || !group.isShared) return restart;
  return createRollingRestart({ view, restart, log: log.child({ service: 'group' }) });
}

/** Returns the branches of this project. Undefined if this server can't have branches. */
function openBranches(
  parts: BackendParts,
  operators: BranchesDeps['operators'],
): BranchesService | undefined {
  const { database, dataDir, supabaseDir, projectDir, config, live, log, options, isCopy } = parts;
  const start = options.startBranchServer;
  if (start === undefined || isCopy) return undefined;
  const load = async (): Promise<BranchesService> => {
    const { createBranches } = await import('../server/backend/branches/branches.ts');
    return createBranches({
      source: {
        database,
        dataDir,
        supabaseDir,
        storesBodies: config.plinth.storage.backend === 'file',
        extensionFolders: config.plinth.database.extension_folders,
        reservedBytes: config.plinth.database.reserved_space,
      },
      projectDir,
      config: live,
      start,
      machine: thisMachine(),
      operators,
      now: Date.now,
      log: log.child({ service: 'branches' }),
    });
  };
  return createLazyBranches(load, dataDir);
}

const consoleOf = (
  gateways: { readonly console: Gateway | undefined },
  url: () => string,
): Backend['console'] => ({
  get url() {
    return url();
  },
  fetch: (path, init) => fetchFrom(gateways.console, url(), path, init),
  routes: async () => (await gateways.console?.routes()) ?? [],
});

/** Starts the API workers. This module is loaded only if needed, so that a server without workers starts faster. */
async function openApiWorkers(parts: BackendParts, input: ApiWorkersInput): Promise<ApiWorkers | undefined> {
  const { workers } = parts;
  if (workers === undefined) return undefined;
  const { createApiWorkers } = await import('../server/backend/api-workers.ts');
  return createApiWorkers(parts, workers, input);
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
        ...configSource,
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
