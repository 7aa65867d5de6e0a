/**
 * Errors that several modules recognize: those of auth and of PostgreSQL, errors after which a request can be retried,
 * and the first error of a stream.
 */

/** An error that auth reports to a client. The error contains the status and the JSON body of the HTTP response. */
export class AuthRejection extends Error {
  override readonly name = 'AuthRejection';
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Readonly<Record<string, unknown>>, options?: ErrorOptions) {
    super(typeof body.msg === 'string' ? body.msg : `The auth service returned status ${status}.`, options);
    this.status = status;
    this.body = body;
  }

  /** The error code. Empty if the error body doesn't contain a code, such as in the OAuth format. */
  get code(): string {
    return typeof this.body.error_code === 'string' ? this.body.error_code : '';
  }
}

/**
 * The fields of PostgreSQL's ErrorResponse. `code` is the SQLSTATE. `PostgresError` in `wire/` is the class that
 * implements this interface.
 */
export interface PostgresErrorShape extends Error {
  readonly code: string;
  readonly severity: string;
  readonly detail?: string;
  readonly hint?: string;
  /** The position in the statement, counted in characters and starting at 1. */
  readonly position?: number;
  /**
   * The position in `internalQuery`, starting at 1. `internalQuery` is SQL text that PostgreSQL itself ran or parsed,
   * such as a function body.
   */
  readonly internalPosition?: number;
  readonly internalQuery?: string;
  readonly where?: string;
  readonly schema?: string;
  readonly table?: string;
  readonly column?: string;
  readonly dataType?: string;
  readonly constraint?: string;
  /**
   * The name of the function in PostgreSQL's source that reported the error. Unlike the error message, this name is
   * never translated.
   */
  readonly routine?: string;
}

/** Whether an error has a SQLSTATE and a severity. The result is also true for errors that report a lost connection. */
export function isPostgresError(error: unknown): error is PostgresErrorShape {
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown };
  return error instanceof Error && typeof code === 'string' && typeof severity === 'string';
}

/** The time after which file descriptors are probably available again. */
const outOfFilesSeconds = 1;

/** Returns the number of seconds for the Retry-After header if the error or one of its causes specifies this number. */
export function retryAfterOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if (hasNoFile(error)) return outOfFilesSeconds;
  const { retryAfterSeconds } = error as { retryAfterSeconds?: unknown };
  return typeof retryAfterSeconds === 'number' ? retryAfterSeconds : retryAfterOf(error.cause);
}

/** Whether the process or the whole machine ran out of file descriptors. */
export function isOutOfFiles(error: unknown): boolean {
  return error instanceof Error && (hasNoFile(error) || isOutOfFiles(error.cause));
}

const hasNoFile = (error: Error): boolean =>
  'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');

/**
 * Remembers the first error of a source. A stream that is destroyed with an error can report another one, such as
 * "Stream was destroyed", if it is read only afterward.
 */
export interface FirstCause {
  /** Passes the source on and remembers its error. */
  watch<T>(source: AsyncIterable<T>): AsyncGenerator<T>;
  /** Remembers the error unless there is an earlier one. */
  note(error: unknown): void;
  /** Returns the first error, or the given error if the source hasn't failed. */
  of(error: unknown): unknown;
}

export function firstCause(): FirstCause {
  let first: { readonly error: unknown } | undefined;
  const note = (error: unknown): void => {
    first ??= { error };
  };
  return {
    note,
    of: (error) => (first === undefined ? error : first.error),
    async *watch(source) {
      try {
        yield* source;
      } catch (error) {
        note(error);
        throw error;
      }
    },
  };
}
