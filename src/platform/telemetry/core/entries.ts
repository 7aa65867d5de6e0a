/** Converts records to log entries, and filters log entries. */
import type { RequestRecord } from '../../../base/kernel/trace.ts';
import { type Level, type LogEntry, type LogFilter, levels } from '../types.ts';

/** A log line that a service has written. */
export interface LineRecord {
  readonly at: number;
  readonly level: Level;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const maxTextChars = 4000;

const levelOf = (status: number): Level => (status >= 500 ? 'warn' : 'info');

export function requestEntry(record: RequestRecord): LogEntry {
  const { at, requestId, service, method, url, status, durationMs, ip, userAgent, trace } = record;
  const question = url.indexOf('?');
  return {
    at,
    level: levelOf(status),
    kind: 'request',
    service,
    message: 'request',
    requestId,
    method,
    path: url.slice(0, question < 0 ? maxTextChars : Math.min(question, maxTextChars)),
    query: question < 0 ? undefined : cutSecrets(url.slice(question + 1)),
    status,
    // As in the log file, so that an entry has the same position in a list of the slowest requests.
    durationMs: rounded(durationMs),
    databaseMs: databaseMsOf(record),
    ip,
    userAgent: userAgent?.slice(0, 400),
    role: trace?.role,
    userId: trace?.userId,
    schema: trace?.schema,
    operator: trace?.operator,
    statements: trace?.spans,
  };
}

export function databaseMsOf({ trace }: RequestRecord): number | undefined {
  if (trace?.spans === undefined) return undefined;
  let sum = 0;
  for (const { durationMs } of trace.spans) sum += durationMs;
  return rounded(sum);
}

/** Rounds a duration to hundredths of a millisecond. */
export const rounded = (ms: number): number => Math.round(ms * 100) / 100;

export function lineEntry({ at, level, message, fields }: LineRecord): LogEntry {
  const { service, requestId, userId, role, path, method, status, ...rest } = fields;
  const others = Object.keys(rest).length === 0 ? undefined : plain(rest);
  return {
    at,
    level,
    kind: 'line',
    service: text(service) ?? 'plinth',
    message: message.slice(0, maxTextChars),
    requestId: text(requestId),
    userId: text(userId),
    role: text(role),
    path: text(path),
    method: text(method),
    status: typeof status === 'number' ? status : undefined,
    fields: others,
  };
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, maxTextChars) : undefined;

/** Returns the fields that JSON can represent, with long values truncated. */
function plain(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (value instanceof Error) {
        const { message, stack } = value;
        return [
          name,
          { ...('code' in value ? { code: value.code } : {}), message, stack: stack?.slice(0, maxTextChars) },
        ];
      }
      if (typeof value === 'string') return [name, value.slice(0, maxTextChars)];
      return [name, typeof value === 'bigint' ? String(value) : value];
    }),
  );
}

const levelNumbers: Readonly<Record<number, Level>> = {
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'error',
};

/** Parses a line of a log file. Returns undefined if Plinth didn't write the line or if it is truncated. */
export function entryOfFileLine(line: string): LogEntry | undefined {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
  if (value === null || typeof value !== 'object' || typeof value.time !== 'string') return undefined;
  const { level, time, message, ...fields } = value;
  const at = Date.parse(time as string);
  if (Number.isNaN(at)) return undefined;
  const named = levelNumbers[level as number] ?? 'info';
  const words = typeof message === 'string' ? message : '';
  if (words !== 'request' || typeof fields.status !== 'number')
    return lineEntry({ at, level: named, message: words, fields });
  const { service, requestId, method, path, query, status, durationMs, databaseMs, ip, userAgent } = fields;
  const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
  return {
    at,
    level: named,
    kind: 'request',
    service: text(service) ?? 'gateway',
    message: words,
    requestId: text(requestId),
    method: text(method),
    path: text(path),
    query: text(query),
    status,
    durationMs: number(durationMs),
    databaseMs: number(databaseMs),
    ip: text(ip),
    userAgent: text(userAgent),
    role: text(fields.role),
    userId: text(fields.userId),
    schema: text(fields.schema),
    operator: text(fields.operator),
    statements: Array.isArray(fields.statements) ? (fields.statements as LogEntry['statements']) : undefined,
  };
}

