/** `start` and `serve`: starts a backend, handles other commands while it runs, and stops it cleanly. */
import { rmSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, loadConfig } from '../config/index.ts';
import { createFileLogger } from '../logging.ts';
import { type Backend, type BackendOptions, createBackend } from '../main.ts';
import { listFailures } from '../project/index.ts';
import { type ControlServer, findRunning, startControl } from './control.ts';
import { CommandError } from './errors.ts';
import { backendOperations } from './operations.ts';
import type { Place } from './place.ts';
import { ensureDataDir, removeState, writeState } from './state.ts';

export interface ServerOptions extends Place {
  readonly mode: 'development' | 'production';
  /** Settings from flags, by dotted key of config.toml. */
  readonly flags: Readonly<Record<string, string | number | boolean>>;
  readonly databaseUrl?: string;
  readonly exclude: readonly string[];
  readonly ignoreHealthCheck: boolean;
  /** Whether the first start skips statements that fail. Resets have a separate option. */
  readonly keepGoing: boolean;
  readonly onProgress: (message: string) => void;
  /** Starts a companion when the server is ready. */
  readonly companion?: (status: Record<string, string>) => Promise<Companion>;
  /** Called once when the server is ready. */
  readonly onReady: (ready: ReadyServer) => void | Promise<void>;
}

export interface ReadyServer {
  readonly status: Record<string, string>;
  /** Issues a sign-in link. Undefined if the Console is disabled. */
  readonly consoleLink: (() => Promise<string>) | undefined;
}

/** Runs with the server and is stopped before it. Its fields are part of the status. */
export interface Companion {
  readonly fields: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Resolves when the server was stopped by a signal or `plinth stop`. */
export async function runServer(options: ServerOptions): Promise<void> {
  const { projectDir, dataDir, mode, onProgress } = options;
  ensureDataDir(dataDir);
  const log = createFileLogger(join(dataDir, 'logs'));
  const server = new Server(options, log);
  const asked = stopAsked(server);
  const control = await startControl({ ...server.operations });
  try {
    await server.start({ keepGoing: options.keepGoing });
    await server.startCompanion();
    writeState(dataDir, {
      pid: process.pid,
      mode,
      startedAt: new Date().toISOString(),
      projectDir,
      controlPort: control.port,
      token: control.token,
    });
    await options.onReady({ status: server.status(), consoleLink: server.consoleLink() });
    module.flushCompileCache();
    await asked;
    onProgress('Stopping...');
  } finally {
    await server.stop();
    removeState(dataDir, control.token);
    closeSoon(control);
    log.flush();
  }
}

/** Closes the control server after the response to `stop` was sent. */
function closeSoon(control: ControlServer): void {
  setTimeout(() => control.close(), 50);
}

/**
 * Resolves on SIGINT, SIGTERM, a closed terminal or the operation `stop`. A stop during startup takes effect after
 * startup, so that no step is left incomplete. A second signal takes effect immediately.
 */
function stopAsked(server: Server): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const onSignal = () => {
      if (asked) process.exit(1);
      asked = true;
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
    server.onStop = resolve;
  });
}

class Server {
  backend!: Backend;
  onStop: () => void = () => {};
  readonly #options: ServerOptions;
  readonly #log: BackendOptions['log'];
  /** The ports in use. A reset keeps them because clients keep using the URLs. */
  #ports: Pick<BackendOptions, 'port' | 'dbPort' | 'mailPort' | 'consolePort'> = {};
  #resetFailed = false;
  #stopped: Promise<void> | undefined;
  #companion: Companion | undefined;

  constructor(options: ServerOptions, log: BackendOptions['log']) {
    this.#options = options;
    this.#log = log;
  }

