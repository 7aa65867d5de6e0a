/**
 * Describes the failed statements that a start with --keep-going has skipped, and what they mean for the security of
 * the project's tables.
 */

import { identifier, isCreatedBy, partsOf, withoutComments } from './missing.ts';
import { observe } from './observe.ts';

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

interface TableName {
  readonly schema: string;
  readonly name: string;
}

const enables = /\b(?:enable|force)\s+row\s+level\s+security\b/i;

/**
 * Returns the lines to print below the skipped statements. `open` contains the tables without row level security that
 * clients have privileges for.
 *
 * @example
 * securityConsequences([{ statement: 'alter table notes enable row level security', … }], [{ schema: 'public', name: 'notes' }]);
 * // ['', 'Security:', '  public.notes: any client can access all rows, because … (supabase/migrations/1_a.sql:1).']
 */
export function securityConsequences(
  failures: readonly SkippedStatement[],
  open: readonly TableName[],
): string[] {
  const lines = new Set<string>();
  for (const { statement, file, line } of failures) {
    const text = withoutComments(statement);
    const where = `${file}:${line}`;
    const words = new Set(namesIn(text));
    if (enables.test(text)) {
      const named = open.filter(({ name }) => words.has(name));
      // A block that loops over the tables doesn't name them.
      for (const { schema, name } of named.length > 0 || !/^\s*do\b/i.test(text) ? named : open)
        lines.add(
          `${schema}.${name}: any client with a publishable key can access all rows, because the statement that enables row level security was skipped (${where}).`,
        );
    }
    if (/^\s*(?:create|alter)\s+policy\b/i.test(text))
      lines.add(
        /\bas\s+restrictive\b/i.test(text)
          ? `${where}: clients can access more rows than intended, because this restrictive policy was skipped.`
          : `${where}: clients can't access the rows that this policy allows.`,
      );
    if (/^\s*(?:revoke|alter\s+default\s+privileges\b[^;]*\brevoke)\b/i.test(text))
      lines.add(`${where}: roles keep privileges that this statement revokes.`);
    if (/^\s*create\b[^;]*\btrigger\b/i.test(text))
      lines.add(`${where}: the checks and changes of this trigger don't run.`);
  }
  return lines.size === 0 ? [] : ['Security:', ...[...lines].map((text) => `  ${text}`)];
}

const namesIn = (text: string): string[] =>
  [...text.matchAll(new RegExp(identifier, 'g'))].flatMap(([written]) => partsOf(written));
