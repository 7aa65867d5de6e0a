/**
 * Lists all settings of `plinth rest`, which have the same names as in PostgREST 16.2. The help text, the validation,
 * `docs/rest.md`, the example file and the configuration dump use this table.
 */

export type Kind =
  | { readonly is: 'text' }
  /** A list whose items are separated by commas. */
  | { readonly is: 'list' }
  | { readonly is: 'boolean' }
  | { readonly is: 'integer'; readonly from: number; readonly to?: number }
  | { readonly is: 'choice'; readonly of: readonly string[] }
  /** A file mode in octal. */
  | { readonly is: 'mode' };

export interface Setting {
  readonly kind: Kind;
  /** The default in the syntax of the file. Undefined if the setting has no default. */
  readonly default: string | undefined;
  readonly help: string;
  /** Whether the setting can be stored in the database as `pgrst.name_with_underscores`. */
  readonly inDatabase?: true;
  /** Whether a change applies at the next reload. A change to any other setting requires a restart. */
  readonly reloads?: true;
  /** An older name of the setting, which is used if the current name isn't set. */
  readonly alias?: string;
  /** The value that the example file contains instead of the default, if the default isn't informative. */
  readonly example?: string;
}

const text = { is: 'text' } as const;
const list = { is: 'list' } as const;
const boolean = { is: 'boolean' } as const;
const mode = { is: 'mode' } as const;
const port = { is: 'integer', from: 0, to: 65_535 } as const;
const count = { is: 'integer', from: 0 } as const;
const choice = (...of: string[]) => ({ is: 'choice', of }) as const;
/** The setting can also be stored in the database, and a change to it applies at the next reload. */
const anywhere = { inDatabase: true, reloads: true } as const;

