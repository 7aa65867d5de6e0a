/**
 * Formats log output as PostgREST does. Requests are written to stdout in Apache's format, and everything else to
 * stderr with a timestamp.
 */
import type { IncomingMessage } from 'node:http';
import type { Logger } from '../../base/kernel/log.ts';
import { databaseError, errorBody } from '../../services/rest/index.ts';
import type { LogLevel } from './config.ts';

export interface ServerLog {
  /** Writes a line at any log level. */
  say(line: string): void;
  /** Writes a line if the log level is `error` or more verbose. */
  fault(line: string): void;
  /** Writes a line if the log level is `debug`. */
  detail(line: string): void;
  onResponse(facts: ResponseFacts): void;
  /** Whether a response with this status is logged. */
  wants(status: number): boolean;
  /** The logger that the service uses for its own messages. */
  readonly logger: Logger;
}

export interface ResponseFacts {
  readonly request: IncomingMessage;
  readonly role: string | undefined;
  readonly status: number;
  readonly sizeBytes: string | undefined;
}

/** Matches PostgreSQL's message for a prepared statement that doesn't exist or belongs to another session. */
const LOST_STATEMENT = /prepared statement "s\d+"/;

const LEVELS: readonly LogLevel[] = ['crit', 'error', 'warn', 'info', 'debug'];
/** The lowest status that is logged at each level. */
const LOGGED_FROM: Readonly<Record<LogLevel, number>> = {
  crit: Number.POSITIVE_INFINITY,
  error: 500,
  warn: 400,
  info: 0,
  debug: 0,
};

export function createServerLog(
  level: () => LogLevel,
  out: (text: string) => void,
  err: (text: string) => void,
): ServerLog {
  const atLeast = (requested: LogLevel): boolean => LEVELS.indexOf(level()) >= LEVELS.indexOf(requested);
  const say = (line: string): void => err(`${formatTime(new Date())}: ${line.replace(/[\r\n\t]+/g, ' ')}\n`);
  const fault = (line: string): void => {
    if (atLeast('error')) say(line);
  };
  let advised = false;
  const failed: Logger['error'] = ({ code, error }, message) => {
    fault(error === undefined ? message : failureText(code, error, message));
    if (advised || !LOST_STATEMENT.test(String((error as Error | undefined)?.message))) return;
    advised = true;
    fault('If you use a connection pooler in transaction mode, set db-prepared-statements to false.');
  };
  const logger: Logger = {
    debug: (_fields, message) => {
      if (atLeast('debug')) say(message);
    },
    info: () => {},
    warn: failed,
    error: failed,
    child: () => logger,
  };
  return {
    say,
    fault,
    detail: (line) => {
      if (atLeast('debug')) say(line);
    },
    wants: (status) => status >= LOGGED_FROM[level()],
    onResponse({ request, role, status, sizeBytes }) {
      if (status < LOGGED_FROM[level()]) return;
      // A client that connects through a Unix socket has no remote address.
      const { remoteAddress = '-' } = request.socket;
      const { referer = '', 'user-agent': agent = '' } = request.headers;
      const line = `${request.method} ${request.url} HTTP/${request.httpVersion}`;
      const time = formatTime(new Date());
      const parts = [`${remoteAddress} - ${role ?? '-'} [${time}] "${line}"`, status, sizeBytes ?? '-'];
      out(`${parts.join(' ')} "${referer}" "${agent}"\n`);
    },
    logger,
  };
}

/**
 * Formats the error of a failed request. If the error has a code and its cause isn't a database error, the cause only
 * explains the error. For example, a JSON parser rejected the headers that a function set.
 */
function failureText(code: unknown, cause: unknown, message: string): string {
  const isExplanation = typeof code === 'string' && databaseError(cause, false).code === internalError;
  if (!isExplanation || code === internalError) return errorJson(cause);
  return JSON.stringify({
    code,
    details: cause instanceof Error ? cause.message : null,
    hint: null,
    message,
  });
}

const internalError = 'PGRSTX00';

/**
 * Formats an error as it is sent to clients. Adds the stack trace, which isn't sent to clients, to an internal error.
 */
export function errorJson(error: unknown): string {
  const response = databaseError(error, false);
  const stack =
    response.code === internalError ? ` ${(error as Error | undefined)?.stack ?? String(error)}` : '';
  return `${errorBody(response, 'verbose')}${stack}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Formats local time as `06/May/2024:08:16:11 -0500`. */
export function formatTime(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const minutes = -date.getTimezoneOffset();
  const zone = `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}${two(Math.abs(minutes) % 60)}`;
  const day = `${two(date.getDate())}/${MONTHS[date.getMonth()]}/${date.getFullYear()}`;
  return `${day}:${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())} ${zone}`;
}
