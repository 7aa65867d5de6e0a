/** Reports the failures of a start that continued despite them. */
import { observe } from './baseline/observe.ts';
import { isCreatedBy } from './missing.ts';

export interface LeftOut {
  /** Such as `supabase/migrations/1_init.sql`. */
  readonly file: string;
  /** The line on which the statement begins. */
  readonly line: number;
  readonly statement: string;
  /** SQLSTATE. */
  readonly code: string;
  readonly message: string;
}

/**
 * Returns, for each statement, the later ones that failed because they need an object that it would have created.
 *
 * @example
 * dependents([
 *   { statement: 'create table a (b nonsense)', … },
 *   { statement: 'create index on a (b)', message: 'relation "a" does not exist', code: '42P01', … },
 * ]); // [[1], []]
 */
export function dependents(failures: readonly LeftOut[]): number[][] {
  return failures.map((failure, index) =>
    failures.flatMap((later, at) => (at > index && isMissing(later, failure) ? [at] : [])),
  );
}

function isMissing(later: LeftOut, earlier: LeftOut): boolean {
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
        String.raw`\badd\s+(?:column\s+)?(?:if\s+not\s+exists\s+)?"?${escaped(seen.name)}"?\s`,
        'i',
      ).test(earlier.statement);
    case 'no policy':
      return /^\s*create\s+policy\b/i.test(earlier.statement) && earlier.statement.includes(seen.name);
    default:
      return false;
  }
}

const escaped = (name: string): string => name.replace(/[^\w]/g, String.raw`\$&`);

/** Returns lines for a terminal. Empty if no statement was skipped. */
export function describeFailures(failures: readonly LeftOut[]): string[] {
  if (failures.length === 0) return [];
  const needed = dependents(failures);
  const place = ({ file, line }: LeftOut) => `${file}:${line}`;
  const rows = failures.map((failure, index) => [
    place(failure),
    shortened(failure.statement, 50),
    shortened(failure.message, 90),
    (needed[index] ?? [])
      .map((at) => place(failures[at] as LeftOut).replace(/^supabase\/migrations\//, ''))
      .join(', '),
  ]);
  const head = ['skipped statement', '', 'error', 'failed as a result'];
  return [summaryOf(failures), ...columns([head, ...rows])];
}

/** Returns one sentence for every later start. */
export function summaryOf(failures: readonly Pick<LeftOut, 'file'>[]): string {
  const files = new Set(failures.map(({ file }) => file)).size;
  const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;
  return `The schema is partial: ${count(failures.length, 'statement')} of ${count(files, 'file')} failed and ${failures.length === 1 ? 'was' : 'were'} skipped by --keep-going.`;
}

function shortened(text: string, most: number): string {
  const line = text
    .replace(/--[^\n]*/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd());
}