  async start(extra: Partial<BackendOptions> = {}, onProgress = this.#options.onProgress): Promise<void> {
    const { projectDir, dataDir, mode, databaseUrl, exclude, ignoreHealthCheck } = this.#options;
    const config = extra.config ?? this.#loadConfig(onProgress);
    const backend = await createBackend({
      projectDir,
      dataDir,
      mode,
      exclude,
      onProgress,
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
      ...(this.#log === undefined ? {} : { log: this.#log }),
      ...this.#ports,
      ...extra,
      config,
    });
    this.backend = backend;
    try {
      await backend.start();
      this.#ports = portsOf(backend.status(), config);
      if (!ignoreHealthCheck) await waitForHealth(backend, config.db.health_timeout);
    } catch (error) {
      await backend.stop();
      throw error;
    }
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stopAll();
    return this.#stopped;
  }

  async #stopAll(): Promise<void> {
    await this.#companion?.stop();
    await this.backend?.stop();
  }

  async startCompanion(): Promise<void> {
    this.#companion = await this.#options.companion?.(this.backend.status());
  }

  status(): Record<string, string> {
    return { ...this.#live().status(), ...this.#companion?.fields };
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

  /** The operations that other commands can call. */
  get operations() {
    return {
      ...backendOperations(() => this.#live(), this.#options),
      status: async () => this.status(),
      ping: async () => process.pid,
      stop: async () => {
        this.onStop();
        await this.stop();
      },
      reset: async (parameters: Readonly<Record<string, unknown>>, onProgress: (message: string) => void) => {
        return await this.#reset(parameters, onProgress);
      },
    };
  }

  /** Creates a new cluster and repeats the first start. Returns the number of skipped statements. Only for the embedded database. */
  async #reset(
    parameters: Readonly<Record<string, unknown>>,
    onProgress: (message: string) => void,
  ): Promise<{ readonly leftOut: number }> {
    const { dataDir, databaseUrl } = this.#options;
    if (databaseUrl !== undefined) {
      throw new CommandError(
        'db reset can only drop the embedded database, not one set with --database-url.',
      );
    }
    onProgress('Resetting the database...');
    const config = withSeedOptions(this.#loadConfig(onProgress), parameters);
    this.#resetFailed = true;
    await this.backend.stop();
    for (const name of ['postgres', 'storage']) rmSync(join(dataDir, name), { recursive: true, force: true });
    const keepGoing = parameters.keepGoing === true;
    await this.start({ config, keepGoing, ...upToVersion(parameters) }, onProgress);
    this.#resetFailed = false;
    return { leftOut: (await listFailures(this.backend.database)).length };
  }

  #loadConfig(onProgress: (message: string) => void): Config {
    const { projectDir, flags } = this.#options;
    const { config, warnings } = loadConfig({ projectDir, flags });
    for (const warning of warnings) onProgress(`Warning: ${warning}`);
    return config;
  }
}

function portsOf(
  { API_URL, DB_URL, MAILPIT_URL, STUDIO_URL }: Readonly<Record<string, string>>,
  config: Config,
) {
  const port = (url: string | undefined) =>
    url === undefined ? undefined : Number(new URL(url).port) || undefined;
  return {
    port: port(API_URL),
    dbPort: port(DB_URL),
    mailPort: port(MAILPIT_URL),
    // Otherwise the port is configured, and the URL may be that of a proxy.
    consolePort: config.studio.port === 0 ? port(STUDIO_URL) : undefined,
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

/** Waits until all services are healthy after their start, for at most `db.health_timeout`. */
async function waitForHealth(backend: Backend, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    // Doesn't use HTTP because loading a client would take longer than startup.
    const faults = Object.entries(backend.health()).filter(([, fault]) => fault !== undefined);
    if (faults.length === 0) return;
    if (Date.now() > deadline) {
      const report = faults.map(([name, fault]) => `${name}: ${fault}`).join('; ');
      const advice = 'See .plinth/logs/plinth.log, or use --ignore-health-check to start anyway.';
      throw new CommandError(`A service is unhealthy: ${report}`, advice);
    }
    await sleep(20);
  }
}

/** @throws {CommandError} if Plinth is already running in this folder. */
export async function refuseIfRunning({ dataDir }: Place): Promise<void> {
  const running = await findRunning(dataDir);
  if (running === undefined) return;
  throw new CommandError(
    `Plinth is already running in this folder (process ${running.state.pid}).`,
    'Run "plinth stop" to stop it.',
  );
}
