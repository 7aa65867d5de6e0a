/**
 * The statements of a SQL file as upstream's CLI stores them: comments belong to the statement that follows, and the
 * semicolon is removed. Files of `pg_dump` also have lines for psql and the rows of COPY.
 */
import type { Token } from '../../shared/sql/lex.ts';
import { type Embedded, type SqlPiece, splitSql } from '../../shared/sql/split.ts';
import { significant, tokenize } from '../../shared/sql/tokens.ts';

export interface Statement {
  /** Trimmed, without its semicolon. */
  readonly text: string;
  /** The 1-based line of the file on which the text starts. */
  readonly line: number;
  /** The first tokens, up to eight, words in lowercase. Empty if there are only comments. */
  readonly words: readonly string[];
  /** Whether this is `COPY ... FROM stdin`. Its rows, on the lines up to `\.`, belong to no statement. */
  readonly copiesFromStdin?: true;
}

/**
 * Splits a file at the semicolons that end statements. Removes lines for psql (`\restrict ...`) and the rows after
 * `COPY ... FROM stdin`.
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
    continuesAt: (piece, end) => (copiesFromStdin(text, piece) ? endOfRows(text, end) : end),
  };
  for (const piece of splitSql(text, embedded)) {
    const written = blanked(text, piece, psqlLines);
    psqlLines = [];
    const [from, to] = insideSpace(written);
    if (from === to) continue;
    statements.push({
      text: written.slice(from, to),
      line: lineAt(piece.start + from),
      words: piece.words,
      ...(copiesFromStdin(text, piece) ? { copiesFromStdin: true } : {}),
    });
  }
  return statements;
}

function copiesFromStdin(text: string, { start, end, words, settings }: SqlPiece): boolean {
  if (words[0] !== 'copy') return false;
  const tokens = significant(tokenize(text.slice(start, end), settings));
  return tokens.some(
    ({ kind, text: word }, index) =>
      kind === 'word' && word === 'stdin' && tokens[index - 1]?.text === 'from',
  );
}

/** Replaces lines for psql by spaces, so that every other character keeps its position. */
function blanked(
  text: string,
  { start, end }: SqlPiece,
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

/** Excludes the server's white space at both ends. Other characters that `trim` removes may be a name. */
function insideSpace(text: string): readonly [from: number, to: number] {
  const isSpace = (at: number) => ' \t\n\r\f\v'.includes(text[at] as string);
  let from = 0;
  let to = text.length;
  while (from < to && isSpace(from)) from++;
  while (to > from && isSpace(to - 1)) to--;
  return [from, to];
}

/** Whether the token starts a backslash command, alone on its line. */
function isPsqlLine(text: string, { kind, start }: Token): boolean {
  if (kind !== 'symbol' || text[start] !== '\\' || !/[a-z]/i.test(text[start + 1] ?? '')) return false;
  const lineStart = text.lastIndexOf('\n', start) + 1;
  return text.slice(lineStart, start).trim() === '';
}

function endOfLine(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  return newline === -1 ? text.length : newline;
}

/** Returns the offset after the line `\.` that ends the rows of COPY, or the end of the file. */
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
