/** The types of the options and the result of {@link createBackend}. */
import type { ChildProcess } from 'node:child_process';
import type { Logger } from '../../base/kernel/log.ts';
import type { Outgoing } from '../../base/shared/network/outgoing.ts';
import type { Backups } from '../../operations/backup/index.ts';
import type { ConsoleService } from '../../pages/console/index.ts';
import type { Config } from '../../platform/config/index.ts';
import type { Database } from '../../platform/database/types.ts';
import type { NodeStatus } from '../../platform/group/types.ts';
import type { Keys } from '../../platform/keys/index.ts';
import type { FunctionsService } from '../../services/functions/index.ts';
import type { Route } from '../gateway/index.ts';
import type { StartBranchServer } from './branches/types.ts';
import type { ConfigSource, Configuration, Reload } from './configuration.ts';

export interface BackendOptions {
  /** The folder that contains `supabase/`. Defaults to the working directory. */
  readonly projectDir?: string;
  /** A complete configuration that replaces the project's config.toml. */
  readonly config?: Config;
  /** The source of the settings for reloads. Defaults to the project's files, unless `config` replaces them. */
  readonly configSource?: ConfigSource;
  /** Called after changed settings have been applied. */
  readonly onConfig?: (config: Config) => void;
  /** Starts the server of a branch. Undefined if this server can't have branches. */
  readonly startBranchServer?: StartBranchServer;
  /** Restarts this server with the settings in the settings files. Undefined if a restart isn't possible. */
  readonly restart?: () => void;
  /** The port of the API, which overrides the port in config.toml. If the port is 0, a free port is selected. */
  readonly port?: number;
  readonly dbPort?: number;
  readonly mailPort?: number;
  /** The port of the Console. Defaults to a free port if {@link port} is 0. */
  readonly consolePort?: number;
  /** Defaults to `.plinth/` in the project folder. */
  readonly dataDir?: string;
  /** Whether changes are flushed to disk. If false, the embedded database is deleted when the backend stops. */
  readonly durable?: boolean;
  /** The URL of an external PostgreSQL server (version 15 or later) that is used instead of the embedded server. */
  readonly databaseUrl?: string;
  /** The URL of that server itself, if {@link databaseUrl} is the URL of a pooler in transaction mode. */
  readonly databaseDirectUrl?: string;
  /** An open database to use, which is stopped together with the backend. */
  readonly database?: Database;
  readonly mode?: 'development' | 'production';
  /** The names of services that aren't started. */
  readonly exclude?: readonly string[];
  /**
   * The version of the newest project migration that is applied when the server first starts. Newer migrations are
   * skipped.
   */
  readonly upToVersion?: string;
  /** Whether the first start skips failing statements in the project's migrations and lists them. */
  readonly keepGoing?: boolean;
  /** If set, several processes serve the API's port. A function returns the option for a configuration. */
  readonly workers?: WorkersOption | ((config: Config) => WorkersOption | undefined) | undefined;
  /**
   * Starts a process that compares schemas, which calls `runSchemaComparer`. If undefined, this process compares them,
   * which delays its requests.
   */
  readonly forkComparer?: () => ChildProcess;
  readonly log?: Logger;
  /** Returns the number of dropped log lines, for `/metrics`. */
  readonly droppedLogLines?: () => number;
  /** The folder of the log files. If undefined, the Console shows only the log lines in memory. */
  readonly logDir?: string;
  /**
   * Sends the auth service's requests to other servers, such as providers, captcha services and SMS gateways. Set only
   * in tests.
   */
  readonly outgoing?: Outgoing;
  /** The cost of new password hashes. Set only in tests. */
  readonly passwordCost?: number;
  /** Called before each step that may take more than a second. */
  readonly onProgress?: (message: string) => void;
  /**
   * Aborts the start, which then throws an error. Waits end immediately, for example for another process that prepares
   * the database. Must not be aborted once {@link Backend.start} has resolved.
   */
  readonly signal?: AbortSignal | undefined;
}

export interface WorkersOption {
  /** The number of API workers, at least 2. */
  readonly count: number;
  /** Starts the program of a worker, which calls `runApiWorker`. */
  readonly fork: () => ChildProcess;
}

export interface Backend {
  /** The public URL, such as `http://127.0.0.1:54321`. The port is known only after the backend has started. */
  readonly url: string;
  readonly keys: Keys;
  readonly config: Config;
  readonly database: Database;
  /** The ports on which this server listens. A port is undefined before the server listens on it. */
  readonly ports: { readonly api: number | undefined; readonly console: number | undefined };
  /**
   * Prepares the project and starts listening. The first start applies the migrations and the seed files, and creates
   * the buckets. If preparation fails, all parts of the backend are stopped.
   */
  start(): Promise<void>;
  /** Completes pending requests and stops all parts of the backend. The project's data is kept. */
  stop(): Promise<void>;
  /**
   * Applies another configuration. Only settings that can change while the server runs are applied. All other changed
   * settings keep their current values and are listed in the result.
   */
  reload(next: Config): Promise<Reload>;
  /** Reloads the settings. Undefined if `config` replaced the project's files without a `configSource`. */
  readonly configuration: Configuration | undefined;
  /**
   * Replaces the API workers one at a time without failing any requests.
   * @throws {Error} if the server has no workers, or if a replacement can't start
   */
  restartWorkers(): Promise<void>;
  /** Sends a request. Takes the arguments of `fetch`, but with a path relative to {@link url}. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Returns all routes of the API's port. Available once the backend has started. */
  routes(): Promise<readonly Route[]>;
  /** The Console, which has a separate origin. */
  readonly console: ConsoleOrigin;
  /** Returns the values that `plinth status` prints, by name. */
  status(): Record<string, string>;
  /**
   * Returns the running services by name. Each value describes the service's problem, or is undefined if the service is
   * healthy.
   */
  health(): Record<string, string | undefined>;
  /** Lists the nodes of the project, oldest first, as `plinth status --group` prints them. */
  nodes(): Promise<readonly NodeStatus[]>;
  /** Creates a one-time sign-in link for a Console operator, by default for the owner. */
  consoleLink(operator?: string): Promise<string>;
  /** Manages Console operators and their access tokens. */
  readonly operators: Pick<ConsoleService, 'listOperators' | 'createOperator' | 'tokens'>;
  /** Calls the Management API with all permissions, as the command line does, or with those of an operator. */
  readonly manage: ConsoleService['manage'];
  /** Creates a one-time sign-in link with which an operator of the project signs in to this branch. */
  readonly admit: ConsoleService['admit'];
  /** Applies the roles that operators of the project have now to this branch. */
  readonly setOperators: ConsoleService['setOperators'];
  /** Serves a message of an AI agent that runs on this machine (`plinth mcp`). */
  readonly mcp: ConsoleService['mcp'];
  /** The edge functions, their output, and temporary options for serving them. */
  readonly functions: Pick<FunctionsService, 'list' | 'logs' | 'serve'>;
  /** Backups of the embedded database. Undefined if no backup target is configured. */
  readonly backups: Backups | undefined;
}

export interface ConsoleOrigin {
  /** The Console's URL, such as `http://127.0.0.1:54323`. The port is known only after the backend has started. */
  readonly url: string;
  /** Sends a request. Takes the arguments of `fetch`, but with a path relative to {@link url}. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /**
   * Returns all routes of the Console's port. Available once the backend has started. Empty if the Console is disabled.
   */
  routes(): Promise<readonly Route[]>;
}
