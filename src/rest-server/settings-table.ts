/**
 * Every setting of `plinth rest`, with PostgREST 16.2's names. The help, the validation, `docs/rest.md`, the example
 * file and the configuration dump are generated from this table.
 */

export type Kind =
  | { readonly is: 'text' }
  /** Separated by commas. */
  | { readonly is: 'list' }
  | { readonly is: 'boolean' }
  | { readonly is: 'integer'; readonly from: number; readonly to?: number }
  | { readonly is: 'choice'; readonly of: readonly string[] }
  /** A file mode, in octal. */
  | { readonly is: 'mode' };

export interface Setting {
  readonly kind: Kind;
  /** The default in file syntax. Undefined if the setting has none. */
  readonly default: string | undefined;
  readonly help: string;
  /** Whether the setting can be stored in the database as `pgrst.name_with_underscores`. */
  readonly inDatabase?: true;
  /** Whether a change applies at the next reload. Other settings require a restart. */
  readonly reloads?: true;
  /** An older name, used if the current name isn't set. */
  readonly alias?: string;
  /** A value for the example file, if the default isn't informative. */
  readonly example?: string;
}

const text = { is: 'text' } as const;
const list = { is: 'list' } as const;
const boolean = { is: 'boolean' } as const;
const mode = { is: 'mode' } as const;
const port = { is: 'integer', from: 0, to: 65_535 } as const;
const count = { is: 'integer', from: 0 } as const;
const choice = (...of: string[]) => ({ is: 'choice', of }) as const;
/** The setting can also be stored in the database and applies at each reload. */
const anywhere = { inDatabase: true, reloads: true } as const;

