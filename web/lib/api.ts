/**
 * Sends requests for both apps. Requests and responses are JSON. A single error type represents the error formats of
 * all services.
 */

export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status, or 0 if the server didn't respond. */
  readonly status: number;
  /** The service's stable code (`invalid_credentials`, `23505` …), or `network` if there was no response. */
  readonly code: string;
  readonly hint: string | undefined;
  readonly detail: string | undefined;
  /** Identifies the request in the log. Users can copy this ID from every error. */
  readonly requestId: string | undefined;
  /** The time after which the server accepts the next attempt, from the `Retry-After` header. */
  readonly retryAfterSeconds: number | undefined;
  /**
   * The whole response. The response is kept because some fields, such as `weak_password`, are sent by only one
   * service.
   */
  readonly body: Readonly<Record<string, unknown>>;

  constructor(fields: {
    message: string;
    status: number;
    code: string;
    hint?: string | undefined;
    detail?: string | undefined;
    requestId?: string | undefined;
    retryAfterSeconds?: number | undefined;
    body?: Readonly<Record<string, unknown>>;
    cause?: unknown;
  }) {
    super(fields.message, { cause: fields.cause });
    this.status = fields.status;
    this.code = fields.code;
    this.hint = fields.hint;
    this.detail = fields.detail;
    this.requestId = fields.requestId;
    this.retryAfterSeconds = fields.retryAfterSeconds;
    this.body = fields.body ?? {};
  }
}

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The request body, which is sent as JSON. */
  readonly body?: unknown;
  /** A file that is sent unchanged in place of `body`. */
  readonly file?: Blob | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** The response, if the request was sent before this code was loaded. */
  readonly early?: Promise<Response> | undefined;
}

/**
 * Plinth's server requires this header on every call that changes data. A different website can't send this header
 * without a preflight request.
 */
export const sameOriginHeader = { 'x-plinth-request': '1' } as const;

const requestIdHeader = 'x-request-id';

/** Calls the API. Returns the parsed response, or undefined if the response is empty. @throws {ApiError} */
export async function callApi<Result>(path: string, options: ApiRequest = {}): Promise<Result> {
  const response = await openApi(path, options);
  return parseJson(await arrived(response.text(), options.signal)) as Result;
}

/** Calls the API. Returns a successful response whose body hasn't been read. @throws {ApiError} */
export async function openApi(path: string, options: ApiRequest = {}): Promise<Response> {
  const { method = 'GET', body, file, headers, signal, early } = options;
  const pending =
    early ??
    fetch(path, {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(file === undefined ? {} : { 'content-type': 'application/octet-stream' }),
        ...sameOriginHeader,
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(file === undefined ? {} : { body: file }),
      ...(signal === undefined ? {} : { signal }),
      credentials: 'same-origin',
    });
  const response = await arrived(pending, signal);
  if (response.ok) return response;
  throw errorFrom(response, parseJson(await arrived(response.text(), signal)));
}

/** Waits for a response or its body. The connection can be lost even after the headers have arrived. */
async function arrived<T>(part: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await part;
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    throw new ApiError({ message: 'No response from the server.', status: 0, code: 'network', cause });
  }
}

/**
 * Converts an error response. Auth sends `{code, error_code, msg}` or `{code, message}`. The other services send
 * `{code|error, message, hint, details}`.
 */
function errorFrom(response: Response, value: unknown): ApiError {
  const body = isObject(value) ? value : {};
  const code = firstText(body.error_code, body.code, body.error) ?? `http_${response.status}`;
  return new ApiError({
    message: firstText(body.msg, body.message, body.error_description) ?? response.statusText,
    status: response.status,
    code,
    hint: firstText(body.hint),
    detail: firstText(body.details, body.detail),
    requestId: response.headers.get(requestIdHeader) ?? undefined,
    retryAfterSeconds: secondsOf(response.headers.get('retry-after')),
    body,
  });
}

/**
 * Returns the number of seconds in the `Retry-After` header. The header could also contain a date, but Plinth's server
 * doesn't send dates.
 */
function secondsOf(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}

function parseJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function firstText(...values: unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value !== '');
}