export const settingsTable = {
  'admin-server-host': {
    kind: text,
    default: undefined,
    help: 'Address of the admin server. Default: server-host.',
  },
  'admin-server-port': {
    kind: port,
    default: undefined,
    example: '3001',
    help: 'Port of the admin server (/live, /ready, /metrics, /schema_cache). If unset, the admin server is disabled.',
  },
  'admin-server-unix-socket': {
    kind: text,
    default: undefined,
    example: '/tmp/pgrst-admin.sock',
    help: 'Unix socket of the admin server, instead of a port.',
  },
  'admin-server-unix-socket-mode': {
    kind: mode,
    default: '660',
    help: 'File mode of the Unix socket, from 600 to 777.',
  },
  'client-error-verbosity': {
    kind: choice('verbose', 'minimal'),
    default: 'verbose',
    ...anywhere,
    help: 'Content of error responses: all fields, or only code and message.',
  },
  'db-aggregates-enabled': {
    kind: boolean,
    default: 'false',
    ...anywhere,
    help: 'Allows avg(), count(), max(), min() and sum() in select.',
  },
  'db-anon-role': {
    kind: text,
    default: undefined,
    example: 'anon',
    ...anywhere,
    help: 'Role used for requests without a token. If unset, requests without a token are rejected (401).',
  },
  'db-channel': { kind: text, default: 'pgrst', reloads: true, help: 'NOTIFY channel for reloads.' },
  'db-channel-enabled': {
    kind: boolean,
    default: 'true',
    reloads: true,
    help: 'Listens for notifications on the db-channel.',
  },
  'db-config': {
    kind: boolean,
    default: 'true',
    reloads: true,
    help: 'Reads settings from the database: the pgrst.* settings of the login role, and those that the db-pre-config function sets.',
  },
  'db-extra-search-path': {
    kind: list,
    default: 'public',
    ...anywhere,
    help: "Schemas in the search path that aren't exposed, such as extension schemas.",
  },
  'db-hoisted-tx-settings': {
    kind: list,
    default: 'statement_timeout,plan_filter.statement_cost_limit,default_transaction_isolation',
    ...anywhere,
    help: 'Function settings that apply to the whole transaction.',
  },
  'db-max-rows': {
    kind: count,
    default: undefined,
    example: '1000',
    alias: 'max-rows',
    ...anywhere,
    help: 'Maximum number of rows in a response.',
  },
  'db-plan-enabled': {
    kind: boolean,
    default: 'false',
    ...anywhere,
    help: 'Returns the execution plan for Accept: application/vnd.pgrst.plan.',
  },
  'db-pool': {
    kind: { is: 'integer', from: 1 },
    default: '10',
    help: 'Maximum number of connections for requests.',
  },
  'db-pool-acquisition-timeout': {
    kind: count,
    default: '10',
    help: 'Maximum time, in seconds, that a request waits for a connection before it fails with status 504.',
  },
  'db-pool-automatic-recovery': {
    kind: boolean,
    default: 'true',
    reloads: true,
    help: 'Reconnects if the connection to the database is lost. If false, the process exits instead.',
  },
  'db-pool-max-idletime': {
    kind: count,
    default: '30',
    alias: 'db-pool-timeout',
    help: 'Time after which an unused connection is closed, in seconds.',
  },
  'db-pool-max-lifetime': {
    kind: count,
    default: '1800',
    help: 'Time after which a connection is replaced, in seconds.',
  },
  'db-pre-config': {
    kind: text,
    default: undefined,
    example: 'postgrest.pre_config',
    ...anywhere,
    help: 'Function that sets pgrst.* settings. This function is called whenever the configuration is read.',
  },
  'db-pre-request': {
    kind: text,
    default: undefined,
    example: 'public.check_request',
    alias: 'pre-request',
    ...anywhere,
    help: 'Function that is called at the start of every transaction.',
  },
  'db-prepared-statements': {
    kind: boolean,
    default: 'true',
    ...anywhere,
    help: 'Uses prepared statements. Set this to false behind a pooler in transaction mode.',
  },
  'db-root-spec': {
    kind: text,
    default: undefined,
    example: 'public.root',
    alias: 'root-spec',
    ...anywhere,
    help: 'Function that returns the response for /, instead of the OpenAPI document.',
  },
  'db-schemas': {
    kind: list,
    default: 'public',
    alias: 'db-schema',
    ...anywhere,
    help: 'Exposed schemas. The first schema is the default for requests.',
  },
  'db-tx-end': {
    kind: choice('commit', 'commit-allow-override', 'rollback', 'rollback-allow-override'),
    default: 'commit',
    ...anywhere,
    help: 'How transactions end, and whether Prefer: tx=… can override it.',
  },
  'db-uri': {
    kind: text,
    default: 'postgresql://',
    help: 'Connection string (with one or more hosts), or @ followed by the name of a file that contains it. PG* variables, ~/.pgpass and ~/.postgresql provide missing parts.',
  },
  'jwt-aud': {
    kind: text,
    default: undefined,
    example: 'my-api',
    ...anywhere,
    help: 'Required audience of tokens.',
  },
  'jwt-cache-max-entries': {
    kind: count,
    default: '1000',
    reloads: true,
    help: 'Maximum number of cached verified tokens. 0 disables the cache.',
  },
  'jwt-role-claim-key': {
    kind: text,
    default: '$.role',
    alias: 'role-claim-key',
    ...anywhere,
    help: 'JSONPath expression that selects the role in the claims. In a configuration file, write $$ for $.',
  },
  'jwt-secret': {
    kind: text,
    default: undefined,
    example: 'a-secret-of-at-least-32-characters',
    ...anywhere,
    help: 'Secret of at least 32 bytes, a JSON Web Key or key set, or @ followed by the name of a file that contains one of them.',
  },
  'jwt-secret-is-base64': {
    kind: boolean,
    default: 'false',
    alias: 'secret-is-base64',
    ...anywhere,
    help: 'Whether jwt-secret is base64-encoded.',
  },
  'log-level': {
    kind: choice('crit', 'error', 'warn', 'info', 'debug'),
    default: 'error',
    reloads: true,
    help: 'Which responses are logged: none, only 5xx, only 4xx and 5xx, all, or all with details.',
  },
  'log-query': {
    kind: boolean,
    default: 'false',
    reloads: true,
    help: 'Logs the SQL of requests whose responses are logged.',
  },
  'openapi-mode': {
    kind: choice('follow-privileges', 'ignore-privileges', 'disabled'),
    default: 'follow-privileges',
    ...anywhere,
    help: 'Content of the OpenAPI document: objects that the role can use, all objects, or disabled (404).',
  },
  'openapi-security-active': {
    kind: boolean,
    default: 'false',
    ...anywhere,
    help: 'Includes the security definition in the OpenAPI document.',
  },
  'openapi-server-proxy-uri': {
    kind: text,
    default: undefined,
    example: 'https://api.example.com/v1',
    ...anywhere,
    help: 'Public URL of the service, for the OpenAPI document.',
  },
  'server-cors-allowed-origins': {
    kind: list,
    default: undefined,
    example: 'https://app.example.com',
    ...anywhere,
    help: 'Origins that can send requests with credentials. If unset, all origins can send requests, but without credentials.',
  },
  'server-host': {
    kind: text,
    default: '!4',
    help: 'Address to listen on. *, *4, !4, *6 and !6 mean all addresses. !4 and !6 use only the IP version that they name. *4 and *6 prefer the IP version that they name.',
  },
  'server-port': { kind: port, default: '3000', help: 'Port to listen on. 0 uses a free port.' },
  'server-reuseport': {
    kind: boolean,
    default: 'false',
    help: 'Lets several processes share the port (SO_REUSEPORT).',
  },
  'server-timing-enabled': {
    kind: boolean,
    default: 'false',
    ...anywhere,
    help: 'Adds a Server-Timing header to responses.',
  },
  'server-trace-header': {
    kind: text,
    default: undefined,
    example: 'X-Request-Id',
    ...anywhere,
    help: 'Request header to copy to the response.',
  },
  'server-unix-socket': {
    kind: text,
    default: undefined,
    example: '/tmp/pgrst.sock',
    help: 'Unix socket to listen on, instead of a port.',
  },
  'server-unix-socket-mode': {
    kind: mode,
    default: '660',
    help: 'File mode of the Unix socket, from 600 to 777.',
  },
  'url-use-legacy-target-names': {
    kind: boolean,
    default: 'true',
    ...anywhere,
    help: 'Lets filters refer to an aliased embed by its relation name, with a warning.',
  },
} as const satisfies Record<string, Setting>;

export type Key = keyof typeof settingsTable;

export const settingKeys = Object.keys(settingsTable) as Key[];

export const settingOf = (key: Key): Setting => settingsTable[key];

/** Returns the name of a setting's environment variable, such as `PGRST_DB_URI`. */
export const environmentName = (key: string): string => `PGRST_${key.toUpperCase().replaceAll('-', '_')}`;

/** Returns the name of a setting in the database, such as `pgrst.db_schemas`. */
export const databaseName = (key: string): string => `pgrst.${key.replaceAll('-', '_')}`;

/** Describes the settings `app.settings.*`, which aren't in the table because users choose their names. */
export const APP_SETTINGS = {
  prefix: 'app.settings.',
  environmentPrefix: 'PGRST_APP_SETTINGS_',
  help: "Your own settings, which are set locally in every transaction: current_setting('app.settings.x').",
} as const;