export const settingsTable = {
  'admin-server-host': {
    kind: text,
    default: undefined,
    help: 'Address of the admin server; that of server-host unless set.',
  },
  'admin-server-port': {
    kind: port,
    default: undefined,
    example: '3001',
    help: 'Port of the admin server: /live, /ready, /metrics, /schema_cache. Without it there is none.',
  },
  'admin-server-unix-socket': {
    kind: text,
    default: undefined,
    example: '/tmp/pgrst-admin.sock',
    help: 'Unix socket of the admin server, instead of a port.',
  },
  'admin-server-unix-socket-mode': { kind: mode, default: '660', help: 'Its file mode, from 600 to 777.' },
  'client-error-verbosity': {
    kind: choice('verbose', 'minimal'),
    default: 'verbose',
    ...anywhere,
    help: 'What errors tell clients: all, or code and message only.',
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
    help: 'Role of requests without a token; without it they are refused (401).',
  },
  'db-channel': { kind: text, default: 'pgrst', reloads: true, help: 'Channel that NOTIFY reloads by.' },
  'db-channel-enabled': { kind: boolean, default: 'true', reloads: true, help: 'Listens on that channel.' },
  'db-config': {
    kind: boolean,
    default: 'true',
    reloads: true,
    help: 'Reads settings from the database: pgrst.* of the login role, and of db-pre-config.',
  },
  'db-extra-search-path': {
    kind: list,
    default: 'public',
    ...anywhere,
    help: 'Schemas on the search path that are not exposed, such as those of extensions.',
  },
  'db-hoisted-tx-settings': {
    kind: list,
    default: 'statement_timeout,plan_filter.statement_cost_limit,default_transaction_isolation',
    ...anywhere,
    help: 'Settings of functions that hold for the whole transaction.',
  },
  'db-max-rows': {
    kind: count,
    default: undefined,
    example: '1000',
    alias: 'max-rows',
    ...anywhere,
    help: 'Rows that an answer has at most.',
  },
  'db-plan-enabled': {
    kind: boolean,
    default: 'false',
    ...anywhere,
    help: 'Answers Accept: application/vnd.pgrst.plan with the execution plan.',
  },
  'db-pool': { kind: { is: 'integer', from: 1 }, default: '10', help: 'Connections for requests at most.' },
  'db-pool-acquisition-timeout': {
    kind: count,
    default: '10',
    help: 'Seconds that a request waits for a connection (504 then).',
  },
  'db-pool-automatic-recovery': {
    kind: boolean,
    default: 'true',
    reloads: true,
    help: 'Connects again when the database is lost; otherwise the process ends.',
  },
  'db-pool-max-idletime': {
    kind: count,
    default: '30',
    alias: 'db-pool-timeout',
    help: 'Seconds after which an unused connection is closed.',
  },
  'db-pool-max-lifetime': {
    kind: count,
    default: '1800',
    help: 'Seconds after which a connection is replaced.',
  },
  'db-pre-config': {
    kind: text,
    default: undefined,
    example: 'postgrest.pre_config',
    ...anywhere,
    help: 'Function that sets pgrst.* settings, called at each reading of the configuration.',
  },
  'db-pre-request': {
    kind: text,
    default: undefined,
    example: 'public.check_request',
    alias: 'pre-request',
    ...anywhere,
    help: 'Function called at the beginning of every transaction.',
  },
  'db-prepared-statements': {
    kind: boolean,
    default: 'true',
    ...anywhere,
    help: 'Names statements and keeps them prepared. False behind a pooler in transaction mode.',
  },
  'db-root-spec': {
    kind: text,
    default: undefined,
    example: 'public.root',
    alias: 'root-spec',
    ...anywhere,
    help: 'Function that answers / instead of OpenAPI.',
  },
  'db-schemas': {
    kind: list,
    default: 'public',
    alias: 'db-schema',
    ...anywhere,
    help: 'Exposed schemas; the first is the one of requests that name none.',
  },
  'db-tx-end': {
    kind: choice('commit', 'commit-allow-override', 'rollback', 'rollback-allow-override'),
    default: 'commit',
    ...anywhere,
    help: 'How transactions end, and whether Prefer: tx=… may change it.',
  },
  'db-uri': {
    kind: text,
    default: 'postgresql://',
    help: 'Connection string, of several hosts too, or @file that holds one; PG* variables, ~/.pgpass and ~/.postgresql fill in what it leaves out.',
  },
  'jwt-aud': {
    kind: text,
    default: undefined,
    example: 'my-api',
    ...anywhere,
    help: 'Audience that tokens must name.',
  },
  'jwt-cache-max-entries': {
    kind: count,
    default: '1000',
    reloads: true,
    help: 'Verified tokens remembered at most; 0 for none.',
  },
  'jwt-role-claim-key': {
    kind: text,
    default: '$.role',
    alias: 'role-claim-key',
    ...anywhere,
    help: 'JSONPath to the role in the claims; in a file $ is written $$.',
  },
  'jwt-secret': {
    kind: text,
    default: undefined,
    example: 'a-secret-of-at-least-32-characters',
    ...anywhere,
    help: 'Secret of 32 bytes or more, JSON Web Key, set of them, or @file that holds one.',
  },
  'jwt-secret-is-base64': {
    kind: boolean,
    default: 'false',
    alias: 'secret-is-base64',
    ...anywhere,
    help: 'The secret is written in base64.',
  },
  'log-level': {
    kind: choice('crit', 'error', 'warn', 'info', 'debug'),
    default: 'error',
    reloads: true,
    help: 'Which answers are logged: none, 5xx, 4xx too, all, all with details.',
  },
  'log-query': {
    kind: boolean,
    default: 'false',
    reloads: true,
    help: 'Logs the SQL of the answers that are logged.',
  },
  'openapi-mode': {
    kind: choice('follow-privileges', 'ignore-privileges', 'disabled'),
    default: 'follow-privileges',
    ...anywhere,
    help: 'What / describes: what the role may use, everything, or nothing (404).',
  },
  'openapi-security-active': {
    kind: boolean,
    default: 'false',
    ...anywhere,
    help: 'Describes the token in OpenAPI.',
  },
  'openapi-server-proxy-uri': {
    kind: text,
    default: undefined,
    example: 'https://api.example.com/v1',
    ...anywhere,
    help: 'Address that OpenAPI gives instead of our own.',
  },
  'server-cors-allowed-origins': {
    kind: list,
    default: undefined,
    example: 'https://app.example.com',
    ...anywhere,
    help: 'Origins whose pages may call, with credentials; all, without, unless set.',
  },
  'server-host': {
    kind: text,
    default: '!4',
    help: 'Address to listen on; *, *4, !4, *6, !6 stand for all, by family (! only, * preferred).',
  },
  'server-port': { kind: port, default: '3000', help: 'Port to listen on; 0 takes a free one.' },
  'server-reuseport': {
    kind: boolean,
    default: 'false',
    help: 'Several processes share the port (SO_REUSEPORT).',
  },
  'server-timing-enabled': {
    kind: boolean,
    default: 'false',
    ...anywhere,
    help: 'Answers carry Server-Timing.',
  },
  'server-trace-header': {
    kind: text,
    default: undefined,
    example: 'X-Request-Id',
    ...anywhere,
    help: 'Request header that is given back in the answer.',
  },
  'server-unix-socket': {
    kind: text,
    default: undefined,
    example: '/tmp/pgrst.sock',
    help: 'Unix socket to listen on, instead of a port.',
  },
  'server-unix-socket-mode': { kind: mode, default: '660', help: 'Its file mode, from 600 to 777.' },
  'url-use-legacy-target-names': {
    kind: boolean,
    default: 'true',
    ...anywhere,
    help: 'Filters may name an embed that has an alias by its relation, with a warning.',
  },
} as const satisfies Record<string, Setting>;

export type Key = keyof typeof settingsTable;

export const settingKeys = Object.keys(settingsTable) as Key[];

export const settingOf = (key: Key): Setting => settingsTable[key];

/** Returns the environment variable of a setting, such as `PGRST_DB_URI`. */
export const environmentName = (key: string): string => `PGRST_${key.toUpperCase().replaceAll('-', '_')}`;

/** Returns the database name of a setting, such as `pgrst.db_schemas`. */
export const databaseName = (key: string): string => `pgrst.${key.replaceAll('-', '_')}`;

/** `app.settings.*` aren't in the table because users choose their names. */
export const APP_SETTINGS = {
  prefix: 'app.settings.',
  environmentPrefix: 'PGRST_APP_SETTINGS_',
  help: "Settings of your own, local to every transaction: current_setting('app.settings.x').",
} as const;
