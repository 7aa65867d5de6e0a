/**
 * A SQL file as its statements, as upstream's CLI stores them: comments stay with the statement that follows, the
 * semicolon goes.
 */
import { nextToken, type Token } from './lex.ts';

export interface Statement {
  /** Trimmed, without its semicolon. */
  readonly text: string;
  /** Line of the file, from 1, on which the text begins. */
  readonly line: number;
  /** The words it begins with, in lower case, up to eight; empty when there are only comments. */
  readonly words: readonly string[];
  /** `COPY … FROM stdin`; its rows, on the lines up to `\.`, belong to no statement. */
  readonly copiesFromStdin?: true;
}

const shownWords = 8;

/**
 * Splits at semicolons outside quotes, dollar quotes, comments, parentheses and `BEGIN ATOMIC … END` bodies. Lines
 * for psql (`\restrict …`) are left out, and so are the rows behind `COPY … FROM stdin`.
 *
 * @example splitStatements("select 1; select ';'").map(({ text }) => text); // ['select 1', "select ';'"]
 */
export function splitStatements(source: string): Statement[] {
  return new Splitter(source.replace(/^\uFEFF/, '')).all();
}

class Splitter {
  readonly #text: string;
  readonly #lineAt: (offset: number) => number;
  readonly #statements: Statement[] = [];
  #strings = { standardConformingStrings: true };
  // The statement being read:
  #start = 0;
  #parens = 0;
  #words: string[] = [];
  #previous = '';
  #bodies = new BodyDepth();
  #psqlLines: (readonly [from: number, to: number])[] = [];
  #copiesFromStdin = false;

  constructor(text: string) {
    this.#text = text;
    this.#lineAt = lineCounter(text);
  }

  all(): Statement[] {
    const text = this.#text;
    for (let at = 0; at < text.length; ) {
      const token = nextToken(text, at, this.#strings);
      if (isPsqlLine(text, token)) {
        const end = endOfLine(text, at);
        this.#psqlLines.push([at, end]);
        at = end;
      } else if (this.#isEnd(token)) {
        const copied = this.#copiesFromStdin;
        this.#close(token.start);
        at = copied ? endOfRows(text, token.end) : token.end;
        this.#start = at;
      } else {
        this.#add(token);
        at = token.end;
      }
    }
    this.#close(text.length);
    return this.#statements;
  }

  #isEnd({ kind, start }: Token): boolean {
    return kind === 'other' && this.#text[start] === ';' && this.#parens === 0 && this.#bodies.depth === 0;
  }

  #add({ kind, start, end }: Token): void {
    if (kind === 'space' || kind === 'comment') return;
    const written = this.#text.slice(start, end);
    const value = kind === 'word' ? written.toLowerCase() : written;
    if (kind === 'word') {
      this.#bodies.word(value, this.#previous, this.#parens);
      if (value === 'stdin' && this.#previous === 'from' && this.#words[0] === 'copy')
        this.#copiesFromStdin = true;
    } else if (value === '(') this.#parens++;
    else if (value === ')') this.#parens = Math.max(0, this.#parens - 1);
    if (value !== ';' && this.#words.length < shownWords) this.#words.push(value);
    this.#previous = value;
  }

  #close(end: number): void {
    const piece = this.#withoutPsqlLines(end);
    const [from, to] = insideSpace(piece);
    const text = piece.slice(from, to);
    if (text !== '') {
      const line = this.#lineAt(this.#start + from);
      this.#statements.push({
        text,
        line,
        words: this.#words,
        ...(this.#copiesFromStdin ? { copiesFromStdin: true } : {}),
      });
    }
    const standardConformingStrings = conformingStringsAfter(this.#words);
    if (standardConformingStrings !== undefined) this.#strings = { standardConformingStrings };
    this.#words = [];
    this.#previous = '';
    this.#bodies = new BodyDepth();
    this.#parens = 0;
    this.#psqlLines = [];
    this.#copiesFromStdin = false;
  }

  /** Blanked, so that every other character keeps its position. */
  #withoutPsqlLines(end: number): string {
    let result = '';
    let at = this.#start;
    for (const [from, to] of this.#psqlLines) {
      result += this.#text.slice(at, from) + ' '.repeat(to - from);
      at = to;
    }
    return result + this.#text.slice(at, end);
  }
}

/**
 * How deep we are in the SQL-standard body of `CREATE [OR REPLACE] FUNCTION | PROCEDURE`, which begins with BEGIN ATOMIC;
 * CASE also ends with END.
 */
class BodyDepth {
  depth = 0;
  #head: string[] = [];
  #isRoutine: boolean | undefined;

  word(value: string, previous: string, parens: number): void {
    if (this.#isRoutine === undefined) {
      this.#head.push(value);
      if (/^(create|or|replace)$/.test(value) && this.#head.length <= 3) return;
      this.#isRoutine = this.#head[0] === 'create' && /^(function|procedure)$/.test(value);
      return;
    }
    if (!this.#isRoutine || parens > 0) return;
    if (this.depth === 0) {
      if (value === 'atomic' && previous === 'begin') this.depth = 1;
      return;
    }
    // Behind these any word is a name: `select t.end`, `select 1 as case`.
    if (previous === '.' || previous === 'as') return;
    if (value === 'case') this.depth++;
    else if (value === 'end') this.depth--;
  }
}

/** What the statement sets `standard_conforming_strings` to, by which the statements behind it are read. */
function conformingStringsAfter(words: readonly string[]): boolean | undefined {
  const line = words.map((word) => word.replace(/^'(.*)'$/, '$1').toLowerCase()).join(' ');
  if (/^reset (all|standard_conforming_strings)$/.test(line)) return true;
  const value =
    /^set (?:session |local )?standard_conforming_strings (?:=|to) (\w+)$/.exec(line)?.[1] ??
    /^select (?:pg_catalog \. )?set_config \( standard_conforming_strings , (\w+)\b/.exec(line)?.[1];
  return value === undefined ? undefined : !/^(off|of|f|fa|fal|fals|false|n|no|0)$/.test(value);
}

/** Without the server's white space at both ends; what `trim` takes away beyond that may be a name. */
function insideSpace(text: string): readonly [from: number, to: number] {
  const isSpace = (at: number) => ' \t\n\r\f\v'.includes(text[at] as string);
  let from = 0;
  let to = text.length;
  while (from < to && isSpace(from)) from++;
  while (to > from && isSpace(to - 1)) to--;
  return [from, to];
}

/** A backslash command, alone on its line. */
function isPsqlLine(text: string, { kind, start }: Token): boolean {
  if (kind !== 'other' || text[start] !== '\\' || !/[a-z]/i.test(text[start + 1] ?? '')) return false;
  const lineStart = text.lastIndexOf('\n', start) + 1;
  return text.slice(lineStart, start).trim() === '';
}

function endOfLine(text: string, from: number): number {
  const newline = text.indexOf('\n', from);
  return newline === -1 ? text.length : newline;
}

/** Behind the line `\.` that ends the rows of COPY, or the end of the file. */
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
