/**
 * Backends for tests in vitest, jest, node:test and other test runners. The backends run in a separate process that all
 * test files of a project share. Each backend has its own database and files, but PostgreSQL starts only once.
 */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { connectToHost, type TestingConnection } from './testing-connection.ts';
import type { CreatedBackend } from './testing-protocol.ts';

export interface TestBackendOptions {
  /**
   * The folder that contains `supabase/`. The settings, migrations and seeds in this folder are used. Defaults to the
   * working directory or its nearest parent that contains `supabase/`.
   */
  readonly projectDir?: string;
  /** SQL that runs as `postgres` after the project's migrations and seeds have run. */
  readonly sql?: string;
  /** The names of services that must not be started, such as `realtime`. */
  readonly exclude?: readonly string[];
  /** Settings that replace settings in config.toml, by key, such as `{ 'auth.enable_signup': false }`. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>;
}

export interface TestKeys {
  /** The key for use in browsers (`sb_publishable_…`). */
  readonly publishableKey: string;
  /** The key for use on servers (`sb_secret_…`). The secret key bypasses row-level security. */
  readonly secretKey: string;
  /** The older form of the publishable key, a JWT. */
  readonly anonKey: string;
  /** The older form of the secret key, a JWT. */
  readonly serviceRoleKey: string;
}

export interface TestBackend {
  /** The address of the API, such as `http://127.0.0.1:40123`. */
  readonly url: string;
  readonly keys: TestKeys;
  /** The connection string of the database, for the role `postgres`. */
  readonly databaseUrl: string;
  /** The URL of the inbox for captured email. Undefined if email is turned off. */
  readonly mailUrl: string | undefined;
  /**
   * Runs a statement as `postgres`, which bypasses row-level security, and returns its rows. Values become parameters.
   *
   * @example const rows = await backend.sql`select id from todos where owner = ${userId}`;
   */
  sql<Row = Record<string, unknown>>(texts: TemplateStringsArray, ...values: unknown[]): Promise<Row[]>;
  /** Sends a request like `fetch`, with a path relative to {@link url}. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /**
   * Stops the backend and removes its database and files. The backend is also stopped and removed when the test's
   * process ends.
   */
  stop(): Promise<void>;
}

const connections = new Map<string, Promise<TestingConnection>>();

/**
 * Starts a backend with its own database on free ports. The first backend of a test run starts in about two seconds,
 * and each of the others in less than 0.2 seconds.
 *
 * @example const backend = await createTestBackend(); const client = createClient(backend.url,
 *   backend.keys.publishableKey); // … await backend.stop();
 */
export async function createTestBackend(options: TestBackendOptions = {}): Promise<TestBackend> {
  const workdir = process.cwd();
  const projectDir = options.projectDir === undefined ? nearestProject(workdir) : resolve(options.projectDir);
  const connection = await connectionFor(projectDir ?? workdir);
  const { handle, status } = await connection.request<CreatedBackend>({
    operation: 'create',
    projectDir,
    sql: options.sql,
    exclude: options.exclude ?? [],
    settings: options.settings ?? {},
    env: process.env,
  });
  const field = (name: string): string => status[name] ?? '';
  const url = field('API_URL');
  return {
    url,
    keys: {
      publishableKey: field('PUBLISHABLE_KEY'),
      secretKey: field('SECRET_KEY'),
      anonKey: field('ANON_KEY'),
      serviceRoleKey: field('SERVICE_ROLE_KEY'),
    },
    databaseUrl: field('DB_URL'),
    mailUrl: status.MAILPIT_URL,
    sql: (texts, ...values) => connection.request({ operation: 'sql', handle, texts: [...texts], values }),
    fetch: (path, init) => fetch(new URL(path, url), init),
    stop: () => connection.request({ operation: 'stop', handle }),
  };
}

async function connectionFor(projectKey: string): Promise<TestingConnection> {
  const known = await connections.get(projectKey);
  if (known?.isOpen()) return known;
  const connecting = connectToHost(projectKey);
  connections.set(projectKey, connecting);
  connecting.catch(() => connections.delete(projectKey));
  return connecting;
}

/** Returns the folder or its nearest parent that contains `supabase/`. */
function nearestProject(folder: string): string | undefined {
  if (existsSync(join(folder, 'supabase'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : nearestProject(parent);
}