function isOf(wanted: string, { service, operator }: LogEntry): boolean {
  if (!wanted.startsWith('!')) return service === wanted;
  return service !== wanted.slice(1) && !(wanted === '!console' && operator !== undefined);
}

/**
 * Whether an entry matches the filter.
 *
 * @example fits({ status: '5', service: 'rest' }, entry)
 */
export function fits(filter: LogFilter, entry: LogEntry): boolean {
  const {
    service,
    level,
    status,
    path,
    user,
    requestId,
    search,
    method,
    minMs,
    maxMs,
    since,
    until,
    shown = (text) => text,
  } = filter;
  const holds = (text: string, part: string) => shown(text).toLowerCase().includes(part.toLowerCase());
  if (service !== undefined && !isOf(service, entry)) return false;
  if (level !== undefined && levels.indexOf(entry.level) < levels.indexOf(level)) return false;
  if (status !== undefined && !String(entry.status ?? '').startsWith(status)) return false;
  if (requestId !== undefined && entry.requestId !== requestId) return false;
  if (user !== undefined && entry.userId !== user && entry.operator !== user) return false;
  if (since !== undefined && entry.at < since) return false;
  if (until !== undefined && entry.at >= until) return false;
  if (method !== undefined && entry.method !== method) return false;
  if (minMs !== undefined && !((entry.durationMs ?? -1) >= minMs)) return false;
  if (maxMs !== undefined && !((entry.durationMs ?? Number.POSITIVE_INFINITY) <= maxMs)) return false;
  if (path !== undefined && !holds(entry.path ?? '', path)) return false;
  return search === undefined || textsOf(entry).some((text) => holds(text, search));
}

/** Returns the texts of an entry that are displayed. */
function textsOf(entry: LogEntry): string[] {
  const { kind, message, service, method, path, query, requestId, userId, operator, role, ip, userAgent } =
    entry;
  const { statements = [], fields } = entry;
  return [
    kind === 'line' ? message : `${method} ${path}${query === undefined ? '' : `?${query}`}`,
    ...[service, requestId, userId, operator, role, ip, userAgent],
    ...(kind === 'line' ? [path] : []),
    ...statements.flatMap(({ text, error }) => [text, error]),
    fields === undefined ? undefined : JSON.stringify(fields),
  ].filter((text) => text !== undefined);
}

/** The names of parameters whose values might grant access. */
const secretName =
  /key|token|code|secret|password|passwd|pwd|signature|credential|jwt|hash|nonce|assertion|session|saml|otp|verifier|authorization|^sig$|^state$|^invitation$/i;

/** Tokens in hexadecimal digits are also hidden in addresses that a parameter contains, such as `redirect_to`. */
const longHex = /[0-9a-f]{64,}/gi;

const maxChars = 2000;

/**
 * Replaces the values of secret parameters in a query string, because readers of the log might not be allowed to use
 * them.
 *
 * @example cutSecrets('select=id&apikey=sb_1') // 'select=id&apikey=…'
 */
export function cutSecrets(query: string): string {
  const cut = query
    .slice(0, maxChars)
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=');
      if (equals < 0) return pair;
      const isSecret = secretName.test(decoded(pair.slice(0, equals)));
      return isSecret ? `${pair.slice(0, equals)}=…` : pair.replaceAll(longHex, '…');
    })
    .join('&');
  return query.length > maxChars ? `${cut}…` : cut;
}

/** Decodes a parameter name, which may be percent-encoded. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return `${name}key`;
  }
}
