/**
 * Calls services in this process with the service role, so that the Console's changes follow the rules of each service. The
 * key never leaves the server.
 */
import type { Keys } from '../keys/types.ts';
import { ConsoleError } from './errors.ts';

export interface ServicesDeps {
  readonly keys: Pick<Keys, 'serviceRoleKey'>;
  readonly internalFetch: (path: string, init?: RequestInit) => Promise<Response>;
}

export interface ServiceCall {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS';
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The token to use instead of the service role's. */
  readonly token?: string;
  /** The message for a 404 from the service. */
  readonly missing?: string;
}

export interface ServiceAnswer {
  /** The parsed JSON, or an empty object if the body isn't JSON. */
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

/** @throws {ConsoleError} not_found; bad_request, with the service's message and code; upstream */
export type Services = (path: string, call?: ServiceCall) => Promise<ServiceAnswer>;

/**
 * @example
 * const services = createServices({ keys, internalFetch });
 * const { body } = await services('/auth/v1/admin/users/6b0a…');
 */
export function createServices({ keys, internalFetch }: ServicesDeps): Services {
  return async (path, { method = 'GET', body, headers = {}, token = keys.serviceRoleKey, missing } = {}) => {
    requireStraight(path);
    const answer = await internalFetch(path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const parsed = (await answer.json().catch(() => ({}))) as Record<string, unknown>;
    if (answer.ok) return { body: parsed, headers: answer.headers };
    throw refusal(answer.status, parsed, missing);
  };
}

/**
 * Rejects `.` and `..` as names, which percent-encoding doesn't hide (WHATWG URL, section 4.4): such a path would reach another
 * endpoint with the service role.
 * @throws {ConsoleError} bad_request
 */
export function requireStraight(path: string): void {
  if (new URL(path, 'http://localhost').pathname !== path.split('?', 1)[0])
    throw new ConsoleError('bad_request', {
      message: "The name can't contain . or .. as a path segment.",
    });
}

/** Auth sends `msg` and `error_code`. Storage sends the real status and a code in the body. */
export function refusal(
  status: number,
  body: Record<string, unknown>,
  missing: string | undefined,
): ConsoleError {
  const trueStatus = Number(body.statusCode ?? status);
  const code = body.error_code ?? body.code;
  const detail = typeof code === 'string' ? { detail: code } : {};
  if (trueStatus === 404 && missing !== undefined) return new ConsoleError('not_found', { message: missing });
  if (trueStatus >= 500) return new ConsoleError('upstream', detail);
  const message = String(body.msg ?? body.message ?? 'The service refused this.');
  return new ConsoleError(trueStatus === 404 ? 'not_found' : 'bad_request', { message, ...detail });
}
