import { PostgresError } from '../../platform/database/index.ts';

const table = {
  superuser: {
    message: (d: Details) => `The account ${d.user} of ${d.end} is a superuser.`,
    hint: "The source's definitions contain code, which would run as this superuser. Use the account postgres.",
  },
  target_not_empty: {
    message: (d: Details) =>
      `The target already has rows that aren't from an earlier run: ${d.tables}. A migration would delete these rows.`,
    hint: "Use an empty project, or add --overwrite to replace the target's rows with a copy of the source.",
  },
  busy: {
    message: () => 'Another migration into this target is running.',
    hint: 'Wait until the other migration ends. If the connection of that migration was lost, the server may take a few minutes to notice.',
  },
  definition_differs: {
    message: (d: Details) =>
      `${d.subjects} exist in both projects with different definitions. Nothing was changed.`,
    hint: 'Apply the newer migrations to the other project, or start with an empty project. "plinth db diff" shows the differences.',
  },
  definition_failed: {
    message: (d: Details) => `${d.subject} can't be created: ${d.reason}. No definition was created.`,
    hint: 'Run with --check to see all such errors. With --keep-going, definitions that fail are skipped and listed.',
  },
  table_failed: {
    message: (d: Details) => `The rows of ${d.table} can't be copied: ${d.reason}`,
    hint: 'Tables that were already copied are kept. Fix the problem, and then run the command again.',
  },
  statement_failed: {
    message: (d: Details) => `A database rejected a statement: ${d.reason}`,
    hint: 'Completed steps are kept. Fix the problem, and then run the command again.',
  },
  no_replica_role: {
    message: (d: Details) =>
      `The account of ${d.end} can't set session_replication_role, so triggers would fire in a second run.`,
    hint: 'Grant this permission with "GRANT SET ON PARAMETER session_replication_role TO account", or start with an empty project.',
  },
  connection_lost: {
    message: (d: Details) => `The connection to ${d.end} was lost: ${d.reason}`,
    hint: 'Run the command again to continue.',
  },
  storage_rejected: {
    message: (d: Details) => `The storage of ${d.end} rejected ${d.request}: ${d.reason}`,
    hint: 'Check the project URL and the service key.',
  },
  management_rejected: {
    message: (d: Details) => `The Management API rejected ${d.request}: ${d.reason}`,
    hint: 'Check the access token and the project ref.',
  },
  folder_not_empty: {
    message: (d: Details) => `The folder ${d.folder} isn't empty.`,
    hint: 'Use a new folder for --to-files.',
  },
} satisfies Record<string, { message: (details: Details) => string; hint: string }>;

type Details = Readonly<Record<string, string | number | undefined>>;
export type MigrateErrorCode = keyof typeof table;

/** An error whose message is shown to the user who ran the command. */
export class MigrateError extends Error {
  readonly code: MigrateErrorCode;
  readonly hint: string;

  constructor(code: MigrateErrorCode, details: Details = {}, cause?: unknown) {
    super(table[code].message(details), cause === undefined ? undefined : { cause });
    this.name = 'MigrateError';
    this.code = code;
    this.hint = table[code].hint;
  }
}

export const migrateErrors = table;

/** Converts a database error to a sentence without a stack trace. Other errors are returned unchanged. */
export const described = (error: unknown): unknown =>
  error instanceof PostgresError
    ? new MigrateError(
        'statement_failed',
        { reason: [error.message, error.detail].filter(Boolean).join('; ') },
        error,
      )
    : error;
