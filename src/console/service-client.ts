/**
 * Calls services in this process as service_role, so that each service's rules also apply to changes from the Console.
 * The key never leaves the server.
 */
import type { Keys } from '../keys/types.ts';
import { ConsoleError } from './errors.ts';

export interface ServiceClientDeps {
  readonly keys: Pick<Keys, 'serviceRoleKey'>;
  readonly internalFetch: (path: string, init?: RequestInit) => Promise<Response>;
}

export interface ServiceCall {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS';
  /** The body, sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** A token to use instead of service_role's. */
  readonly token?: string;
  /** The error message for a 404 response. */
  readonly missing?: string;
}

export interface ServiceResponse {
  /** The response's JSON body. Empty if the body isn't a JSON object. */
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

/** Calls a service. @throws {ConsoleError} not_found, bad_request with the service's message and code, or upstream */
export type ServiceClient = (path: string, call?: ServiceCall) => Promise<ServiceResponse>;

/**
 * Creates a client.
 *
 * @example
 * const callService = createServiceClient({ keys, internalFetch }); const { body } = await
 * callService('/auth/v1/admin/users/6b0a…');
 */
export function createServiceClient({ keys, internalFetch }: ServiceClientDeps): ServiceClient {
  return async (path, { method = 'GET', body, headers = {}, token = keys.serviceRoleKey, missing } = {}) => {
    requireNormalizedPath(path);
    const response = await internalFetch(path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
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
 * Rejects paths that contain `.` or `..`. URL parsing resolves such segments even if they are percent-encoded (WHATWG
 * URL, section 4.4). The path would then lead to a different endpoint with service_role's permissions.
 * @throws {ConsoleError} bad_request
 */
export function requireNormalizedPath(path: string): void {
  if (new URL(path, 'http://localhost').pathname !== path.split('?', 1)[0])
    throw new ConsoleError('bad_request', {
      message: "The name can't contain . or .. as a path segment.",
    });
}

/**
 * Converts a service's error. Auth sends `msg` and `error_code`. Storage sends the actual status and a code in the
 * body.
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
