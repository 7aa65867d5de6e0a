/**
 * Defines the service's settings: those of PostgREST under Plinth's names, and some additional settings. The settings
 * come from the project configuration. The `pgrst.*` settings of the login role take precedence and are read on each
 * reload.
 */
import type { Config } from '../../platform/config/index.ts';
import { type ClaimPath, DEFAULT_ROLE_CLAIM, readClaimPath } from './core/claim-path.ts';
import type { SettingRow } from './queries.ts';
import type { QualifiedName } from './schema-cache/types.ts';

export interface RestSettings {
  /** The exposed schemas. The first schema is the default. */
  readonly schemas: readonly string[];
  readonly extraSearchPath: readonly string[];
  readonly maxRows: number | undefined;
  /** The role for requests without a token. If the role is undefined, requests without a token are rejected. */
  readonly anonRole: string | undefined;
  readonly preRequest: QualifiedName | undefined;
  /** A function whose result is served at `/` instead of the OpenAPI document. */
  readonly rootSpec: QualifiedName | undefined;
  /** How each transaction ends, and whether clients can override this with `Prefer: tx=…`. */
  readonly txEnd: { readonly rollback: boolean; readonly override: boolean };
  readonly planEnabled: boolean;
  readonly aggregatesEnabled: boolean;
  readonly hoistedSettings: readonly string[];
  readonly jwtAudience: string | undefined;
  readonly roleClaim: ClaimPath;
  readonly openapiMode: 'follow-privileges' | 'ignore-privileges' | 'disabled';
  readonly openapiSecurity: boolean;
  readonly openapiServer: string | undefined;
  readonly serverTiming: boolean;
  readonly traceHeader: string | undefined;
  readonly legacyTargetNames: boolean;
  readonly errorVerbosity: 'verbose' | 'minimal';
  /**
   * How much detail the `hint` of a 42501 error contains about the missing privilege or policy. PostgREST doesn't send
   * such hints, and the hosted service sends short hints.
   */
  readonly permissionHints: PermissionHints;
  /** The values of `app.settings.*`, which are set in every transaction. */
  readonly appSettings: readonly (readonly [string, string])[];
  /** Whether PATCH and DELETE require a filter. */
  readonly safeUpdate: boolean;
  /** Whether to also set `request.jwt.claim.sub`, which `auth.uid()` reads before other settings. */
  readonly legacySubClaim: boolean;
}

export type PermissionHints = 'off' | 'short' | 'full';

export function settingsFromConfig(config: Config, permissionHints: PermissionHints): RestSettings {
  return {
    // Until 2023, the CLI's template contained an empty list, which exposed `public`.
    schemas: config.api.schemas.length > 0 ? config.api.schemas : ['public'],
    extraSearchPath: config.api.extra_search_path,
    maxRows: config.api.max_rows,
    anonRole: 'anon',
    preRequest: undefined,
    rootSpec: undefined,
    txEnd: { rollback: false, override: false },
    planEnabled: false,
    aggregatesEnabled: false,
    hoistedSettings: [
      'statement_timeout',
      'plan_filter.statement_cost_limit',
      'default_transaction_isolation',
    ],
    jwtAudience: undefined,
    roleClaim: DEFAULT_ROLE_CLAIM,
    openapiMode: 'follow-privileges',
    openapiSecurity: false,
    openapiServer: undefined,
    serverTiming: false,
    traceHeader: undefined,
    legacyTargetNames: true,
    errorVerbosity: 'verbose',
    permissionHints,
    appSettings: [],
    safeUpdate: config.plinth.safe_update.enabled,
    legacySubClaim: true,
  };
}

type Reader = (value: string) => Partial<RestSettings>;

/**
 * The functions that parse a setting, keyed by the setting's name without `pgrst.`. A setting that has an invalid value
 * remains unchanged.
 */
const READERS: Readonly<Record<string, Reader>> = {
  client_error_verbosity: (value) => oneOf('errorVerbosity', value, ['verbose', 'minimal']),
  db_aggregates_enabled: (value) => flag('aggregatesEnabled', value),
  db_anon_role: (value) => ({ anonRole: value === '' ? undefined : value }),
  db_extra_search_path: (value) => ({ extraSearchPath: list(value) }),
  db_hoisted_tx_settings: (value) => ({ hoistedSettings: list(value) }),
  db_max_rows: (value) =>
    /^\d+$/.test(value) ? { maxRows: Number(value) } : value === '' ? { maxRows: undefined } : {},
  db_plan_enabled: (value) => flag('planEnabled', value),
  db_pre_request: (value) => ({ preRequest: functionName(value) }),
  db_root_spec: (value) => ({ rootSpec: functionName(value) }),
  db_schemas: (value) => (list(value).length === 0 ? {} : { schemas: list(value) }),
  db_tx_end: (value) => {
    const found = /^(commit|rollback)(-allow-override)?$/.exec(value);
    return found === null
      ? {}
      : { txEnd: { rollback: found[1] === 'rollback', override: found[2] !== undefined } };
  },
  jwt_aud: (value) => ({ jwtAudience: value === '' ? undefined : value }),
  jwt_role_claim_key: (value) => {
    const roleClaim = readClaimPath(value);
    return roleClaim === undefined ? {} : { roleClaim };
  },
  openapi_mode: (value) =>
    oneOf('openapiMode', value, ['follow-privileges', 'ignore-privileges', 'disabled']),
  openapi_security_active: (value) => flag('openapiSecurity', value),
  openapi_server_proxy_uri: (value) => ({ openapiServer: value === '' ? undefined : value }),
  server_timing_enabled: (value) => flag('serverTiming', value),
  server_trace_header: (value) => ({ traceHeader: value === '' ? undefined : value.toLowerCase() }),
  url_use_legacy_target_names: (value) => flag('legacyTargetNames', value),
};

/**
 * Returns the settings with the login role's `pgrst.*` settings applied.
 *
 * @example
 * withDatabaseSettings(settings, [{ name: 'pgrst.db_plan_enabled', value: 'true' }]).planEnabled; // true
 */
export function withDatabaseSettings(settings: RestSettings, rows: readonly SettingRow[]): RestSettings {
  let found = settings;
  for (const { name, value } of rows) {
    const read = READERS[name.replace(/^pgrst\./, '')];
    if (read !== undefined) found = { ...found, ...read(value) };
  }
  return found;
}

const TRUE = new Set(['true', 'on', 'yes', '1']);
const FALSE = new Set(['false', 'off', 'no', '0']);

function flag(name: keyof RestSettings, value: string): Partial<RestSettings> {
  const text = value.toLowerCase();
  return TRUE.has(text) ? { [name]: true } : FALSE.has(text) ? { [name]: false } : {};
}

const oneOf = (name: keyof RestSettings, value: string, allowed: readonly string[]): Partial<RestSettings> =>
  allowed.includes(value) ? { [name]: value } : {};

const list = (value: string): string[] =>
  value
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** Parses `schema.function`, or the name of a function that is on the search path. */
export function functionName(value: string): QualifiedName | undefined {
  if (value === '') return undefined;
  const dot = value.indexOf('.');
  return { schema: value.slice(0, Math.max(dot, 0)), name: value.slice(dot + 1) };
}
