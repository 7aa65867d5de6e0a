/**
 * Implements `plinth start` and `plinth serve`: starts a backend, handles requests from other commands while the
 * backend runs, and stops it.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { thisMachine } from '../../base/shared/machine.ts';
import { type Config, savedDirOf } from '../../platform/config/index.ts';
import { createLogger, type ProcessLogger } from '../../platform/telemetry/index.ts';
import {
  type Backend,
  type BackendOptions,
  type ConfigSource,
  configSourceOf,
  createBackend,
  type Reload,
  settingName,
  type WorkersOption,
} from '../main.ts';
import { startBranchServers } from './branch-servers.ts';
import { type ControlServer, findRunning, type RemoteCall, startControl } from './control.ts';
import { CommandError } from './errors.ts';
import { missingOrganizations } from './organizations.ts';
import { surviveClosedOutput } from './output.ts';
import type { ProjectLocation } from './project-location.ts';
import { explainPortConflict, registerProject, unregisterProject } from './running-projects.ts';
import { watchStopSignals } from './signals.ts';
import { ensureDataDir, removeState, writeState } from './state.ts';
import { watchSettings } from './watch-settings.ts';

export interface ServerOptions extends ProjectLocation {
  readonly mode: 'development' | 'production';
  /** The values of flags that override settings, by the setting's dotted key in config.toml. */
  readonly flags: Readonly<Record<string, string | number | boolean>>;
  readonly databaseUrl?: string;
  readonly databaseDirectUrl?: string;
  /**
   * The number of API workers, which overrides the setting `[server] workers`. This option isn't available in `plinth
   * start`.
   */
  readonly workers?: number | 'auto' | undefined;
  readonly exclude: readonly string[];
  readonly ignoreHealthCheck: boolean;
  /**
   * Whether the first start skips failing statements in the project's migrations. Resets have a separate option for
   * this.
   */
  readonly keepGoing: boolean;
  /** Whether the parent process continues without waiting for this process to exit. */
  readonly isDaemon: boolean;
  /** Whether the server stops when stdin closes. */
  readonly followsInput: boolean;
  readonly onProgress: (message: string) => void;
  /** Starts a companion process once the server is ready. */
  readonly companion?: (status: Record<string, string>) => Promise<Companion>;
  readonly onReady: (ready: ReadyServer) => void | Promise<void>;
}

export interface ReadyServer {
  readonly status: Record<string, string>;
  /** The ports on which the server listens. */
  readonly ports: {
    readonly api: number | undefined;
    readonly console: number | undefined;
    /** Undefined if the database isn't the embedded one. */
    readonly database: number | undefined;
  };
  /** Issues a sign-in link for the Console. Undefined if the Console is disabled. */
  readonly consoleLink: (() => Promise<string>) | undefined;
}

/**
 * A process that runs at the same time as the server and is stopped before the server. The output of `plinth status`
 * includes its fields.
 */
