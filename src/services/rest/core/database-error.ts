/** Maps database and connection errors to REST errors. */

import { isPostgresError } from '../../../base/shared/errors.ts';
import { isRecord } from '../../../base/shared/json.ts';
import type { PostgresErrorShape } from '../../../platform/database/types.ts';
import { RestError, restError, SQLSTATE_STATUS } from '../errors.ts';
import { chosenHeaders, isFinalStatus } from './chosen-response.ts';

/**
 * Converts an error to a REST error. `isAnonymous` specifies whether the request had the anonymous role. For the
 * anonymous role, a missing privilege results in 401, which prompts the client to send a token.
 */
export function databaseError(error: unknown, isAnonymous: boolean): RestError {
  if (error instanceof RestError) return error;
  if (!(error instanceof Error)) return restError('PGRSTX00', { cause: error });
  if (error.name === 'PoolTimeoutError') return restError('PGRST003', { cause: error });
  if (isPoolFull(error)) {
    return restError('PGRSTX05', { headers: [['Retry-After', `${error.retryAfterSeconds}`]], cause: error });
  }
  if (error.name === 'PoolEndedError') return restError('PGRST000', { cause: error });
  if (!isPostgresError(error)) return restError('PGRSTX00', { cause: error });
  // If an administrator terminated the session, the error that PostgreSQL sent is reported.
  if (error.name === 'ConnectionError' && error.code !== '57P01') {
    // The connection couldn't be established or was lost.
    const code = TURNED_DOWN.test(error.code) ? 'PGRST000' : 'PGRST001';
    return restError(code, { details: error.message, cause: error });
  }
  if (error.code === 'PGRST') return raisedError(error);
  const status = statusOf(error, isAnonymous);
  return new RestError({
    code: error.code,
    status,
    reason: error.code.startsWith('PT') ? error.message : undefined,
    message: error.message,
    details: error.detail,
    hint: error.hint,
    headers: status === 401 ? [['WWW-Authenticate', 'Bearer']] : [],
    cause: error,
  });
}

const isPoolFull = (error: Error): error is Error & { readonly retryAfterSeconds: number } =>
  error.name === 'PoolFullError';

/**
 * The SQLSTATEs of failed connection attempts: the server can't be reached, the user or the database is unknown, the
 * password is wrong, CONNECT isn't granted, there are too many sessions, or the server is starting. The end of an
 * established session has other SQLSTATEs.
 */
const TURNED_DOWN = /^(08001|08004|28...|3D000|42501|53300|55000|57P03)$/;

function statusOf({ code, message }: PostgresErrorShape, isAnonymous: boolean): number {
  // A function can choose the status with RAISE SQLSTATE, such as 'PT404' for 404.
  if (code.startsWith('PT')) {
    const status = Number(code.slice(2));
    return isFinalStatus(status) ? status : 500;
  }
  if (code === '42501' && isAnonymous) return 401;
  if (code === '21000' && message.endsWith('requires a WHERE clause')) return 400;
  if (code === '42883' && message.startsWith('function xmlagg(')) return 406;
  if (code === '22023') return message.startsWith('role') && message.endsWith('does not exist') ? 401 : 400;
  return SQLSTATE_STATUS[code] ?? SQLSTATE_STATUS[code.slice(0, 2)] ?? 400;
}

/**
 * Converts an error with which a function defines the entire response. The function uses RAISE SQLSTATE 'PGRST' with
 * JSON in the message and in the detail.
 */
function raisedError(error: PostgresErrorShape): RestError {
  const hints = {
    message:
      "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.",
    detail:
      "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'.",
  };
  const message = readObject(error.message);
  if (message === undefined || typeof message.code !== 'string' || typeof message.message !== 'string') {
    return restError('PGRST121', {
      details: `Invalid JSON value for MESSAGE: '${error.message}'`,
      hint: hints.message,
      cause: error,
    });
  }
  if (error.detail === undefined) {
    return restError('PGRST121', {
      details: 'DETAIL is missing in the RAISE statement',
      hint: hints.detail,
      cause: error,
    });
  }
  const detail = readObject(error.detail);
  const headers = isRecord(detail?.headers) ? chosenHeaders(Object.entries(detail.headers)) : undefined;
  if (detail === undefined || !isFinalStatus(detail.status as number) || headers === undefined) {
    return restError('PGRST121', {
      details: `Invalid JSON value for DETAIL: '${error.detail}'`,
      hint: hints.detail,
      cause: error,
    });
  }
  return new RestError({
    code: message.code,
    status: Number(detail.status),
    reason: typeof detail.status_text === 'string' ? detail.status_text : undefined,
    message: message.message,
    details: message.details,
    hint: typeof message.hint === 'string' ? message.hint : null,
    headers,
    cause: error,
  });
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
