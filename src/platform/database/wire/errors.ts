/** Defines the class of the errors that the server reports, and the error for a failed or lost connection. */
import type { PostgresErrorShape } from '../types.ts';

export interface PostgresErrorFields {
  code: string;
  severity: string;
  message: string;
  detail?: string;
  hint?: string;
  position?: number;
  internalPosition?: number;
  internalQuery?: string;
  where?: string;
  schema?: string;
  table?: string;
  column?: string;
  dataType?: string;
  constraint?: string;
  routine?: string;
}

/**
 * An error that the server reported (ErrorResponse). `code` is the SQLSTATE. The other fields are present if the server
 * sent them.
 */
export class PostgresError extends Error implements PostgresErrorShape {
  override name = 'PostgresError';
  readonly code: string;
  readonly severity: string;
  declare readonly detail?: string;
  declare readonly hint?: string;
  declare readonly position?: number;
  declare readonly internalPosition?: number;
  declare readonly internalQuery?: string;
  declare readonly where?: string;
  declare readonly schema?: string;
  declare readonly table?: string;
  declare readonly column?: string;
  declare readonly dataType?: string;
  declare readonly constraint?: string;
  declare readonly routine?: string;

  constructor(fields: PostgresErrorFields, options?: ErrorOptions) {
    super(fields.message, options);
    this.code = fields.code;
    this.severity = fields.severity;
    const { message: _message, ...others } = fields;
    Object.assign(this, others);
  }
}

/**
 * Thrown if the connection couldn't be opened (`08001`) or was lost. The code of a lost connection is `08006` or the
 * SQLSTATE that the server sent when it ended the session. Examples of such SQLSTATEs are `57P01` (terminated by an
 * administrator) and `57P05` (idle for too long).
 */
export class ConnectionError extends PostgresError {
  override name = 'ConnectionError';
  /**
   * Whether the server hasn't started any of the statements. If none has started, it is safe to retry the statements on
   * another connection.
   */
  readonly untouched: boolean;

  constructor(
    fields: { code: string; message: string; untouched: boolean } & Partial<PostgresErrorFields>,
    options?: ErrorOptions,
  ) {
    const { untouched, ...others } = fields;
    super({ severity: 'FATAL', ...others }, options);
    this.untouched = untouched;
  }
}

/** Thrown if a connection string can't be parsed. The message contains the invalid part of the string. */
export class ConnectionStringError extends Error {
  override name = 'ConnectionStringError';
}
