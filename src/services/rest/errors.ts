/**
 * The service's error table. The table contains the PGRST codes with their status and message, and the status of each
 * SQLSTATE. This module also defines the error class for the renderer. The digit after PGRST shows the stage (0
 * connection, 1 request, 2 schema cache, 3 JWT). Earlier PostgREST releases used the codes 104, 109, 110, 113 and 119,
 * which must not be reused.
 */

type Texts = Readonly<Record<string, string>>;

interface Entry {
  readonly status: number;
  readonly message: string | ((texts: Texts) => string);
}

export const ERRORS = {
  21000: { status: 400, message: (texts) => `${texts.command} requires a WHERE clause` },
  22021: { status: 400, message: 'invalid byte sequence for encoding "UTF8": 0x00' },
  PGRST000: { status: 503, message: 'Database connection error.' },
  PGRST001: { status: 503, message: 'Database client error. Retrying the connection.' },
  PGRST002: { status: 503, message: 'Could not query the database for the schema cache. Retrying.' },
  PGRST003: { status: 504, message: 'Timed out acquiring connection from connection pool.' },
  PGRST100: { status: 400, message: (texts) => `${texts.position}` },
  PGRST101: { status: 405, message: (texts) => `Cannot use the ${texts.method} method on RPC` },
  PGRST102: { status: 400, message: (texts) => `${texts.fault}` },
  PGRST103: { status: 416, message: 'Requested range not satisfiable' },
  PGRST105: {
    status: 405,
    message: "Filters must include all and only primary key columns with 'eq' operators",
  },
  PGRST106: { status: 406, message: (texts) => `Invalid schema: ${texts.schema}` },
  PGRST107: { status: 406, message: (texts) => `None of these media types are available: ${texts.types}` },
  PGRST108: {
    status: 400,
    message: (texts) => `'${texts.name}' is not an embedded resource in this request`,
  },
  PGRST111: {
    status: 500,
    message:
      'response.headers guc must be a JSON array composed of objects with a single key and a string value',
  },
  PGRST112: { status: 500, message: 'response.status guc must be a valid status code' },
  PGRST114: { status: 400, message: 'limit/offset querystring parameters are not allowed for PUT' },
  PGRST115: { status: 400, message: 'Payload values do not match URL in primary key column(s)' },
  PGRST116: { status: 406, message: 'Cannot coerce the result to a single JSON object' },
  PGRST117: { status: 405, message: (texts) => `Unsupported HTTP method: ${texts.method}` },
  PGRST118: { status: 400, message: (texts) => `A related order on '${texts.target}' is not possible` },
  PGRST121: { status: 500, message: 'Could not parse JSON in the "RAISE SQLSTATE \'PGRST\'" error' },
  PGRST122: { status: 400, message: 'Invalid preferences given with handling=strict' },
  PGRST123: { status: 400, message: 'Use of aggregate functions is not allowed' },
  PGRST124: { status: 400, message: 'Query result exceeds max-affected preference constraint' },
  PGRST125: { status: 404, message: 'Invalid path specified in request URL' },
  PGRST126: { status: 404, message: 'Root endpoint metadata is disabled' },
  PGRST127: { status: 400, message: 'Feature not implemented' },
  PGRST128: {
    status: 400,
    message: 'Function must return SETOF or TABLE when max-affected preference is used with handling=strict',
  },
  PGRST200: {
    status: 400,
    message: (texts) =>
      `Could not find a relationship between '${texts.origin}' and '${texts.target}' in the schema cache`,
  },
  PGRST201: {
    status: 300,
    message: (texts) =>
      `Could not embed because more than one relationship was found for '${texts.origin}' and '${texts.target}'`,
  },
  PGRST202: {
    status: 404,
    message: (texts) => `Could not find the function ${texts.call} in the schema cache`,
  },
  PGRST203: {
    status: 300,
    message: (texts) => `Could not choose the best candidate function between: ${texts.candidates}`,
  },
  PGRST204: {
    status: 400,
    message: (texts) => `Could not find the '${texts.column}' column of '${texts.table}' in the schema cache`,
  },
  PGRST205: {
    status: 404,
    message: (texts) => `Could not find the table '${texts.table}' in the schema cache`,
  },
  PGRST300: { status: 500, message: 'Server lacks JWT secret' },
  PGRST301: { status: 401, message: (texts) => `${texts.fault}` },
  PGRST302: { status: 401, message: 'Anonymous access is disabled' },
  PGRST303: { status: 401, message: (texts) => `${texts.fault}` },
  PGRSTX00: { status: 500, message: 'Internal error' },
  PGRSTX01: { status: 400, message: 'The response is too large' },
  PGRSTX02: {
    status: 503,
    message: 'Not enough memory is available for a response of this size at the moment',
  },
  PGRSTX03: {
    status: 503,
    message: 'Not enough memory is available for a request body of this size at the moment',
  },
  PGRSTX04: {
    status: 507,
    message: 'The server has no disk space left for writes, so data can only be read',
  },
  PGRSTX05: { status: 503, message: 'Too many requests are waiting for a database connection' },
  PGRSTX06: { status: 503, message: 'The server is receiving too many requests' },
} as const satisfies Record<string, Entry>;

