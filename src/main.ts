/**
 * The composition root. This is the only file that depends on all modules: config -> keys -> database -> services ->
 * gateway.
 *
 * @example
 * const backend = await createBackend({ projectDir: process.cwd() });
 * await backend.start();
 * console.log(backend.url, backend.keys.publishableKey);
 * await backend.stop();
 */
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Config, loadConfig, shellEnvironment } from './config/index.ts';
import type { ConsoleService } from './console/index.ts';
import { closeDataFolder } from './data-folder.ts';
import { createDatabase, type DatabaseOptions } from './database/index.ts';
import type { Database, MigrationSet, Setting } from './database/types.ts';
import { isLoopback, refuseExposure } from './exposure.ts';
import type { FunctionsService } from './functions/index.ts';
import type { Route } from './gateway/index.ts';
import { systemClock } from './kernel/clock.ts';
import { type Logger, silentLogger } from './kernel/log.ts';
import type { Service } from './kernel/service.ts';
import { createKeys, type KeyStore, type Keys, publicJwtSecrets } from './keys/index.ts';
import type { Outgoing } from './shared/outgoing.ts';
import { statusFields } from './status.ts';
import { createTelemetry, type Telemetry } from './telemetry/index.ts';

export interface BackendOptions {
  /** The folder that contains `supabase/`. Defaults to the working directory. */
  readonly projectDir?: string;
  /** A complete configuration that replaces the project's config.toml. */
  readonly config?: Config;
  /** Overrides config.toml. 0 selects a free port. */
  readonly port?: number;
  readonly dbPort?: number;
  readonly mailPort?: number;
  /** Defaults to a free port if {@link port} is 0. */
  readonly consolePort?: number;
  /** Defaults to `.plinth/` in the project folder. */
  readonly dataDir?: string;
  /** An external PostgreSQL (15 or newer) that replaces the embedded one. */
  readonly databaseUrl?: string;
  /** An open database. It is stopped together with the backend. */
  readonly database?: Database;
  readonly mode?: 'development' | 'production';
  /** The names of services that aren't started. */
  readonly exclude?: readonly string[];
  /** On the first start, project migrations newer than this version are skipped. */
  readonly upToVersion?: string;
  /** Whether failing statements of the project are skipped and listed on the first start. */
  readonly keepGoing?: boolean;
  readonly log?: Logger;
  /** Sends auth's requests to other servers (providers, captchas, SMS gateways). For tests. */
  readonly outgoing?: Outgoing;
  /** Called before anything that may take more than a second. */
  readonly onProgress?: (message: string) => void;
}

export type { FunctionLogLine, InspectMode, ServeSession } from './functions/index.ts';

export interface Backend {
  /** The public address, for example `http://127.0.0.1:54321`. The port is known once the backend has started. */
  readonly url: string;
  readonly keys: Keys;
  readonly config: Config;
  readonly database: Database;
  /**
   * Prepares the project (on the first start, migrations, seeds and buckets) and listens. If this fails, everything is
   * stopped.
   */
  start(): Promise<void>;
  /** Finishes requests in flight and stops everything. The data is kept. */
  stop(): Promise<void>;
  /** `fetch` with a path relative to {@link url}. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Returns every route of the port. Available once the backend has started. */
  routes(): readonly Route[];
  /** The Console, which has a separate origin. */
  readonly console: ConsoleOrigin;
  /** Returns the fields of `plinth status` by name. */
  status(): Record<string, string>;
  /** Returns each running service and its problem, or undefined if it is healthy. */
  health(): Record<string, string | undefined>;
  /** Creates a one-time sign-in link for a Console operator, by default the owner. */
  consoleLink(operator?: string): Promise<string>;
  /** The operators who can sign in to the Console. */
  readonly operators: Pick<ConsoleService, 'listOperators' | 'createOperator'>;
  /** The functions' output, and temporary options for serving them. */
  readonly functions: Pick<FunctionsService, 'list' | 'logs' | 'serve'>;
}

export interface ConsoleOrigin {
  /** For example `http://127.0.0.1:54323`. The port is known once the backend has started. */
  readonly url: string;
  /** `fetch` with a path relative to {@link url}. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /**
   * Returns every route of the Console's port. Available once the backend has started. Empty if there is no Console.
   */
  routes(): readonly Route[];
}

