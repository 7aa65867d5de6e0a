/** The errors that a project's folder can cause, with their codes and messages. */
import { shortContext } from '../../base/shared/sql/error-context.ts';
import type { PostgresErrorShape } from '../../platform/database/types.ts';

const table = {
  statement_failed: (d: Details) => `${d.file}: ${d.message}`,
  commit_failed: (d: Details) => `${d.file}: ${d.message} (while committing the transaction)`,
  record_failed: (d: Details) =>
    `${d.file}: the statements ran, but the list of applied files could not be updated: ${d.message}`,
  copy_from_stdin: (d: Details) =>
    `${d.file}: COPY … FROM stdin reads rows from the lines that follow, which only psql supports. Use INSERT statements instead, which "pg_dump --column-inserts" writes.`,
  not_utf8: (d: Details) =>
    `${d.file} contains a null character, which SQL doesn't allow. Save the file as UTF-8.`,
  local_older: () =>
    'Found local migration files to be inserted before the last migration on remote database.',
  remote_missing: () => 'Remote migration versions not found in local migrations directory.',
  migration_not_found: (d: Details) => `Migration ${d.version} doesn't exist in ${d.dir}.`,
  not_recorded: (d: Details) =>
    `The history doesn't contain the statements of the migration ${d.version} ${d.name}, and its file doesn't exist here.`,
  down_missing: (d: Details) => `The migration ${d.version} has no down script in supabase/migrations/down.`,
  down_not_newest: (d: Details) =>
    `Only the newest applied migration can be reverted. That is ${d.newest}, not ${d.version}.`,
  squash_pending: (d: Details) => `${d.file} isn't applied. Apply it before you squash the migrations.`,
  squash_single: (d: Details) => `${d.file} is already the earliest migration.`,
  squash_failed: (d: Details) => `${d.message}`,
  squash_changed: () =>
    'A migration file was changed while it was squashed. No file was replaced. Try again.',
  schema_path: (d: Details) => `[db.migrations] schema_paths: no file in supabase/ matches ${d.glob}.`,
  migration_differs: (d: Details) =>
    `Migration ${d.version} is already applied to the database, but with different statements.`,
  history_changed: () =>
    'Another push has changed the migration history in the meantime. Run the command again.',
  tests_not_rolled_back: (d: Details) =>
    `${d.file} isn't a single transaction that is rolled back. On a linked server, a test file must begin with BEGIN, end with ROLLBACK and contain no COMMIT.`,
  version_invalid: (d: Details) =>
    `The database's history contains a migration that can't be a file name: ${d.version} ${d.name}.`,
  no_types: (d: Details) =>
    `${d.file} doesn't declare a type Database with tables. Use a file written by "plinth gen types" or "supabase gen types".`,
  baseline_exists: (d: Details) => `${d.file} already exists.`,
  objects_path: (d: Details) =>
    `storage.buckets.${d.bucket}.objects_path: failed to read ${d.path} (${d.message}).`,
  lint_superuser: () =>
    "db lint can't use a superuser, because code of the database would run with its privileges. Use another login, such as the owner of the database.",
  tests_path: (d: Details) => `The file or folder ${d.path} doesn't exist.`,
  bucket_limit: (d: Details) =>
    `storage.buckets.${d.bucket}.file_size_limit is greater than storage.file_size_limit, which applies to all buckets. Increase storage.file_size_limit, or lower the limit of the bucket.`,
  function_file: (d: Details) => `supabase/functions/${d.path} wasn't written: ${d.reason}.`,
  function_folder: (d: Details) =>
    `The function's folder contains more than ${d.files} files or ${d.mib} MiB.`,
  bucket_failed: (d: Details) => `Failed to create or update the bucket ${d.bucket}: ${d.message}`,
} satisfies Record<string, (details: Details) => string>;

export type ProjectErrorCode = keyof typeof table;

type Details = Readonly<Record<string, string | number | undefined>>;