export interface Companion {
  readonly fields: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Runs the server. Resolves when a signal or `plinth stop` has stopped the server. */
export async function runServer(options: ServerOptions): Promise<void> {
  const { projectDir, dataDir, mode, onProgress } = options;
  ensureDataDir(dataDir);
  const config = loadProject(options, onProgress);
  const log = createLogger(join(dataDir, 'logs'), config.plinth.log);
  const server = new Server(options, log);
  const requestStop = () => server.requestStop();
  surviveClosedOutput();
  const unwatch = watchStopSignals({
    followsNpm: !options.isDaemon,
    onStop: requestStop,
    onForce: () => process.exit(1),
    onReload: () => void server.reload().catch(() => undefined),
    onRestartWorkers: () => void server.restartWorkers().catch(() => undefined),
  });
  if (options.followsInput) process.stdin.resume().once('close', requestStop);
  const control = await startControl((name) => server.callNamed(name));
  let unwatchSettings: (() => void) | undefined;
  try {
    await server.open({ keepGoing: options.keepGoing, config });
    // Other commands must be able to find the server as soon as the server's port is open, because scripts wait only
    // for the port.
    writeState(dataDir, {
      pid: process.pid,
      mode,
      startedAt: new Date().toISOString(),
      projectDir,
      controlPort: control.port,
      token: control.token,
    });
    await server.waitForHealth();
    await server.startCompanion();
    registerProject({ pid: process.pid, projectId: config.project_id, projectDir, dataDir });
    await options.onReady({
      status: server.status(),
      ports: server.ports(),
      consoleLink: server.consoleLink(),
    });
    module.flushCompileCache();
    unwatchSettings = watchSettings({
      isOn: () => mode === 'development' || server.config().plinth.server.watch_config,
      files: sourceOf(options).files,
      reload: () => server.reload(),
      print: onProgress,
    });
    await server.stopRequested;
    onProgress('Stopping...');
  } catch (error) {
    if (!server.isStopping) throw error;
    log.info({ error }, 'the start was interrupted');
    onProgress('Stopped before the server was ready.');
  } finally {
    unwatchSettings?.();
    await server.stop();
    unregisterProject(dataDir);
    removeState(dataDir, control.token);
    closeSoon(control);
    // An open pipe would keep a process alive whose start has failed.
    if (options.followsInput) process.stdin.destroy();
    await log.end();
    unwatch();
  }
}

/** How long a production server waits for an unhealthy service before it reports that it is ready. */
const productionGraceMs = 5000;

/** Closes the control server once the response to `stop` has been sent. */
function closeSoon(control: ControlServer): void {
  setTimeout(() => control.close(), 50);
}

class Server {
  backend!: Backend;
  readonly #stopping = new AbortController();
  readonly stopRequested = once(this.#stopping.signal, 'abort');
  readonly #options: ServerOptions;
  readonly #log: ProcessLogger;
  /** The ports in use. The ports stay the same during a reset, because clients continue to use the same URLs. */
  #ports: Pick<BackendOptions, 'port' | 'dbPort' | 'mailPort' | 'consolePort'> = {};
  #resetFailed = false;
  /** The last reload, restart or reset, so that these run one at a time. */
  #changing: Promise<unknown> = Promise.resolve();
  #stopped: Promise<void> | undefined;
  #restarting: Promise<void> | undefined;
  #companion: Companion | undefined;

  constructor(options: ServerOptions, log: ProcessLogger) {
    this.#options = options;
    this.#log = log;
  }

  /** Requests that the server stops. A start in progress ends as soon as its current step allows it. */
  requestStop(): void {
    this.#stopping.abort(new Error('the server was stopped while it was starting'));
  }

  get isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async start(extra: Partial<BackendOptions> = {}, onProgress = this.#options.onProgress): Promise<void> {
    await this.open(extra, onProgress);
    await this.waitForHealth();
  }

  /** Starts the backend, which opens the ports. Services may still be unhealthy. */
  async open(extra: Partial<BackendOptions> = {}, onProgress = this.#options.onProgress): Promise<void> {
    const config = extra.config ?? loadProject(this.#options, onProgress);
    const { signal } = this.#stopping;
    signal.throwIfAborted();
    // Unlike the server's signal, this one is aborted only during the start.
    const starting = new AbortController();
    const abort = () => starting.abort(signal.reason);
    signal.addEventListener('abort', abort);
    try {
      await this.#open({ ...extra, config, signal: starting.signal }, onProgress);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  async #open(
    { config, ...extra }: Partial<BackendOptions> & { readonly config: Config },
    onProgress: (message: string) => void,
  ): Promise<void> {
    const { projectDir, dataDir, mode, databaseUrl, databaseDirectUrl, exclude } = this.#options;
    const creating = createBackend({
      projectDir,
      dataDir,
      mode,
      exclude,
      onProgress,
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
      ...(databaseDirectUrl === undefined ? {} : { databaseDirectUrl }),
      configSource: sourceOf(this.#options),
      onConfig: (next) => this.#log.configure(next.plinth.log),
      restart: () =>
        void this.restart().catch((error: unknown) =>
          this.#log.error({ service: 'reload', error }, 'the restart failed'),
        ),
      log: this.#log,
      droppedLogLines: () => this.#log.droppedLines(),
      workers: (current) => workersFor(this.#options, current),
      forkComparer,
      startBranchServer: startBranchServers({ projectDir, program: process.argv[1] ?? '' }),
      ...(this.#log.hasFiles ? { logDir: join(dataDir, 'logs') } : {}),
      ...this.#ports,
      ...extra,
      config,
    });
    const backend = await creating.catch(async (error: unknown) => {
      throw await explainPortConflict(error, config);
    });
    this.backend = backend;
    try {
      await backend.start();
      this.#ports = portsOf(backend, databaseUrl === undefined);
      const notice = await missingOrganizations(backend);
      if (notice !== undefined) onProgress(notice);
    } catch (error) {
      await backend.stop();
      throw await explainPortConflict(error, config);
    }
  }

  /**
   * Waits until all services are healthy. In development, stops the backend and throws an error if a service stays
   * unhealthy. A production server must also start while another server, such as NATS, is unreachable, so it continues,
   * and the service recovers by itself.
   */
  async waitForHealth(): Promise<void> {
    const { ignoreHealthCheck, mode, onProgress } = this.#options;
    if (ignoreHealthCheck) return;
    const limitMs = this.config().db.health_timeout;
    if (mode === 'production') {
      const limit = { limitMs: Math.min(limitMs, productionGraceMs), signal: this.#stopping.signal };
      const faults = await faultsAfter(this.backend, limit);
      for (const fault of faults)
        onProgress(`Warning: a service is unhealthy: ${fault}\nThe server continues, and tries again.`);
      return;
    }
    const faults = await faultsAfter(this.backend, { limitMs, signal: this.#stopping.signal });
    if (faults.length === 0 || this.isStopping) return;
    await this.backend.stop();
    throw new CommandError(
      `A service is unhealthy: ${faults.join('; ')}`,
      'See .plinth/logs/plinth.log, or use --ignore-health-check to start anyway.',
    );
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stopAll();
    return this.#stopped;
  }

  async #stopAll(): Promise<void> {
    await this.#restarting?.catch(() => undefined);
    await this.#companion?.stop();
    await this.backend?.stop();
  }

  async startCompanion(): Promise<void> {
    this.#companion = await this.#options.companion?.(this.backend.status());
  }

  /** Returns the settings with which the server is running. */
  config(): Config {
    return this.backend.config;
  }

  status(): Record<string, string> {
    return { ...this.#live().status(), ...this.#companion?.fields };
  }

  ports(): ReadyServer['ports'] {
    return { ...this.backend.ports, database: this.#ports.dbPort };
  }

  consoleLink(): ReadyServer['consoleLink'] {
    const { config } = this.backend;
    if (!config.studio.enabled || this.#options.exclude.includes('console')) return undefined;
    return () => this.backend.consoleLink();
  }

  #live(): Backend {
    if (!this.#resetFailed) return this.backend;
    throw new CommandError(
      'Plinth doesn\'t serve requests because the last "plinth db reset" failed.',
      'Fix the reported error, then run "plinth db reset" again.',
    );
  }

  /**
   * Reloads the settings and applies the changes that don't need a restart. If the settings are invalid, logs the
   * errors and changes nothing.
   * @throws {ConfigError}
   */
  reload(): Promise<Reload> {
    return this.#alone(async () => {
      const { configuration } = this.#live();
      if (configuration === undefined) throw new Error('no settings files exist');
      return await configuration.reload();
    });
  }

  /**
   * Stops the backend and starts it again in this process with the settings in the settings files. Each port stays the
   * same unless its setting has changed. If the start fails, starts the backend with the previous settings again.
   * @throws {ConfigError} if the settings are invalid. Nothing is stopped.
   */
  restart(onProgress = this.#options.onProgress): Promise<void> {
    this.#restarting = this.#alone(() => this.#restart(onProgress));
    return this.#restarting;
  }

  async #restart(onProgress: (message: string) => void): Promise<void> {
    if (this.#stopped !== undefined) return;
    const config = loadProject(this.#options, onProgress);
    const previous = this.#live().config;
    onProgress('Restarting...');
    await this.backend.stop();
    this.#ports = keptPorts(this.#ports, previous, config);
    try {
      await this.start({ config }, onProgress);
    } catch (error) {
      this.#stopping.signal.throwIfAborted();
      this.#log.error({ service: 'reload', error }, 'the restart failed, so the previous settings are used');
      await this.#startAgain(previous, onProgress);
      throw error;
    }
    this.#log.configure(config.plinth.log);
    onProgress('Restarted.');
  }

  /**
   * If the server can't start with the previous settings either, exits so that a supervisor can restart the process.
   */
  async #startAgain(config: Config, onProgress: (message: string) => void): Promise<void> {
    try {
      await this.start({ config }, onProgress);
    } catch (error) {
      process.exitCode = 1;
      this.requestStop();
      throw error;
    }
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#changing.catch(() => undefined).then(work);
    this.#changing = next;
    return next;
  }

  #settingsStatus() {
    const status = this.#live().configuration?.status();
    return status && { ...status, needsRestart: status.needsRestart.map(({ key }) => settingName(key)) };
  }

  /** Replaces the API workers. Failures are logged. */
  async restartWorkers(): Promise<void> {
    try {
      await this.#live().restartWorkers();
    } catch (error) {
      this.#log.child({ service: 'workers' }).error({ error }, 'the API workers were not replaced');
      throw error;
    }
  }

  /**
   * Returns a call that commands in other processes can make. The code of the calls is loaded at the first
   * call.
   */
  async callNamed(name: string): Promise<RemoteCall | undefined> {
    const { backendCalls } = await import('./remote-calls.ts');
    const calls: Readonly<Record<string, RemoteCall>> = {
      ...backendCalls(() => this.#live(), this.#options),
      ...this.#ownOperations,
    };
    return Object.hasOwn(calls, name) ? calls[name] : undefined;
  }

  get #ownOperations() {
    return {
      status: async () => this.status(),
      ping: async () => process.pid,
      reload: async () => {
        const { applied, needsRestart, problems } = await this.reload();
        return {
          applied: applied.map(settingName),
          needsRestart: needsRestart.map(({ key, reason }) => ({ key: settingName(key), reason })),
          problems,
        };
      },
      restart: async (_: unknown, onProgress: (message: string) => void) => this.restart(onProgress),
      settings: async () => this.#settingsStatus(),
      restartWorkers: async () => this.restartWorkers(),
      stop: async () => {
        this.requestStop();
        await this.stop();
      },
      reset: async (parameters: Readonly<Record<string, unknown>>, onProgress: (message: string) => void) => {
        return await this.#alone(() => this.#reset(parameters, onProgress));
      },
    };
  }

  /**
   * Creates a new cluster and repeats the first start. Returns the number of skipped statements. Only the embedded
   * database can be reset.
   */
  async #reset(
    parameters: Readonly<Record<string, unknown>>,
    onProgress: (message: string) => void,
  ): Promise<{ readonly skipped: number }> {
    const { dataDir, databaseUrl } = this.#options;
    if (databaseUrl !== undefined) {
      throw new CommandError(
        'db reset can only drop the embedded database, not one set with --database-url.',
      );
    }
    onProgress('Resetting the database...');
    const config = withSeedOptions(loadProject(this.#options, onProgress), parameters);
    this.#resetFailed = true;
    await this.backend.stop();
    for (const name of ['postgres', 'storage']) rmSync(join(dataDir, name), { recursive: true, force: true });
    const keepGoing = parameters.keepGoing === true;
    try {
      await this.start({ config, keepGoing, ...upToVersion(parameters) }, onProgress);
    } catch (error) {
      const { withKeepGoingAdvice } = await import('./keep-going-offer.ts');
      throw withKeepGoingAdvice(error, 'db reset');
    }
    this.#resetFailed = false;
    const { listFailures } = await import('../../project/folder/index.ts');
    return { skipped: (await listFailures(this.backend.database)).length };
  }
}

/** Returns the API workers. Undefined for a server with a single process, which doesn't need workers. */
function workersFor({ mode, workers }: ServerOptions, { plinth }: Config): WorkersOption | undefined {
  if (mode !== 'production') return undefined;
  const wanted = workers ?? plinth.server.workers;
  const count = wanted === 'auto' ? thisMachine().cores : wanted;
  return count === 1 ? undefined : { count, fork: forkWorker };
}

/**
 * Starts this program in another process as an API worker. The worker's data is sent over IPC, because other users can
 * read a process's arguments.
 */
const forkWorker = (): ChildProcess => forkServe('--api-worker');

/** Starts this program in another process that compares schemas. */
const forkComparer = (): ChildProcess => forkServe('--schema-comparer');

const forkServe = (flag: string): ChildProcess =>
  fork(process.argv[1] ?? '', ['serve', flag], {
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });

const sourceOf = (options: ServerOptions): ConfigSource =>
  configSourceOf({
    projectDir: options.projectDir,
    savedDir: savedDirOf(options),
    flags: options.flags,
    mode: options.mode,
  });

/** Loads the project's configuration and reports its warnings. @throws {ConfigError} */
function loadProject(options: ServerOptions, onProgress: (message: string) => void): Config {
  const { config, warnings } = sourceOf(options).load();
  for (const warning of warnings) onProgress(`Warning: ${warning}`);
  return config;
}

function portsOf({ ports, database, config, status }: Backend, isEmbedded: boolean) {
  const port = (url: string | undefined) =>
    url === undefined ? undefined : Number(new URL(url).port) || undefined;
  return {
    // The port in the public URL may belong to a proxy.
    port: ports.api,
    dbPort: isEmbedded ? port(database.info.url) : undefined,
    mailPort: port(status().MAILPIT_URL),
    // The Console's port is set only if it was selected automatically.
    consolePort: config.studio.port === 0 ? ports.console : undefined,
  };
}

/** Returns the ports that stay the same after a restart, because their settings haven't changed. */
function keptPorts(
  ports: Pick<BackendOptions, 'port' | 'dbPort' | 'mailPort' | 'consolePort'>,
  before: Config,
  after: Config,
): typeof ports {
  return {
    ...(before.api.port === after.api.port ? { port: ports.port } : {}),
    ...(before.db.port === after.db.port ? { dbPort: ports.dbPort } : {}),
    ...(before.local_smtp.port === after.local_smtp.port ? { mailPort: ports.mailPort } : {}),
    ...(before.studio.port === after.studio.port ? { consolePort: ports.consolePort } : {}),
  };
}

function withSeedOptions(config: Config, parameters: Readonly<Record<string, unknown>>): Config {
  const { seed, sqlPaths } = parameters as { seed?: boolean; sqlPaths?: string[] };
  const sql_paths = sqlPaths !== undefined && sqlPaths.length > 0 ? sqlPaths : config.db.seed.sql_paths;
  const enabled = seed === false ? false : config.db.seed.enabled;
  return { ...config, db: { ...config.db, seed: { enabled, sql_paths } } };
}

function upToVersion({ upToVersion }: Readonly<Record<string, unknown>>): Partial<BackendOptions> {
  return typeof upToVersion === 'string' ? { upToVersion } : {};
}

interface Limit {
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/**
 * Waits until all services are healthy, for at most `limitMs` and until the signal is aborted. Returns what is then wrong
 * with each service.
 */
async function faultsAfter(backend: Backend, { limitMs, signal }: Limit): Promise<string[]> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    // Doesn't check the health over HTTP, because loading an HTTP client would take longer than the startup itself.
    const faults = Object.entries(backend.health())
      .filter(([, fault]) => fault !== undefined)
      .map(([name, fault]) => `${name}: ${fault}`);
    if (faults.length === 0 || performance.now() > deadline || signal.aborted) return faults;
    await sleep(20);
  }
}

/**
 * Checks that no other Plinth process is running in this folder.
 * @throws {CommandError} if Plinth is already running in this folder
 */
export async function rejectIfRunning({ dataDir }: ProjectLocation): Promise<void> {
  const running = await findRunning(dataDir);
  if (running === undefined) return;
  throw new CommandError(
    `Plinth is already running in this folder (process ${running.state.pid}).`,
    'Run "plinth stop" to stop it.',
  );
}
