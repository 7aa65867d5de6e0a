/** The errors of the Console's API, which are sent as `{code, message, detail?, hint?, requestId}`. */

import type { OutsideFolders } from '../../base/kernel/real-path.ts';
import type { Question } from './sql-page/contract.ts';

export const errors = {
  signed_out: {
    status: 401,
    message: 'Sign in to the Console. Run "plinth console" to get a sign-in link.',
  },
  link_invalid: {
    status: 401,
    message:
      'This sign-in link has expired or was already used. Ask an owner for a new link, or run "plinth console".',
  },
  factor_needed: { status: 403, message: 'Verify your second factor first.' },
  sign_in_again: {
    status: 403,
    message: 'This action requires a sign-in within the last 10 minutes.',
  },
  factor_there: {
    status: 409,
    message: 'You already have a second factor. Remove it before you add another.',
  },
  factor_required: { status: 409, message: 'This project requires a second factor for all operators.' },
  code_wrong: { status: 422, message: 'This code is incorrect, expired or already used.' },
  key_refused: { status: 422, message: "We couldn't verify this passkey. Try again." },
  last_owner: {
    status: 409,
    message: "You can't remove the last owner. Make another operator an owner first.",
  },
  refused: { status: 409, message: "This action isn't possible in the current state." },
  taken: { status: 409, message: 'This name is already in use. Enter another name.' },
  forbidden: { status: 403, message: "Your role doesn't allow this action." },
  too_many: { status: 429, message: 'Too many failed sign-ins from this IP address. Try again in a minute.' },
  csrf: { status: 403, message: "The request didn't come from an open Console page. Reload the page." },
  bad_request: { status: 400, message: 'The request is invalid.' },
  not_found: { status: 404, message: 'Not found.' },
  no_primary_key: {
    status: 409,
    message: "This table has no primary key, so you can't edit individual rows.",
  },
  conflict: { status: 409, message: 'This row was changed by another operator or process.' },
  not_changed: {
    status: 409,
    message: "The row wasn't changed because a policy, trigger or rule rejected the change.",
  },
  not_as_told: {
    status: 409,
    message: 'This operation would affect rows other than the ones you confirmed.',
  },
  confirm: { status: 409, message: 'This statement is destructive. Confirm it before it runs.' },
  read_only: { status: 403, message: 'Your role is read-only.' },
  cancelled: { status: 409, message: 'The operation was canceled.' },
  busy: { status: 429, message: 'Too many operations are running. Wait until one finishes, or cancel one.' },
  gone: { status: 410, message: 'This row no longer exists.' },
  database: { status: 422, message: 'PostgreSQL rejected the statement.' },
  unavailable: { status: 503, message: 'The database is unreachable. Try again later.' },
  upstream: { status: 502, message: 'The service returned an unexpected response.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ConsoleErrorCode = keyof typeof errors;

export interface ConsoleErrorFields {
  readonly message?: string;
  readonly detail?: string;
  readonly hint?: string;
  /** The SQLSTATE of a PostgreSQL error. */
  readonly sqlstate?: string;
  /** The column that the PostgreSQL error names. */
  readonly column?: string;
  /** The zero-based index of the edit that caused the error. */
  readonly index?: number;
  /** The value of the `retry-after` header. */
  readonly waitSeconds?: number;
  /** The statements that the operator must confirm before they run. */
  readonly questions?: readonly Question[];
  /** The file that has changed if the error is a conflict. */
  readonly path?: string;
  /** The current state of the row if the error is a conflict. */
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

export const outsideFolders = (error: OutsideFolders): ConsoleError =>
  new ConsoleError(
    'refused',
    {
      message: error.message,
      hint: 'Add the folder to allowed_folders under [files] in plinth.toml, or remove the symbolic link.',
    },
    { cause: error },
  );