const webDir = fileURLToPath(new URL('../dist/web/', import.meta.url));
const shutdownGraceMs = 10_000;

/**
 * Creates a backend and starts its database. No port is open before {@link Backend.start}.
 * @throws {ConfigError} with all errors in the configuration
 * @throws {DatabaseError} with a remedy
 */
export async function createBackend(options: BackendOptions = {}): Promise<Backend> {
  const projectDir = resolve(options.projectDir ?? process.cwd());
  const supabaseDir = join(projectDir, 'supabase');
  const dataDir = resolve(options.dataDir ?? join(projectDir, '.plinth'));
  const mode = options.mode ?? 'development';
  closeDataFolder(dataDir);
  const telemetry = createTelemetry({
    log: options.log ?? silentLogger,
    dir: options.log === undefined ? undefined : join(dataDir, 'logs'),
  });
  const { log } = telemetry;
  const onProgress = options.onProgress ?? (() => undefined);
  const config = options.config ?? loadConfig({ projectDir }).config;
  const keys = createKeys({ mode, config, supabaseDir, dataDir, log });
  for (const host of [config.plinth.server.host, consoleHostOf(config)])
    refuseExposure(host, mode, keys.wellKnown);

  // Loading the modules blocks this thread for a while, so it takes place while PostgreSQL starts.
  let modules: ReturnType<typeof loadModules> | undefined;
  const whileStarting = (): void => {
    modules ??= loadModules();
    modules.catch(() => undefined);
  };
  const database =
    options.database ??
    (await createDatabase({
      dataDir,
      port: options.dbPort ?? config.db.port,
      databaseUrl: options.databaseUrl,
      dbSettings: definedOf(config.db.settings),
      ...databaseSettings(config, keys, mode),
      password: keys.databasePassword,
      sharedPassword: config.plinth.database.shared_password,
      replication: config.plinth.database.replication,
      requestPathConnections: config.plinth.rest.connections,
      log,
      onProgress,
      whileStarting,
    }));
  try {
    const parts = await compose(
      {
        ...options,
        projectDir,
        supabaseDir,
        dataDir,
        mode,
        log,
        telemetry,
        onProgress,
        config,
        keys,
        database,
      },
      await (modules ?? loadModules()),
    );
    return parts;
  } catch (error) {
    await database.stop();
    throw error;
  }
}

/** Every role can read database settings, so a secret is only included if it is public anyway or on request. */
function databaseSettings(
  config: Config,
  keys: KeyStore,
  mode: 'development' | 'production',
): Pick<DatabaseOptions, 'databaseSettings' | 'withheldSettings'> {
  const isKnown = mode === 'development' && keys.wellKnown.includes('auth.jwt_secret');
  const secret: Setting = ['app.settings.jwt_secret', keys.jwtSecret];
  const settings: Setting[] = [['app.settings.jwt_exp', String(config.auth.jwt_expiry)]];
  if (isKnown || config.plinth.database.jwt_secret_setting)
    return { databaseSettings: [...settings, secret] };
  const withheld = [keys.jwtSecret, ...publicJwtSecrets].map((value): Setting => [secret[0], value]);
  return { databaseSettings: settings, withheldSettings: withheld };
}

async function loadModules() {
  const [auth, rest, realtime, storage, functions, mail, jobs, account, consoleModule, gateway, project] =
    await Promise.all([
      import('./auth/index.ts'),
      import('./rest/index.ts'),
      import('./realtime/index.ts'),
      import('./storage/index.ts'),
      import('./functions/index.ts'),
      import('./mail/index.ts'),
      import('./jobs/index.ts'),
      import('./account/index.ts'),
      import('./console/index.ts'),
      import('./gateway/index.ts'),
      import('./project/index.ts'),
    ]);
  return {
    auth,
    rest,
    realtime,
    storage,
    functions,
    mail,
    jobs,
    account,
    console: consoleModule,
    gateway,
    project,
  };
}

type Modules = Awaited<ReturnType<typeof loadModules>>;

/** The services' tables in creation order. */
const migrationSets = (modules: Modules): MigrationSet[] =>
  [
    modules.auth,
    modules.storage,
    modules.realtime,
    modules.mail,
    modules.account,
    modules.console,
    modules.project,
  ].map(({ migrations }) => migrations);

