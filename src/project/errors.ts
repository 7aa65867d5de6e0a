/** What can be wrong with the project folder, as data: code to message. */
import type { PostgresErrorShape } from '../database/types.ts';

const table = {
  statement_failed: (d: Details) => `${d.file}: ${d.message}`,
  commit_failed: (d: Details) => `${d.file}: ${d.message} (when the transaction was committed)`,
  record_failed: (d: Details) =>
    `${d.file}: the statements ran, but the list of applied files could not be updated: ${d.message}`,
  copy_from_stdin: (d: Details) =>
    `${d.file}: COPY … FROM stdin reads rows from the lines that follow, which only psql does. Write INSERT statements; pg_dump makes them with --column-inserts.`,
  not_utf8: (d: Details) =>
    `${d.file} holds the character 0, which no SQL has: the file isn't saved as UTF-8.`,
  local_older: () =>
    'Found local migration files to be inserted before the last migration on remote database.',
  remote_missing: () => 'Remote migration versions not found in local migrations directory.',
  migration_not_found: (d: Details) => `There is no migration ${d.version} in ${d.dir}.`,
  no_types: (d: Details) =>
    `${d.file} declares no type Database with tables, as "plinth gen types" and "supabase gen types" write it.`,
  baseline_exists: (d: Details) => `${d.file} exists already.`,
  objects_path: (d: Details) =>
    `storage.buckets.${d.bucket}.objects_path: ${d.path} cannot be read (${d.message}).`,
  tests_path: (d: Details) => `The file or folder ${d.path} doesn't exist.`,
  bucket_failed: (d: Details) => `The bucket ${d.bucket} could not be prepared: ${d.message}`,
} satisfies Record<string, (details: Details) => string>;

export type ProjectErrorCode = keyof typeof table;

type Details = Readonly<Record<string, string | number | undefined>>;

/** Told to the developer as it is; `advice` holds further lines (statement, caret, hint, what to do). */
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
  /** As `supabase/migrations/1_init.sql`. */
  readonly file: string;
  readonly index: number;
  /** Line of the file on which the statement begins. */
  readonly line: number;
  readonly text: string;
  /** Earlier steps of the file that are committed. */
  readonly committed: boolean;
  /** It ran inside a function of ours: position and context speak of that. */
  readonly isOurCall: boolean;
  /** Lines of advice that the project's own files give. */
  readonly reason: readonly string[];
  /** The reason is an extension that the server can't have. */
  readonly lacksExtension: boolean;
}

/** The database's own words, where they belong in the file, and the statement with a caret. */
export function statementFailed(failed: FailedStatement, cause: PostgresErrorShape): ProjectError {
  const position = failed.isOurCall ? undefined : cause.position;
  const line = failed.line + (position === undefined ? 0 : lineOf(failed.text, position) - 1);
  const advice = [
    ...(cause.detail === undefined ? [] : [`Detail: ${cause.detail}`]),
    ...hintsOf(cause, failed.lacksExtension),
    ...failed.reason,
    ...(cause.where === undefined || failed.isOurCall ? [] : [`Where: ${cause.where}`]),
    `At statement: ${failed.index}`,
    markPosition(failed.text, position),
    failed.committed
      ? 'The statements before it are committed, since the file cannot run in one transaction; the next run goes on from here.'
      : 'Nothing of this file was applied.',
  ];
  const message = `${cause.message} (SQLSTATE ${cause.code})`;
  return new ProjectError('statement_failed', { file: `${failed.file}:${line}`, message }, { advice, cause });
}

function hintsOf({ hint, code, message }: PostgresErrorShape, lacksExtension: boolean): string[] {
  const hints = hint === undefined ? [] : [`Hint: ${hint}`];
  const half = /^type "(?:[^".]+\.)?(halfvec|sparsevec)(?:\[\])*" does not exist$/.exec(message)?.[1];
  if (code === '42704' && half !== undefined) {
    return [
      ...hints,
      `Hint: ${half} needs pgvector 0.7 or newer, which the embedded PostgreSQL doesn't have: use vector, or another PostgreSQL with --database-url`,
    ];
  }
  const type = /^type "([^".]+)" does not exist$/.exec(message)?.[1];
  if (code === '42704' && type !== undefined && !lacksExtension) {
    hints.push(`Hint: if an extension defines it, name its schema: extensions.${type}`);
  }
  return hints;
}

const lineOf = (text: string, position: number) =>
  [...text]
    .slice(0, position - 1)
    .join('')
    .split('\n').length;

const shownLines = 12;

/** The statement with a caret below the position (1-based, in characters); long statements are cut around it. */
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