export type ErrorCode = `${keyof typeof ERRORS}`;

export interface ErrorExtras {
  /** The values for the placeholders in the message. */
  readonly texts?: Texts;
  readonly details?: unknown;
  readonly hint?: string | null | undefined;
  readonly headers?: readonly (readonly [string, string])[];
  readonly cause?: unknown;
}

/** An error for the client. The error is an entry of the table or a converted PostgreSQL error. */
export class RestError extends Error {
  readonly code: string;
  readonly status: number;
  readonly reason: string | undefined;
  readonly details: unknown;
  readonly hint: string | null;
  readonly headers: readonly (readonly [string, string])[];

  constructor(response: RestErrorFields) {
    super(response.message, { cause: response.cause });
    this.name = 'RestError';
    this.code = response.code;
    this.status = response.status;
    this.reason = response.reason;
    this.details = response.details ?? null;
    this.hint = response.hint ?? null;
    this.headers = response.headers ?? [];
  }
}

export interface RestErrorFields {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  /** A reason phrase for the status line, if the phrase differs from the standard one. */
  readonly reason?: string | undefined;
  readonly details?: unknown;
  readonly hint?: string | null | undefined;
  readonly headers?: readonly (readonly [string, string])[];
  readonly cause?: unknown;
}

/**
 * Creates an error from the table.
 *
 * @example
 * throw restError('PGRST205', { texts: { table: 'public.todo' }, hint: "Perhaps you meant the table 'public.todos'" });
 */
export function restError(code: ErrorCode, extras: ErrorExtras = {}): RestError {
  const entry: Entry = ERRORS[code];
  const message = typeof entry.message === 'string' ? entry.message : entry.message(extras.texts ?? {});
  return new RestError({ code, status: entry.status, message, ...extras });
}

/** Formats the error as JSON for the client. `minimal` includes only the code and the message. */
export function errorBody(error: RestError, verbosity: 'verbose' | 'minimal'): string {
  const { code, message, details, hint } = error;
  return JSON.stringify(verbosity === 'minimal' ? { code, message } : { code, details, hint, message });
}

/**
 * The status for each SQLSTATE or prefix of an SQLSTATE. The longest matching prefix determines the status. The default
 * status is 400.
 */
export const SQLSTATE_STATUS: Readonly<Record<string, number>> = {
  '08': 503,
  '09': 500,
  '0L': 403,
  '0P': 403,
  '21000': 500,
  // Since PostgreSQL 18, a violation of a foreign key with RESTRICT has this code. Before, it had the next one.
  '23001': 409,
  '23503': 409,
  '23505': 409,
  '25': 500,
  '25006': 405,
  '28': 403,
  '2D': 500,
  '38': 500,
  '39': 500,
  '3B': 500,
  '40': 500,
  '42501': 403,
  '42883': 404,
  '42P01': 404,
  '42P17': 500,
  '53': 503,
  '53400': 500,
  '54': 500,
  // PostgREST reports these codes as server errors, but they mean that a value or a select list in the request exceeded
  // a limit.
  '54000': 400,
  '54011': 400,
  '55': 500,
  '57': 500,
  '57P01': 503,
  '58': 500,
  F0: 500,
  HV: 500,
  P0: 500,
  P0001: 400,
  XX: 500,
};