/**
 * An error that is shown to the developer. `advice` contains additional lines: the statement, a caret below the error's
 * position, a hint, and how to fix the error.
 */
export class ProjectError extends Error {
  readonly code: ProjectErrorCode;
  readonly advice: readonly string[];

  constructor(
    code: ProjectErrorCode,
    details: Details = {},
    { advice = [], cause }: { readonly advice?: readonly string[]; readonly cause?: unknown } = {},
  ) {
    super(table[code](details), cause === undefined ? undefined : { cause });
    this.name = 'ProjectError';
    this.code = code;
    this.advice = advice;
  }
}

export interface FailedStatement {
  /** The path to the file, such as `supabase/migrations/1_init.sql`. */
  readonly file: string;
  readonly index: number;
  /** The line on which the statement begins. */
  readonly line: number;
  readonly text: string;
  /** Whether earlier steps of the file have been committed. */
  readonly committed: boolean;
  /**
   * Whether the statement ran inside a function that Plinth created. If true, the error's position and context refer to
   * that function.
   */
  readonly isOurCall: boolean;
  /** Advice that is derived from the project's files. */
  readonly reason: readonly string[];
  /** Whether the statement failed because of an extension that the server doesn't have. */
  readonly lacksExtension: boolean;
}

/** Creates the error from PostgreSQL's message, the error's position in the file, and the statement with a caret. */
export function statementFailed(failed: FailedStatement, cause: PostgresErrorShape): ProjectError {
  const position = failed.isOurCall ? undefined : cause.position;
  const where = shortContext(cause.where);
  const line = failed.line + (position === undefined ? 0 : lineOf(failed.text, position) - 1);
  const advice = [
    ...(cause.detail === undefined ? [] : [`Detail: ${cause.detail}`]),
    ...hintsOf(cause, failed.lacksExtension),
    ...failed.reason,
    ...(where === undefined || failed.isOurCall ? [] : [`Where: ${where}`]),
    `At statement: ${failed.index}`,
    markPosition(failed.text, position),
    failed.committed
      ? "The statements before it are already committed because this file can't run in one transaction. The next run continues here."
      : "None of this file's statements were applied.",
  ];
  const message = `${cause.message} (SQLSTATE ${cause.code})`;
  return new ProjectError('statement_failed', { file: `${failed.file}:${line}`, message }, { advice, cause });
}

function hintsOf({ hint, code, message }: PostgresErrorShape, lacksExtension: boolean): string[] {
  const hints = hint === undefined ? [] : [`Hint: ${hint}`];
  const type = /^type "([^".]+)" does not exist$/.exec(message)?.[1];
  if (code === '42704' && type !== undefined && !lacksExtension) {
    hints.push(`Hint: if an extension defines this type, include its schema: extensions.${type}`);
  }
  return hints;
}

const lineOf = (text: string, position: number) =>
  [...text]
    .slice(0, position - 1)
    .join('')
    .split('\n').length;

const shownLines = 12;

/**
 * Returns the statement with a caret below the position. The position is counted in characters and starts at 1. A long
 * statement is shortened around the position.
 */
export function markPosition(text: string, position: number | undefined): string {
  const lines = text.split('\n');
  if (position === undefined) {
    return lines.length <= shownLines ? text : [...lines.slice(0, shownLines), '…'].join('\n');
  }
  const before = [...text]
    .slice(0, position - 1)
    .join('')
    .split('\n');
  const at = before.length;
  const caret = `${(before.at(-1) ?? '').replace(/[^\t]/g, ' ')}^`;
  const from = Math.max(0, at - shownLines);
  return [
    ...(from > 0 ? ['…'] : []),
    ...lines.slice(from, at),
    caret,
    ...(at < lines.length
      ? lines.length - at > 3
        ? [...lines.slice(at, at + 3), '…']
        : lines.slice(at)
      : []),
  ].join('\n');
}