/**
 * Performs every change that startup makes to a database before requests are served. Used for templates of test
 * databases.
 */
export async function prepareDatabase(database: Database, config: Config, projectDir: string): Promise<void> {
  const modules = await loadModules();
  await database.migrate(migrationSets(modules));
  const keys = createKeys({
    mode: 'development',
    config,
    supabaseDir: join(projectDir, 'supabase'),
    dataDir: projectDir,
  });
  const project = modules.project.createProject({
    database,
    config,
    keys,
    projectDir,
    mode: 'development',
    log: silentLogger,
    onProgress: () => undefined,
  });
  await project.prepareDatabase();
}

interface Parts extends BackendOptions {
  readonly projectDir: string;
  readonly supabaseDir: string;
  readonly dataDir: string;
  readonly mode: 'development' | 'production';
  readonly log: Logger;
  readonly telemetry: Telemetry;
  readonly onProgress: (message: string) => void;
  readonly config: Config;
  readonly keys: KeyStore;
  readonly database: Database;
}

/** Addresses and internal requests. The ports are only known once the gateways listen. */
interface Hosting {
  readonly host: string;
  readonly apiUrl: () => string;
  readonly consoleUrl: () => string;
  readonly ownAddress: { readonly publicUrl: URL | undefined };
  /** The address of the API on this machine. Resolves once the gateway listens. */
  readonly localUrl: Promise<string>;
  readonly internalFetch: (path: string, init?: RequestInit) => Promise<Response>;
  readonly internalStream: (path: string, init?: RequestInit) => Promise<Response>;
  readonly health: () => Record<string, string | undefined>;
}

function createServices(parts: Parts, modules: Modules, hosting: Hosting) {
  const { config, keys, database, mode, projectDir, supabaseDir, dataDir, log } = parts;
  const { host, apiUrl, localUrl, internalFetch } = hosting;
  const logOf = (service: string): Logger => log.child({ service });
  const clock = systemClock;
  const mail = modules.mail.createMail({
    database,
    config,
    // The server doesn't require a password, so it must only be reachable from the developer's own machine.
    host: loopbackOf(host),
    port: parts.mailPort ?? (mode === 'development' ? config.local_smtp.port : undefined),
    log: logOf('mail'),
  });
  const auth = modules.auth.createAuth({
    database,
    keys,
    config,
    mailer: mail.mailer,
    projectDir,
    apiUrl,
    mode,
    hasAccountPages: !parts.exclude?.includes('account'),
    clock,
    ...(parts.outgoing === undefined ? {} : { outgoing: parts.outgoing }),
    log: logOf('auth'),
  });
  const rest = modules.rest.createRest({
    database,
    keys,
    config,
    dataDir,
    log: logOf('rest'),
    permissionHints: mode === 'development' ? 'full' : 'short',
  });
  const realtime = modules.realtime.createRealtime({ database, keys, config, log: logOf('realtime') });
  const storage = modules.storage.createStorage({
    database,
    keys,
    config,
    dataDir,
    mode,
    log: logOf('storage'),
  });
  const functions = modules.functions.createFunctions({
    database,
    keys,
    config,
    shell: shellEnvironment(),
    supabaseDir,
    dataDir,
    apiUrl,
    isDevelopment: mode === 'development',
    log: logOf('functions'),
  });
  const jobs = modules.jobs.createJobs({
    database,
    config,
    mode,
    apiUrl,
    localUrl,
    log: logOf('jobs'),
  });
  const account = modules.account.createAccount({
    database,
    keys,
    config,
    isAllowedRedirect: auth.isAllowedRedirect,
    issueCode: auth.issueCode,
    transferGuest: auth.transferGuest,
    isVettedClient: auth.isVettedClient,
    releaseAuthorization: auth.releaseAuthorization,
    customProviders: auth.customProviders,
    apiUrl,
    internalFetch,
    webDir,
    clock,
    log: logOf('account'),
  });
  return { mail, auth, rest, realtime, storage, functions, jobs, account };
}

type Services = ReturnType<typeof createServices>;

