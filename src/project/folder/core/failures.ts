/** Describes the failed statements that a start with --keep-going has skipped. */
import { observe } from './baseline/observe.ts';
import { isCreatedBy } from './missing.ts';

export interface SkippedStatement {
  /** The path to the file, such as `supabase/migrations/1_init.sql`. */
  readonly file: string;
  /** The line on which the statement begins. */
  readonly line: number;
  readonly statement: string;
  /** The SQLSTATE. */
  readonly code: string;
  readonly message: string;
}

/**
 * Returns, for each failed statement, the indexes of later statements that failed because this statement didn't create
 * an object.
 *
 * @example
 * dependents([
 *   { statement: 'create table a (b nonsense)', … },
 *   { statement: 'create index on a (b)', message: 'relation "a" does not exist', code: '42P01', … },
 * ]); // [[1], []]
 */
export function dependents(failures: readonly SkippedStatement[]): number[][] {
  return failures.map((failure, index) =>
    failures.flatMap((later, at) => (at > index && isMissing(later, failure) ? [at] : [])),
  );
}

function isMissing(later: SkippedStatement, earlier: SkippedStatement): boolean {
  const seen = observe(later);
  switch (seen?.kind) {
    case 'no relation':
      return isCreatedBy(earlier.statement, 'relation', seen.schema ?? 'public', seen.name);
    case 'no type':
      return isCreatedBy(earlier.statement, 'type', seen.schema ?? 'public', seen.name);
    case 'no function':
      return isCreatedBy(earlier.statement, 'function', seen.schema ?? 'public', seen.name);
    case 'no column':
      return new RegExp(
        String.raw`\badd\s+(?:column\s+)?(?:if\s+not\s+exists\s+)?"?${RegExp.escape(seen.name)}"?\s`,
        'i',
      ).test(earlier.statement);
    case 'no policy':
      return /^\s*create\s+policy\b/i.test(earlier.statement) && earlier.statement.includes(seen.name);
    default:
      return false;
  }
}

/** Returns the lines to print. Returns an empty list if no statement was skipped. */
export function describeFailures(failures: readonly SkippedStatement[]): string[] {
  if (failures.length === 0) return [];
  const needed = dependents(failures);
  const reference = ({ file, line }: SkippedStatement) => `${file}:${line}`;
  const rows = failures.map((failure, index) => [
    reference(failure),
    shortened(failure.statement, 50),
    shortened(failure.message, 90),
    (needed[index] ?? [])
      .map((at) => reference(failures[at] as SkippedStatement).replace(/^supabase\/migrations\//, ''))
      .join(', '),
  ]);
  const head = ['skipped statement', '', 'error', 'failed as a result'];
  return [summaryOf(failures), ...columns([head, ...rows])];
}

/** Returns the sentence that is printed at every later start. */
export function summaryOf(failures: readonly Pick<SkippedStatement, 'file'>[]): string {
  const files = new Set(failures.map(({ file }) => file)).size;
  const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;
  return `The schema is incomplete: ${count(failures.length, 'statement')} of ${count(files, 'file')} failed and ${failures.length === 1 ? 'was' : 'were'} skipped by --keep-going.`;
}

function shortened(text: string, maxChars: number): string {
  const line = text
    .replace(/--[^\n]*/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1)}…`;
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd());
}
