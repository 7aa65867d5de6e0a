/** The Console API's errors: one table, `{code, message, detail?, hint?, requestId}` on the wire. */

import type { Question } from './sql-page/contract.ts';

export const errors = {
  signed_out: {
    status: 401,
    message: 'Sign in to the Console: run "npm run -s plinth -- console" for a fresh link.',
  },
  link_invalid: {
    status: 401,
    message:
      'This sign-in link has been used or is too old. Ask an owner for another, or run "npm run -s plinth -- console" for a fresh one.',
  },
  factor_needed: { status: 403, message: 'Prove your second factor first.' },
  factor_there: {
    status: 409,
    message: 'You have a second factor already. Remove it before you add another.',
  },
  factor_required: { status: 409, message: 'This project asks every operator for a second factor.' },
  code_wrong: { status: 422, message: 'This code is wrong, older than a minute, or has been used.' },
  key_refused: { status: 422, message: 'This passkey does not prove that it is you. Try again.' },
  last_owner: { status: 409, message: 'The last owner stays: make somebody else an owner first.' },
  refused: { status: 409, message: 'This cannot be done now.' },
  taken: { status: 409, message: 'There is one of that name already.' },
  forbidden: { status: 403, message: 'Your role may not do this.' },
  too_many: { status: 429, message: 'Too many failed sign-ins from this address. Wait a minute.' },
  csrf: { status: 403, message: 'The request did not come from an open Console page. Reload the page.' },
  bad_request: { status: 400, message: 'The request could not be understood.' },
  not_found: { status: 404, message: 'There is no such thing here.' },
  no_primary_key: {
    status: 409,
    message: 'Nothing names a single row here, so rows cannot be changed one by one.',
  },
  conflict: { status: 409, message: 'Somebody else changed this row meanwhile.' },
  not_changed: {
    status: 409,
    message: 'The database kept the row as it was: a policy, trigger or rule turned the change down.',
  },
  not_as_told: { status: 409, message: 'It would concern other rows than you agreed to.' },
  confirm: { status: 409, message: 'This would destroy something. It waits for a second word.' },
  read_only: { status: 403, message: 'Your role looks and changes nothing.' },
  cancelled: { status: 409, message: 'It was cancelled.' },
  busy: { status: 429, message: 'Too much runs at this moment. Wait for something to end, or cancel it.' },
  gone: { status: 410, message: 'This row is not there any more.' },
  database: { status: 422, message: 'PostgreSQL refused the statement.' },
  upstream: { status: 502, message: 'The service did not answer as expected.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ConsoleErrorCode = keyof typeof errors;

export interface ConsoleErrorFields {
  readonly message?: string;
  readonly detail?: string;
  readonly hint?: string;
  /** The SQLSTATE of an error from PostgreSQL. */
  readonly sqlstate?: string;
  /** The column that PostgreSQL's error names. */
  readonly column?: string;
  /** The zero-based index of the edit that failed. */
  readonly index?: number;
  /** For `retry-after`. */
  readonly waitSeconds?: number;
  /** The statements that the operator must confirm first. */
  readonly questions?: readonly Question[];
  /** The current row, for a conflict. */
  readonly current?: Record<string, string | null>;
}

export class ConsoleError extends Error {
  readonly code: ConsoleErrorCode;
  readonly status: number;
  readonly fields: ConsoleErrorFields;
  constructor(code: ConsoleErrorCode, fields: ConsoleErrorFields = {}, options?: ErrorOptions) {
    super(fields.message ?? errors[code].message, options);
    this.code = code;
    this.status = errors[code].status;
    this.fields = fields;
  }
}
