/**
 * Splits a SQL file into statements, in the form that upstream's CLI stores. A comment belongs to the statement after
 * it, and semicolons are removed. Files from `pg_dump` also contain psql commands and COPY data.
 */
import { significant, type Token, tokenize } from '../../../base/shared/sql/lex.ts';
import { type Embedded, type StatementSpan, splitSql } from '../../../base/shared/sql/split.ts';

export interface Statement {
  /** The text without its semicolon and surrounding whitespace. */
  readonly text: string;
  /** The number of the line on which the text begins, starting at 1. */
  readonly line: number;
  /** The first tokens (at most eight), with words in lower case. Empty if there are only comments. */
  readonly words: readonly string[];
  /**
   * Whether this is `COPY ... FROM stdin`. The rows on the following lines, up to `\.`, don't belong to any statement.
   */
  readonly copiesFromStdin?: true;
}

/**
 * Splits a file at the semicolons that end statements. psql commands (`\restrict ...`) and the rows after `COPY ...
 * FROM stdin` are removed.
 *
 * @example splitStatements("select 1; select ';'").map(({ text }) => text); // ['select 1', "select ';'"]
 */
export function splitStatements(source: string): Statement[] {
  const text = source.replace(/^\uFEFF/, '');
  const lineAt = lineCounter(text);
  const statements: Statement[] = [];
  let psqlLines: (readonly [from: number, to: number])[] = [];
  const embedded: Embedded = {
    endOf(token) {
      if (!isPsqlLine(text, token)) return undefined;
      const end = endOfLine(text, token.start);
      psqlLines.push([token.start, end]);
      return end;
    },
    continuesAt: (span, end) => (copiesFromStdin(text, span) ? endOfRows(text, end) : end),
  };
  for (const span of splitSql(text, embedded)) {
    const written = blanked(text, span, psqlLines);
    psqlLines = [];
    const [from, to] = insideSpace(written);
    if (from === to) continue;
    statements.push({
      text: written.slice(from, to),
      line: lineAt(span.start + from),
      words: span.words,
      ...(copiesFromStdin(text, span) ? { copiesFromStdin: true } : {}),
    });
  }
  return statements;
}

function copiesFromStdin(text: string, { start, end, words, settings }: StatementSpan): boolean {
  if (words[0] !== 'copy') return false;
  const tokens = significant(tokenize(text.slice(start, end), settings));
  return tokens.some(
    ({ kind, text: word }, index) =>
      kind === 'word' && word === 'stdin' && tokens[index - 1]?.text === 'from',
  );
}

/** Replaces psql commands with spaces, so that all other characters keep their positions. */
function blanked(
  text: string,
  { start, end }: StatementSpan,
  lines: readonly (readonly [from: number, to: number])[],
): string {
  let result = '';
  let at = start;
  for (const [from, to] of lines) {
    result += text.slice(at, from) + ' '.repeat(to - from);
    at = to;
  }
  return result + text.slice(at, end);
}

/**
 * Returns the range of the text without the leading and trailing characters that PostgreSQL treats as whitespace.
 * `trim` would also remove characters that may be part of a name.
 */
function insideSpace(text: string): readonly [from: number, to: number] {
  const isSpace = (at: number) => ' \t\n\r\f\v'.includes(text[at] as string);
  let from = 0;
  let to = text.length;
  while (from < to && isSpace(from)) from++;
  while (to > from && isSpace(to - 1)) to--;
  return [from, to];
}

/** Whether the token begins a psql command that isn't preceded by other text on its line. */
function isPsqlLine(text: string, { kind, start }: Token): boolean {
  if (kind !== 'symbol' || text[start] !== '\\' || !/[a-z]/i.test(text[start + 1] ?? '')) return false;
  const lineStart = text.lastIndexOf('\n', start) + 1;
  return text.slice(lineStart, start).trim() === '';
}

function endOfLine(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  return newline === -1 ? text.length : newline;
}

/**
 * Returns the offset after the line `\.` that ends the rows of COPY. Returns the end of the file if the line `\.` is
 * missing.
 */
function endOfRows(text: string, from: number): number {
  const end = /^\\\.[ \t\r]*$/gm;
  end.lastIndex = endOfLine(text, from);
  return end.test(text) ? end.lastIndex : text.length;
}

function lineCounter(text: string): (offset: number) => number {
  let line = 1;
  let counted = 0;
  return (offset) => {
    for (let at = text.indexOf('\n', counted); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
      line++;
      counted = at + 1;
    }
    return line;
  };
}
