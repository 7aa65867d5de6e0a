/**
 * Sends requests to services in this process as service_role, so that the rules of each service also apply to changes
 * made in the Console. The requests contain a short-lived token instead of the service_role key.
 */
import type { Keys } from '../../platform/keys/types.ts';
import { ConsoleError } from './errors.ts';
import { serviceToken } from './persona/token.ts';

export interface ServiceClientDeps {
  readonly keys: Pick<Keys, 'temporaryToken'>;
  /** Sends a request to a service in this process. */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
}

export interface ServiceCall {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS';
  /** The request body, which is sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The token to use instead of the token of service_role. */
  readonly token?: string;
  /** The error message to use if the response has status 404. */
  readonly missing?: string;
}

export interface ServiceResponse {
  /** The JSON body of the response. Empty if the body isn't a JSON object. */
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

/**
 * Calls a service.
 * @throws {ConsoleError} not_found, bad_request with the message and code from the service, or upstream
 */
export type ServiceClient = (path: string, call?: ServiceCall) => Promise<ServiceResponse>;

/**
 * Creates a client.
 *
 * @example
 * const callService = createServiceClient({ keys, fetch: api.fetch }); const { body } = await
 * callService('/auth/v1/admin/users/6b0a…');
 */
export function createServiceClient({ keys, fetch }: ServiceClientDeps): ServiceClient {
  return async (path, { method = 'GET', body, headers = {}, token, missing } = {}) => {
    requireNormalizedPath(path);
    const response = await fetch(path, {
      method,
      headers: {
        authorization: `Bearer ${token ?? serviceToken(keys)}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const parsed = (await response.json().catch(() => ({}))) as Record<string, unknown>;
    if (response.ok) return { body: parsed, headers: response.headers };
    throw serviceError(response.status, parsed, missing);
  };
}

/**
 * Rejects paths with `.` or `..` segments. URL parsers resolve such segments even if they are percent-encoded (WHATWG
 * URL, section 4.4). The request would then reach a different endpoint with the permissions of service_role.
 * @throws {ConsoleError} bad_request
 */
export function requireNormalizedPath(path: string): void {
  if (new URL(path, 'http://localhost').pathname !== path.split('?', 1)[0])
    throw new ConsoleError('bad_request', {
      message: "The name can't contain . or .. as a path segment.",
    });
}

/**
 * Converts an error from a service. The auth service sends `msg` and `error_code`. The storage service sends the actual
 * status and a code in the response body.
 */
export function serviceError(
  status: number,
  body: Record<string, unknown>,
  missing: string | undefined,
): ConsoleError {
  const trueStatus = Number(body.statusCode ?? status);
  const code = body.error_code ?? body.code;
  const detail = typeof code === 'string' ? { detail: code } : {};
  if (trueStatus === 404 && missing !== undefined) return new ConsoleError('not_found', { message: missing });
  if (trueStatus >= 500) return new ConsoleError('upstream', detail);
  const message = String(body.msg ?? body.message ?? 'The service rejected this request.');
  return new ConsoleError(trueStatus === 404 ? 'not_found' : 'bad_request', { message, ...detail });
}
