/** The interface of {@link createBackend}, with its options and its result. */
import type { ChildProcess } from 'node:child_process';
import type { Backups } from '../backup/index.ts';
import type { Config, LiveConfigOwner } from '../config/index.ts';
import type { ConsoleService } from '../console/index.ts';
import type { Database } from '../database/types.ts';
import type { FunctionsService } from '../functions/index.ts';
import type { Route } from '../gateway/index.ts';
import type { Logger } from '../kernel/log.ts';
import type { KeyStore, Keys } from '../keys/index.ts';
import type { Outgoing } from '../shared/outgoing.ts';
import type { Telemetry, TraceExporter } from '../telemetry/index.ts';
import type { ConfigSource, Configuration } from './configuration.ts';
import type { Reload } from './reload.ts';

export interface BackendOptions {
  /** The folder that contains `supabase/`. Defaults to the working directory. */
  readonly projectDir?: string;
  /** A complete configuration that replaces the project's config.toml. */
  readonly config?: Config;
  /** Where the settings are read again. Defaults to the project's files, unless `config` replaces them. */
  readonly configSource?: ConfigSource;
  /** Called after changed settings were applied. */
  readonly onConfig?: (config: Config) => void;
  /** Restarts this server with the settings in the files. Undefined if the owner of the backend can't do this. */
  readonly restart?: () => void;
  /** The port of the API, which overrides config.toml. If it is 0, a free port is selected. */
  readonly port?: number;
  readonly dbPort?: number;
  readonly mailPort?: number;
  /** The port of the Console. Defaults to a free port if {@link port} is 0. */
  readonly consolePort?: number;
  /** Defaults to `.plinth/` in the project folder. */
  readonly dataDir?: string;
  /**
   * False for an embedded database that is deleted when the backend stops. Changes to this database aren't flushed to
   * disk.
   */
  readonly durable?: boolean;
  /** The URL of an external PostgreSQL (15 or newer) to use instead of the embedded one. */
  readonly databaseUrl?: string;
  /** An open database, which is stopped together with the backend. */
  readonly database?: Database;
  readonly mode?: 'development' | 'production';
  /** The names of services that aren't started. */
  readonly exclude?: readonly string[];
  /** The newest project migration that is applied on the first start. Newer migrations are skipped. */
  readonly upToVersion?: string;
  /** Whether statements of the project that fail on the first start are skipped and listed. */
  readonly keepGoing?: boolean;
  /** If set, several processes serve the port of the API. */
  readonly workers?: WorkersOption;
  readonly log?: Logger;
  /** Returns the number of lines that the log has dropped, for `/metrics`. */
  readonly droppedLogLines?: () => number;
  /** The folder that contains the log files. If undefined, the Console shows only the lines that are in memory. */
  readonly logDir?: string;
  /** Sends the requests that auth makes to other servers (providers, captchas, SMS gateways). Set only in tests. */
  readonly outgoing?: Outgoing;
  /** The cost of new password hashes. Set only in tests. */
  readonly passwordCost?: number;
  /** Called before each step that may take more than a second. */
  readonly onProgress?: (message: string) => void;
}

export interface WorkersOption {
  /** The number of API workers, at least 2. */
  readonly count: number;
  /** Starts the program of a worker, which calls `runApiWorker`. */
  readonly fork: () => ChildProcess;
}

export interface Backend {
  /**
   * The public URL, such as `http://127.0.0.1:54321`. It is complete once the backend has started and its port is
   * known.
   */
  readonly url: string;
  readonly keys: Keys;
  readonly config: Config;
  readonly database: Database;
  /**
   * Prepares the project and listens. On the first start, this applies the migrations and seeds and creates the
   * buckets. If preparation fails, everything is stopped.
   */
  start(): Promise<void>;
  /** Finishes requests in flight and stops everything. The data is kept. */
  stop(): Promise<void>;
  /**
   * Applies the parts of another configuration that can change while the server runs. Every other changed setting keeps
   * its value and is listed in the result.
   */
  reload(next: Config): Promise<Reload>;
  /** Reads the settings again. Undefined if `config` replaced the project's files without a `configSource`. */
  readonly configuration: Configuration | undefined;
  /**
   * Replaces the API workers one at a time without failing any requests.
   * @throws {Error} if there are none or if a replacement can't start
   */
  restartWorkers(): Promise<void>;
  /** Sends a request like `fetch`, with a path relative to {@link url}. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Returns all routes of the API's port. The list is available once the backend has started. */
  routes(): readonly Route[];
  /** The Console, which has its own origin. */
  readonly console: ConsoleOrigin;
  /** Returns the fields of `plinth status` by name. */
  status(): Record<string, string>;
  /** Returns the running services, each with its problem or with undefined if the service is healthy. */
  health(): Record<string, string | undefined>;
  /** Creates a one-time sign-in link for an operator of the Console, by default for the owner. */
  consoleLink(operator?: string): Promise<string>;
  /** The operators who can sign in to the Console, and their access tokens. */
  readonly operators: Pick<ConsoleService, 'listOperators' | 'createOperator' | 'tokens'>;
  /** Calls the Management API with all permissions, as the command line does. */
  readonly manage: ConsoleService['manage'];
  /** The output of the functions, and temporary options for serving them. */
  readonly functions: Pick<FunctionsService, 'list' | 'logs' | 'serve'>;
  /** Backups of the embedded database. Undefined if no backup target is configured. */
  readonly backups: Backups | undefined;
}

export interface ConsoleOrigin {
  /** The URL of the Console, such as `http://127.0.0.1:54323`. It is complete once the backend has started. */
  readonly url: string;
  /** Sends a request in the same way as `fetch`, with a path relative to {@link url}. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /**
   * Returns all routes of the Console's port. The list is available once the backend has started, and is empty if the
   * Console is disabled.
   */
  routes(): readonly Route[];
}

/** The options with their defaults, and the objects that all services share. */
export interface BackendParts extends Omit<BackendOptions, 'configSource'> {
  readonly projectDir: string;
  readonly supabaseDir: string;
  readonly dataDir: string;
  /** Whether the data folder is a restored copy that isn't promoted. */
  readonly isCopy: boolean;
  readonly mode: 'development' | 'production';
  readonly log: Logger;
  readonly telemetry: Telemetry;
  /** Undefined if no collector is configured. */
  readonly traceExporter: TraceExporter | undefined;
  readonly onProgress: (message: string) => void;
  /** The configuration at startup, for settings that need a restart. */
  readonly config: Config;
  readonly configSource: ConfigSource | undefined;
  /** The running configuration. */
  readonly live: LiveConfigOwner;
  readonly keys: KeyStore;
  readonly database: Database;
}