function createOperators(parts: Parts, modules: Modules, hosting: Hosting, services: Services) {
  const { config, keys, database, projectDir, supabaseDir, dataDir, telemetry, log } = parts;
  const { mail, auth, rest, realtime, functions } = services;
  const { apiUrl, consoleUrl, ownAddress, internalFetch, internalStream, health } = hosting;
  const clock = systemClock;
  return modules.console.createConsole({
    database,
    keys,
    config,
    inbox: mail.inbox,
    mailer: mail.mailer,
    messagePreviews: auth.messagePreviews,
    users: auth.users,
    guesses: auth.guesses,
    projectDir,
    supabaseDir,
    telemetry,
    functions,
    realtime,
    apiUrl,
    consoleUrl,
    ownAddress,
    attempt: rest.attempt,
    internalFetch,
    internalStream,
    writeMigration: (tx, name, statements) =>
      modules.project.writeMigration(tx, supabaseDir, { name, statements, now: clock.now() }),
    dataDir,
    webDir,
    clock,
    log: log.child({ service: 'console' }),
    health,
    leftOut: () => modules.project.listFailures(database),
  });
}

/** Returns the services that the configuration enables, in start order. */
function enabledServices(
  { config, exclude }: Parts,
  services: Services,
  operators: ConsoleService,
): Service[] {
  const { mail, auth, rest, realtime, storage, functions, jobs, account } = services;
  const wanted: [Service, boolean][] = [
    [mail, config.local_smtp.enabled],
    [auth, config.auth.enabled],
    [rest, config.api.enabled],
    [realtime, config.realtime.enabled],
    [storage, config.storage.enabled],
    [functions, config.edge_runtime.enabled],
    [jobs, true],
    [account, config.auth.enabled],
    [operators, config.studio.enabled],
  ];
  return wanted
    .filter(([service, enabled]) => enabled && !exclude?.includes(service.name))
    .map(([service]) => service);
}

