/** Builds the configuration of `plinth rest`. Reads all sources, reports all errors, and resolves secrets and names. */
import {
  type ConnectionOptions,
  ConnectionStringError,
  connectionOf as completed,
} from '../../platform/database/index.ts';
import { type KeySet, readKeySet } from '../../platform/keys/index.ts';
import { type ClaimPath, functionName, type RestSettings, readClaimPath } from '../../services/rest/index.ts';
import { ConfigFileError, type FileValue, readConfigFile } from './config-file.ts';
import { type Read, readValues, type Values } from './read-values.ts';
import type { Key } from './settings-table.ts';

export type LogLevel = 'crit' | 'error' | 'warn' | 'info' | 'debug';

export interface Listener {
  readonly host: string;
  readonly port: number;
  readonly unixSocket: string | undefined;
  /** The file mode of the Unix socket. */
  readonly mode: number;
  readonly reusePort: boolean;
}

export interface ServerConfig {
  readonly rest: RestSettings;
  /** The keys that verify tokens. If the keys are undefined, all tokens are rejected. */
  readonly keySet: KeySet | undefined;
  readonly jwtCacheEntries: number;
  readonly connection: ConnectionOptions;
  readonly preparedStatements: boolean;
  readonly pool: {
    readonly connections: number;
    readonly acquireTimeoutMs: number;
    readonly idleTimeoutMs: number;
    readonly maxLifetimeMs: number;
    readonly recovers: boolean;
  };
  /**
   * The PostgreSQL channel on which the server listens for reload notifications. If it is undefined, the server doesn't
   * listen for notifications.
   */
  readonly channel: string | undefined;
  readonly readsDatabase: boolean;
  readonly preConfig: string | undefined;
  readonly corsOrigins: readonly string[];
  readonly logLevel: LogLevel;
  readonly logQuery: boolean;
  readonly server: Listener;
  readonly admin: Listener | undefined;
  /** The settings as they were read from their sources, for `--dump-config`. */
  readonly values: Values;
  readonly warnings: readonly string[];
}

export interface ConfigSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The path to the configuration file. */
  readonly path: string | undefined;
  readonly readFile: (path: string) => Buffer;
  readonly database: ReadonlyMap<string, string>;
}

/** Thrown if the configuration has errors. The error message contains one line per configuration error. */
export class ServerConfigError extends Error {
  override name = 'ServerConfigError';
  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
  }
}

/** Reads and checks the configuration. @throws {ServerConfigError} with all errors in the configuration */
export function readServerConfig(sources: ConfigSources): ServerConfig {
  const { environment, database } = sources;
  const read = readValues({ environment, file: readFileValues(sources), database });
  const reader = new Reader(read, sources);
  const config = reader.config();
  if (reader.faults.length > 0) throw new ServerConfigError(reader.faults);
  return config;
}

function readFileValues({ path, readFile, environment }: ConfigSources): ReadonlyMap<string, FileValue> {
  if (path === undefined) return new Map();
  try {
    return readConfigFile(path, { read: (file) => readFile(file).toString('utf8'), environment });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof ConfigFileError) throw new ServerConfigError([`${message}.`]);
    if (code === undefined) throw error;
    throw new ServerConfigError([`Failed to read the configuration file: ${message}. Use a readable file.`]);
  }
}

class Reader {
  readonly faults: string[];
  readonly #values: Values;
  readonly #read: Read;
  readonly #sources: ConfigSources;

  constructor(read: Read, sources: ConfigSources) {
    this.faults = [...read.faults];
    this.#values = read.values;
    this.#read = read;
    this.#sources = sources;
  }

