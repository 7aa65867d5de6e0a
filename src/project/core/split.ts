/**
 * A SQL file as its statements, as upstream's CLI stores them: comments stay with the statement that follows, the
 * semicolon goes.
 */
import { lex } from './lex.ts';

export interface Statement {
  /** Trimmed, without its semicolon. */
  readonly text: string;
  /** Line of the file, from 1, on which the text begins. */
  readonly line: number;
  /** The words it begins with, in lower case, up to eight; empty when there are only comments. */
  readonly words: readonly string[];
}

/**
 * Splits at semicolons outside quotes, dollar quotes, comments, parentheses and `BEGIN ATOMIC … END` bodies. Lines
 * for psql (`\restrict …`) between statements are left out.
 *
 * @example splitStatements("select 1; select ';'").map(({ text }) => text); // ['select 1', "select ';'"]
 */
export function splitStatements(source: string): Statement[] {
  const text = withoutPsqlLines(source.replace(/^\uFEFF/, ''));
  const statements: Statement[] = [];
  const lineAt = lineCounter(text);
  let start = 0;
  let parens = 0;
  let words: string[] = [];
  let bodies = new BodyDepth();

  const close = (end: number) => {
    const piece = text.slice(start, end);
    const trimmed = piece.trim();
    if (trimmed !== '') {
      const line = lineAt(start + piece.length - piece.trimStart().length);
      statements.push({ text: trimmed, line, words });
    }
    words = [];
    bodies = new BodyDepth();
    parens = 0;
  };

  for (const token of lex(text)) {
    if (token.kind === 'word') {
      const value = text.slice(token.start, token.end).toLowerCase();
      if (words.length < 8) words.push(value);
      bodies.word(value, parens);
    } else if (token.kind === 'other') {
      const char = text[token.start];
      if (char === '(') parens++;
      else if (char === ')') parens = Math.max(0, parens - 1);
      else if (char === ';' && parens === 0 && bodies.depth === 0) {
        close(token.start);
        start = token.end;
      }
      if (char !== ';' && words.length < 8) words.push(char ?? '');
    } else if (token.kind === 'string' || token.kind === 'quoted name' || token.kind === 'number') {
      if (words.length < 8) words.push(text.slice(token.start, token.end));
    }
  }
  close(text.length);
  return statements;
}

/** How deep we are in the SQL-standard body of `CREATE [OR REPLACE] FUNCTION | PROCEDURE`, where CASE also ends with END. */
class BodyDepth {
  depth = 0;
  #head: string[] = [];
  #isRoutine: boolean | undefined;

  word(value: string, parens: number): void {
    if (this.#isRoutine === undefined) {
      this.#head.push(value);
      if (/^(create|or|replace)$/.test(value) && this.#head.length <= 3) return;
      this.#isRoutine = this.#head[0] === 'create' && /^(function|procedure)$/.test(value);
      return;
    }
    if (!this.#isRoutine || parens > 0) return;
    if (value === 'begin' || (value === 'case' && this.depth > 0)) this.depth++;
    else if (value === 'end' && this.depth > 0) this.depth--;
  }
}

/** Blanks lines that begin with a backslash and a letter, unless they lie inside a string or comment. */
function withoutPsqlLines(text: string): string {
  if (!/^[ \t]*\\[a-z]/im.test(text)) return text;
  let result = text;
  for (;;) {
    const from = psqlLineStart(result);
    if (from === undefined) return result;
    const newline = result.indexOf('\n', from);
    const end = newline === -1 ? result.length : newline;
    result = `${result.slice(0, from)}${' '.repeat(end - from)}${result.slice(end)}`;
  }
}

function psqlLineStart(text: string): number | undefined {
  for (const { kind, start } of lex(text)) {
    if (kind !== 'other' || text[start] !== '\\' || !/[a-z]/i.test(text[start + 1] ?? '')) continue;
    const lineStart = text.lastIndexOf('\n', start) + 1;
    if (text.slice(lineStart, start).trim() === '') return start;
  }
  return undefined;
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