async function compose(parts: Parts, modules: Modules): Promise<Backend> {
  const { config, keys, database, log, telemetry, mode, projectDir, onProgress } = parts;
  const host = config.plinth.server.host;
  const consoleHost = consoleHostOf(config);
  const port = parts.port ?? config.api.port;
  const consolePort = parts.consolePort ?? (port === 0 ? 0 : config.studio.port);
  let url = addressOf(apiAddress(config), host, port);
  let consoleUrl = addressOf(consoleAddress(config), consoleHost, consolePort);
  const internalFetch = (path: string, init?: RequestInit): Promise<Response> => gateway.fetch(path, init);

  const listening = Promise.withResolvers<string>();
  const health = (): Record<string, string | undefined> =>
    Object.fromEntries(services.map((service) => [service.name, service.health?.()]));
  const ownAddress = { publicUrl: urlOf(config.plinth.console.url) };
  const hosting: Hosting = {
    host,
    apiUrl: () => url,
    consoleUrl: () => consoleUrl,
    ownAddress,
    localUrl: listening.promise,
    internalFetch,
    internalStream: (path, init) => gateway.stream(path, init),
    health,
  };
  const created = createServices(parts, modules, hosting);
  const { mail, storage, functions, jobs } = created;
  const operators = createOperators(parts, modules, hosting, created);
  const services = enabledServices(parts, created, operators);
  const common = {
    keys,
    log: log.child({ service: 'gateway' }),
    onRequestEnd: telemetry.requestEnded,
    trustedProxies: config.plinth.server.trusted_proxies,
    limits: modules.gateway.limitsFrom(config.plinth.server),
  };
  const hasConsole = services.includes(operators);
  const gateway = modules.gateway.createGateway({
    ...common,
    services: services.filter((service) => service !== operators),
    secretKeys: {
      areKnown: keys.wellKnown.length > 0,
      ownHosts: () => [new URL(url).host],
      isOff: config.plinth.server.browser_secret_keys,
    },
    prometheus: () => `${telemetry.prometheus()}${jobs.prometheus()}`,
    hint: (path) =>
      mode === 'development' && hasConsole && /^\/(?:console(?:\/|$)|$)/.test(path)
        ? `The Console is at ${consoleUrl}`
        : undefined,
  });
  const consoleGateway = hasConsole
    ? modules.gateway.createGateway({ ...common, services: [operators], own: ownAddress, home: '/console/' })
    : undefined;

  await database.migrate(migrationSets(modules));
  const project = modules.project.createProject({
    database,
    config,
    keys,
    projectDir,
    mode,
    log,
    onProgress,
  });

  let state: 'new' | 'started' | 'stopped' = 'new';
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    state = 'stopped';
    stopping ??= (async () => {
      // Requests from SQL may be addressed to this server, so they are finished while the port is open.
      await jobs.stop?.().catch(() => undefined);
      await Promise.all([gateway.close(shutdownGraceMs), consoleGateway?.close(shutdownGraceMs)]);
      await Promise.allSettled(services.map((service) => service !== jobs && service.stop?.()));
      await database.stop();
    })();
    return stopping;
  };
  return {
    get url() {
      return url;
    },
    keys,
    config,
    database,
    async start() {
      if (state !== 'new') throw new Error(`this backend was ${state} before; create another`);
      state = 'started';
      try {
        const { upToVersion, keepGoing } = parts;
        await project.prepareDatabase({
          ...(upToVersion === undefined ? {} : { upToVersion }),
          ...(keepGoing === undefined ? {} : { keepGoing }),
        });
        void keys.warm();
        const started = await Promise.allSettled(services.map((service) => service.start?.()));
        const failed = started.find((result) => result.status === 'rejected');
        if (failed !== undefined) throw failed.reason;
        const apiPort = await gateway.listen(host, port);
        url = addressOf(apiAddress(config), host, apiPort);
        listening.resolve(`http://${hostName(host)}:${apiPort}`);
        if (consoleGateway !== undefined)
          consoleUrl = addressOf(
            consoleAddress(config),
            consoleHost,
            await consoleGateway.listen(consoleHost, consolePort),
          );
        await project.prepareBuckets(services.includes(storage) ? internalFetch : undefined);
      } catch (error) {
        await stop();
        throw inWords(error);
      }
    },
    stop,
    fetch: (path, init) => fetch(new URL(path, url), init),
    routes: () => gateway.routes(),
    console: {
      get url() {
        return consoleUrl;
      },
      fetch: (path, init) => fetch(new URL(path, consoleUrl), init),
      routes: () => consoleGateway?.routes() ?? [],
    },
    health,
    status: () =>
      statusFields({
        config,
        keys,
        apiUrl: url,
        consoleUrl: hasConsole ? consoleUrl : undefined,
        databaseUrl: database.info.url,
        mailUrl: mailUrlOf(loopbackOf(host), mail.port()),
      }),
    consoleLink: (operator) => operators.issueLink(operator),
    operators,
    functions,
  };
}

/** Converts a port conflict into a readable sentence and keeps its `code` and `port`. */
function inWords(error: unknown): unknown {
  const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (!(error instanceof Error) || code !== 'EADDRINUSE') return error;
  error.message = `Port ${port} of ${address} is in use by another program. Stop that program, or use another port or 0 for a free port.`;
  return error;
}

function definedOf<T>(record: Readonly<Record<string, T | undefined>>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(record).filter((entry): entry is [string, T] => entry[1] !== undefined),
  );
}

interface Address {
  /** The public address, if configured. */
  readonly publicUrl: string | undefined;
  /** The port that it belongs to. */
  readonly port: number;
}

const apiAddress = ({ api }: Config): Address => ({ publicUrl: api.external_url, port: api.port });

const consoleAddress = ({ plinth, studio }: Config): Address => ({
  publicUrl: plinth.console.url,
  port: studio.port,
});

/**
 * Returns the address that clients use: the public address, unless a different port was selected, in which case it is
 * the actual host and port.
 */
function addressOf({ publicUrl, port }: Address, host: string, listened: number): string {
  if (publicUrl !== undefined && listened === port) return publicUrl.replace(/\/+$/, '');
  return `http://${hostName(host)}:${listened}`;
}

const loopbackOf = (host: string): string => (isLoopback(host) ? host : '127.0.0.1');

const consoleHostOf = ({ plinth }: Config): string => plinth.console.host ?? loopbackOf(plinth.server.host);

const urlOf = (text: string | undefined): URL | undefined => (text === undefined ? undefined : new URL(text));

function hostName(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

const mailUrlOf = (host: string, port: number | undefined): string | undefined =>
  port === undefined ? undefined : `http://${hostName(host)}:${port}`;