  config(): ServerConfig {
    const server = this.#listener('server', this.#number('server-port', 3000));
    const adminPort = this.#optionalNumber('admin-server-port');
    const adminSocket = this.#text('admin-server-unix-socket');
    if (adminPort !== undefined && adminPort !== 0 && adminPort === server.port) {
      this.faults.push("admin-server-port can't be the same as server-port. Use another port.");
    }
    const admin =
      adminPort === undefined && adminSocket === undefined
        ? undefined
        : this.#listener('admin-server', adminPort ?? 0);
    return {
      rest: this.#rest(),
      keySet: this.#keySet(),
      jwtCacheEntries: this.#number('jwt-cache-max-entries', 0),
      connection: this.#connection(),
      preparedStatements: this.#flag('db-prepared-statements'),
      pool: {
        connections: this.#number('db-pool', 10),
        acquireTimeoutMs: this.#number('db-pool-acquisition-timeout', 10) * 1000,
        idleTimeoutMs: this.#number('db-pool-max-idletime', 30) * 1000,
        maxLifetimeMs: this.#number('db-pool-max-lifetime', 1800) * 1000,
        recovers: this.#flag('db-pool-automatic-recovery'),
      },
      channel: this.#flag('db-channel-enabled') ? this.#text('db-channel') : undefined,
      readsDatabase: this.#flag('db-config'),
      preConfig: this.#text('db-pre-config'),
      corsOrigins: this.#list('server-cors-allowed-origins'),
      logLevel: (this.#text('log-level') ?? 'error') as LogLevel,
      logQuery: this.#flag('log-query'),
      server,
      admin,
      values: new Map([...this.#values, ['admin-server-host' as const, admin?.host ?? this.#adminHost()]]),
      warnings: this.#read.warnings,
    };
  }

  #rest(): RestSettings {
    const txEnd = this.#text('db-tx-end') ?? 'commit';
    const name = (key: Key) => functionName(this.#text(key) ?? '');
    return {
      schemas: this.#schemas(),
      extraSearchPath: this.#list('db-extra-search-path'),
      maxRows: this.#optionalNumber('db-max-rows'),
      anonRole: this.#text('db-anon-role'),
      preRequest: name('db-pre-request'),
      rootSpec: name('db-root-spec'),
      txEnd: { rollback: txEnd.startsWith('rollback'), override: txEnd.endsWith('allow-override') },
      planEnabled: this.#flag('db-plan-enabled'),
      aggregatesEnabled: this.#flag('db-aggregates-enabled'),
      hoistedSettings: this.#list('db-hoisted-tx-settings'),
      jwtAudience: this.#audience(),
      roleClaim: this.#roleClaim(),
      openapiMode: (this.#text('openapi-mode') ?? 'follow-privileges') as RestSettings['openapiMode'],
      openapiSecurity: this.#flag('openapi-security-active'),
      openapiServer: this.#proxyUri(),
      serverTiming: this.#flag('server-timing-enabled'),
      traceHeader: this.#text('server-trace-header')?.toLowerCase(),
      legacyTargetNames: this.#flag('url-use-legacy-target-names'),
      errorVerbosity: this.#text('client-error-verbosity') === 'minimal' ? 'minimal' : 'verbose',
      appSettings: this.#read.appSettings,
      safeUpdate: false,
      legacySubClaim: false,
      permissionHints: 'off',
    };
  }

  #schemas(): readonly string[] {
    const schemas = this.#list('db-schemas');
    for (const schema of ['pg_catalog', 'information_schema']) {
      if (schemas.includes(schema)) {
        this.faults.push(`db-schemas doesn't allow the schema '${schema}'. Use your own schemas.`);
      }
    }
    return schemas;
  }

  /** If the value contains a colon, it must be a URI (RFC 7519 section 2, StringOrURI). */
  #audience(): string | undefined {
    const audience = this.#text('jwt-aud');
    if (
      audience?.includes(':') &&
      !/^[a-z][a-z0-9+.-]*:(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[0-9a-f]{2})*$/i.test(audience)
    ) {
      this.faults.push(
        'jwt-aud should be a string or a valid URI; write one without a colon, or correct the URI.',
      );
    }
    return audience;
  }

  #roleClaim(): ClaimPath {
    const text = this.#text('jwt-role-claim-key') ?? '$.role';
    const path = readClaimPath(text);
    if (path !== undefined) return path;
    this.faults.push(
      `jwt-role-claim-key: failed to parse role-claim-key value (${text}); write a JSONPath such as $.app_metadata.role.`,
    );
    return readClaimPath('$.role') as ClaimPath;
  }

  #proxyUri(): string | undefined {
    const text = this.#text('openapi-server-proxy-uri');
    if (text === undefined) return undefined;
    const url = URL.canParse(text) && /^https?:\/\//i.test(text) ? new URL(text) : undefined;
    if (url === undefined || url.search !== '' || url.username !== '' || url.port === '0') {
      this.faults.push(
        'openapi-server-proxy-uri: malformed proxy uri; write one such as https://example.com:8443/basePath.',
      );
    }
    return text;
  }

