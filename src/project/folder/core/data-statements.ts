/**
 * Finds statements in migrations that change data or passwords, because a dump of the schema doesn't contain their
 * effects.
 */
import type { SqlText } from './missing.ts';
import { splitStatements } from './split.ts';

export interface DataStatement {
  /** The file and the line, such as `supabase/migrations/1_init.sql:4`. */
  readonly place: string;
  /** The beginning of the statement, on one line. */
  readonly text: string;
}

const maxChars = 80;
const first: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'merge', 'copy', 'call']);
const changesRows = /\b(insert\s+into|update\s+[^;]+?\sset|delete\s+from|merge\s+into)\b/i;
const createsRows = /^\s*create\s[^(;]*\bas\s+(\(\s*)*(select|with|values|table|execute)\b/i;
const startsFunction = /\b(function|procedure|view|rule|trigger)\b/i;

/**
 * Returns the statements that may insert, change or delete rows or set a password. A SELECT that calls a function, such
 * as `cron.schedule`, is included because a function can change data.
 */
export function dataStatements(files: readonly SqlText[]): DataStatement[] {
  return files.flatMap(({ shownPath, text }) =>
    splitStatements(text)
      .map((statement) => ({ ...statement, bare: withoutComments(statement.text) }))
      .filter(({ words, bare }) => changesData(words, bare))
      .map(({ line, bare }) => ({ place: `${shownPath}:${line}`, text: shortened(bare) })),
  );
}

function changesData(words: readonly string[], text: string): boolean {
  const [word = '', ...rest] = words;
  if (first.has(word)) return true;
  if (word === 'select') return !/^(pg_catalog\.)?set_config\(/.test(rest.join(''));
  if (word === 'with' || word === 'do') return changesRows.test(text);
  if (word === 'alter' || word === 'create')
    if (rest[0] === 'role' || rest[0] === 'user') return /\bpassword\b/i.test(text);
  if (word !== 'create') return false;
  return createsRows.test(text) && !startsFunction.test(words.join(' '));
}

/** Removes comments at the beginning of the text. */
const withoutComments = (text: string): string => text.replace(/^(\s*(--[^\n]*\n|\/\*[\s\S]*?\*\/))*\s*/, '');

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1)}…`;
}
