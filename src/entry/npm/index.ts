/**
 * The API of the npm package: a backend in this process. The types are declared here without referring to dependencies,
 * so that projects don't have to install other types.
 */
import { canRunServer, minServerNode } from '../../platform/packages/index.ts';

export interface BackendOptions {
  /** The folder that contains `supabase/`. Defaults to the working directory. */
  readonly projectDir?: string;
  /** The folder for the database, files and secrets. Defaults to `.plinth/` in the project folder. */
  readonly dataDir?: string;
  /** `development` (the default) uses the well-known local keys. `production` generates new keys. */
  readonly mode?: 'development' | 'production';
  /** The API's port, which overrides the port in config.toml. 0 selects a free port. */
  readonly port?: number;
  /** PostgreSQL's port. 0 selects a free port. */
  readonly dbPort?: number;
  /** The port of the development inbox. 0 selects a free port. */
  readonly mailPort?: number;
  /** The Console's port. 0 selects a free port. */
  readonly consolePort?: number;
  /** The URL of a PostgreSQL server (version 15 or newer) that is used instead of the embedded server. */
  readonly databaseUrl?: string;
  /** The URL of that server itself, if `databaseUrl` is the URL of a pooler in transaction mode. */
  readonly databaseDirectUrl?: string;
  /** The names of services that must not be started, such as `realtime`. */
  readonly exclude?: readonly string[];
  /** Called before each step that may take more than a second. */
  readonly onProgress?: (message: string) => void;
}

export interface BackendKeys {
  /** The key for use in browsers (`sb_publishable_…`). */
  readonly publishableKey: string;
  /** The key for use on servers (`sb_secret_…`). The secret key bypasses row-level security. */
  readonly secretKey: string;
  /** The older form of the publishable key, a JWT. */
  readonly anonKey: string;
  /** The older form of the secret key, a JWT. */
  readonly serviceRoleKey: string;
}

export interface Backend {
  /**
   * The address of the API, such as `http://127.0.0.1:54321`. The address contains the selected port once the backend
   * has started.
   */
  readonly url: string;
  /** The current keys, which can change in production while the backend runs. */
  readonly keys: BackendKeys;
  /**
   * Starts the services and listens on their ports. The first start also applies the migrations and seeds, and creates
   * the buckets.
   */
  start(): Promise<void>;
  /** Finishes requests in flight and stops all services and the database. The data isn't deleted. */
  stop(): Promise<void>;
  /** Sends a request like `fetch`, with a path relative to {@link url}. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Returns the fields of `plinth status` by name, such as `API_URL` and `DB_URL`. */
  status(): Readonly<Record<string, string>>;
}

/**
 * Creates a backend and starts its database. No port is open until {@link Backend.start} is called.
 *
 * @example
 * const backend = await createBackend({ projectDir: import.meta.dirname, port: 0 });
 * await backend.start();
 * console.log(backend.url, backend.keys.publishableKey);
 * await backend.stop();
 */
export async function createBackend(options: BackendOptions = {}): Promise<Backend> {
  if (!canRunServer(process.versions.node)) {
    throw new Error(
      `createBackend runs the server in this process, which needs Node ${minServerNode} or newer. This is ${process.version}. The command "plinth start" also works with this version.`,
    );
  }
  const main = await import('../main.ts');
  const backend = await main.createBackend(options);
  return {
    get url() {
      return backend.url;
    },
    get keys() {
      const { publishableKey, secretKey, anonKey, serviceRoleKey } = backend.keys;
      return { publishableKey, secretKey, anonKey, serviceRoleKey };
    },
    start: () => backend.start(),
    stop: () => backend.stop(),
    fetch: (path, init) => backend.fetch(path, init),
    status: () => backend.status(),
  };
}