  #keySet(): KeySet | undefined {
    const text = this.#text('jwt-secret');
    if (text === undefined) return undefined;
    try {
      const secret = text.startsWith('@') ? chomp(this.#sources.readFile(text.slice(1))) : Buffer.from(text);
      return readKeySet(this.#flag('jwt-secret-is-base64') ? fromBase64(secret) : secret);
    } catch (error) {
      this.faults.push(`jwt-secret is invalid: ${(error as Error).message}.`);
      return undefined;
    }
  }

  #connection(): ConnectionOptions {
    const { environment, readFile } = this.#sources;
    const text = this.#text('db-uri') ?? 'postgresql://';
    try {
      const uri = text.startsWith('@') ? readFile(text.slice(1)).toString('utf8').trim() : text;
      return connectionOf(uri, environment);
    } catch (error) {
      // The messages of other errors aren't shown because they could include a password.
      const known =
        error instanceof ConnectionStringError || (error as NodeJS.ErrnoException).code !== undefined;
      if (!known) throw error;
      this.faults.push(`db-uri is invalid: ${(error as Error).message}.`);
      return connectionOf('postgresql://', {});
    }
  }

  #listener(name: 'server' | 'admin-server', port: number): Listener {
    return {
      host: name === 'server' ? (this.#text('server-host') ?? '!4') : this.#adminHost(),
      port,
      unixSocket: this.#text(`${name}-unix-socket`),
      mode: Number.parseInt(this.#text(`${name}-unix-socket-mode`) ?? '660', 8),
      reusePort: name === 'server' && this.#flag('server-reuseport'),
    };
  }

  #adminHost(): string {
    return this.#text('admin-server-host') ?? this.#text('server-host') ?? '!4';
  }

  #text(key: Key): string | undefined {
    return this.#values.get(key) as string | undefined;
  }

  #list(key: Key): readonly string[] {
    return (this.#values.get(key) as readonly string[] | undefined) ?? [];
  }

  #flag(key: Key): boolean {
    return this.#values.get(key) === true;
  }

  #optionalNumber(key: Key): number | undefined {
    return this.#values.get(key) as number | undefined;
  }

  #number(key: Key, fallback: number): number {
    return this.#optionalNumber(key) ?? fallback;
  }
}

/** Removes the line feed at the end of a file. Text editors add a line feed, but it isn't part of the secret. */
const chomp = (bytes: Buffer): Buffer => (bytes.at(-1) === 0x0a ? bytes.subarray(0, -1) : bytes);

/** Decodes base64. The URL-safe base64 alphabet and dots as padding are also accepted. */
function fromBase64(bytes: Buffer): Buffer {
  const text = bytes.toString('utf8').trim().replaceAll('_', '/').replaceAll('-', '+').replaceAll('.', '=');
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
    throw new Error("it isn't base64. Set jwt-secret-is-base64 to false, or encode the secret");
  }
  return Buffer.from(text, 'base64');
}

/** Returns the connection options for `db-uri`. @throws {ConnectionStringError} */
function connectionOf(
  uri: string,
  environment: Readonly<Record<string, string | undefined>>,
): ConnectionOptions {
  return completed(uri, { ...environment, PGAPPNAME: environment.PGAPPNAME ?? 'plinth rest' });
}
