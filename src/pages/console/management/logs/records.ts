/** The rows of log queries: requests and log lines with the names of upstream's log sources and attributes. */
import type { LogEntry } from '../../../../platform/telemetry/types.ts';

export interface LogRecord {
  readonly id: string;
  readonly timestamp: Date;
  readonly event_message: string;
  readonly severity_text: string;
  readonly source: string;
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** The sources, each with the entries that it contains. An entry can be in several sources. */
export const sources: Readonly<Record<string, (entry: LogEntry) => boolean>> = {
  edge_logs: ({ kind, service }) => kind === 'request' && apiServices.has(service),
  postgres_logs: ({ service, fields }) =>
    service === 'postgres' || service === 'database' || fields?.sqlstate !== undefined,
  postgrest_logs: ({ service }) => service === 'rest',
  auth_logs: ({ service }) => service === 'auth',
  storage_logs: ({ service }) => service === 'storage',
  realtime_logs: ({ service }) => service === 'realtime',
  function_edge_logs: ({ kind, service }) => kind === 'request' && service === 'functions',
  function_logs: ({ kind, service }) => kind === 'line' && service === 'functions',
  /** Plinth's other lines and requests, such as those of the Console, jobs and backups. */
  plinth_logs: ({ service }) => !apiServices.has(service),
};

const apiServices = new Set(['rest', 'graphql', 'auth', 'storage', 'realtime', 'functions']);

/** The attributes. Names with dots are upstream's. */
export const attributeNames: ReadonlySet<string> = new Set([
  'identifier',
  'request.method',
  'request.path',
  'request.search',
  'request.headers.user_agent',
  'request.headers.cf_connecting_ip',
  'response.status_code',
  'response.origin_time',
  'method',
  'path',
  'status',
  'status_code',
  'level',
  'msg',
  'error',
  'error_severity',
  'parsed.error_severity',
  'parsed.sql_state_code',
  'event_type',
  'function_id',
  'execution_id',
  'execution_time_ms',
  'deployment_id',
  'version',
  'request_id',
  'service',
  'role',
  'user_id',
  'operator',
  'database_ms',
  'node',
  'workflow_run',
]);

/** Returns the records of an entry, one for each of its sources. */
export function recordsOf(entry: LogEntry & { readonly node?: string }, index: number): LogRecord[] {
  const isRequest = entry.kind === 'request';
  const message = isRequest
    ? `${entry.method ?? ''} ${entry.path ?? ''} ${entry.status ?? ''}`.trim()
    : entry.message;
  const base = {
    id: `${entry.requestId ?? 'line'}-${entry.at}-${index}`,
    timestamp: new Date(entry.at),
    event_message: message,
    severity_text: entry.level,
    attributes: attributesOf(entry),
  };
  return Object.keys(sources)
    .filter((source) => sources[source]?.(entry))
    .map((source) => ({ ...base, source }));
}

function attributesOf(entry: LogEntry & { readonly node?: string }): LogRecord['attributes'] {
  const { fields = {} } = entry;
  const error = fields.error ?? fields.err;
  const slug =
    typeof fields.function === 'string'
      ? fields.function
      : /^\/functions\/v1\/([\w-]+)/.exec(entry.path ?? '')?.[1];
  const found: Record<string, unknown> = {
    'request.method': entry.method,
    'request.path': entry.path,
    'request.search': entry.query,
    'request.headers.user_agent': entry.userAgent,
    'request.headers.cf_connecting_ip': entry.ip,
    'response.status_code': entry.status,
    'response.origin_time': entry.durationMs,
    method: entry.method,
    path: entry.path,
    status: entry.status,
    status_code: entry.status,
    level: entry.level,
    msg: entry.kind === 'line' ? entry.message : undefined,
    error: error instanceof Object ? JSON.stringify(error) : error,
    error_severity: entry.level.toUpperCase(),
    'parsed.error_severity': entry.level.toUpperCase(),
    'parsed.sql_state_code': fields.sqlstate ?? fields.code,
    event_type: entry.kind === 'line' ? 'Log' : 'Request',
    function_id: entry.service === 'functions' ? slug : undefined,
    execution_id: entry.service === 'functions' ? entry.requestId : undefined,
    execution_time_ms: entry.service === 'functions' ? entry.durationMs : undefined,
    request_id: entry.requestId,
    service: entry.service,
    role: entry.role,
    user_id: entry.userId,
    operator: entry.operator,
    database_ms: entry.databaseMs,
    node: entry.node,
  };
  return Object.fromEntries(
    Object.entries(found).filter(([, value]) => typeof value === 'string' || typeof value === 'number'),
  ) as LogRecord['attributes'];
}
