/** `start` and `serve`: brings a backend up, answers other commands meanwhile, and stops cleanly. */
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
  /** Dotted keys of config.toml set by flags. */
  readonly flags: Readonly<Record<string, string | number | boolean>>;
  readonly databaseUrl?: string;
  readonly exclude: readonly string[];
  readonly ignoreHealthCheck: boolean;
  /** At the first start; a reset says it again, or not. */
  readonly keepGoing: boolean;
  readonly onProgress: (message: string) => void;
  /** Starts what shall run beside the server once that answers. */
  readonly companion?: (status: Record<string, string>) => Promise<Companion>;
  /** Called once, when requests are answered. */
  readonly onReady: (ready: ReadyServer) => void | Promise<void>;
}

export interface ReadyServer {
  readonly status: Record<string, string>;
  /** Issues a sign-in link; undefined where there is no Console. */
  readonly consoleLink: (() => Promise<string>) | undefined;
}

/** Lives as long as the server and is stopped before it; its fields are part of the status. */
export interface Companion {
  readonly fields: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Resolves when the server has been stopped: by a signal, or by `plinth stop`. */
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

/** The answer to `stop` is still on its way. */
function closeSoon(control: ControlServer): void {
  setTimeout(() => control.close(), 50);
}

/**
 * SIGINT, SIGTERM, a closed terminal, or the operation `stop`. Asked for during the start, it waits until the start
 * is over, so that nothing is left half done; a second signal does not wait.
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
  /** Once known, a reset keeps them: clients hold on to the addresses. */
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

  /** What other commands may ask this process. */
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

  /** A new cluster, then everything of a first start: how many statements were left out. Refused where the database is not ours to drop. */
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
    // Otherwise it is configured, and the address may be that of a proxy.
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

/** Services prepare themselves after they have started; `db.health_timeout` is how long that may take. */
async function waitForHealth(backend: Backend, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    // Not over HTTP: loading a client for it would take longer than the start.
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

/** @throws {CommandError} when this folder is served already. */
export async function refuseIfRunning({ dataDir }: Place): Promise<void> {
  const running = await findRunning(dataDir);
  if (running === undefined) return;
  throw new CommandError(
    `Plinth is already running in this folder (process ${running.state.pid}).`,
    'Run "plinth stop" to stop it.',
  );
}
