/** Defines the errors that PostgreSQL reports. */

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
