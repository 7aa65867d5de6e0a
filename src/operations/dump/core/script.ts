/**
 * Reads a SQL file as a stream of statements, including the rows of COPY FROM stdin. Supports pg_dump's plain format.
 * Memory use depends on the longest statement, not on the file size.
 */

import { oneLine } from '../../../base/shared/printable.ts';
import { type LexSettings, lex } from '../../../base/shared/sql/lex.ts';
import { type StatementSpan, splitSql } from '../../../base/shared/sql/split.ts';
import { DumpError } from '../errors.ts';

export interface ScriptStatement {
  /** The statement without its semicolon. */
  readonly text: string;
  /** The number of the line on which the text starts. Line numbers start at 1. */
  readonly line: number;
  /**
   * The data of a COPY FROM stdin statement. The data must be read to the end before the next statement is requested.
   */
  readonly rows?: AsyncIterable<Uint8Array>;
}

const newline = 0x0a;
const copyFromStdin = /^\s*copy\b[\s\S]*\bfrom\s+stdin\b/i;
/** The psql commands that protect a dump against injection. These commands don't affect the SQL. */
const ignoredCommands = /^\s*\\(un)?restrict\b/;

/** Yields the statements of the file. @throws {DumpError} command_unsupported, incomplete */
export async function* readScript(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ScriptStatement> {
  const lines = new LineReader(chunks);
  let text = '';
  let startLine = 1;
  // The text's minimum length before it is parsed again, because parsing it after each line of a long function body
  // would take quadratic time.
  let nextAttempt = 0;
  for (let bytes = await lines.next(); bytes !== undefined; bytes = await lines.next()) {
    const line = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
    if (text === '' || text.trim() === '') {
      text = '';
      startLine = lines.number;
      if (/^\s*\\/.test(line)) {
        if (!ignoredCommands.test(line)) throw unsupported(lines.number, line);
        continue;
      }
      if (isCommentLine.test(line)) continue;
    }
    text += text === '' && lines.number === 1 ? line.replace(/^\uFEFF/, '') : line;
    const isCopy = /from\s+stdin/i.test(line);
    if (!/;\s*(--.*)?$/.test(line) || (text.length < nextAttempt && !isCopy)) continue;
    const pieces = [...splitSql(text)];
    const rest = pieces.pop();
    if (rest === undefined || pieces.length === 0) {
      nextAttempt = text.length * 1.2;
      continue;
    }
    nextAttempt = 0;
    let at = startLine;
    for (const piece of pieces) {
      yield* statementOf(text, piece, at, lines);
      at += countLines(text.slice(piece.start, piece.end));
    }
    text = text.slice(rest.start);
    startLine = at;
  }
  const pieces = [...splitSql(text)];
  const rest = pieces.pop();
  for (const piece of pieces) {
    yield* statementOf(text, piece, startLine, lines);
    startLine += countLines(text.slice(piece.start, piece.end));
  }
  if (rest === undefined) return;
  refuseCommands(text.slice(rest.start), rest.settings, startLine);
  // The last statement doesn't end with a semicolon, so the dump is incomplete.
  if (rest.words.length > 0) throw new DumpError('incomplete', { line: startLine });
}

/** Yields the statement in this part of the text, unless the part is empty. `line` is the part's first line. */
async function* statementOf(
  text: string,
  { start, end, settings }: StatementSpan,
  line: number,
  lines: LineReader,
): AsyncGenerator<ScriptStatement> {
  const piece = text.slice(start, end);
  if (piece.trim() === '') return;
  refuseCommands(piece, settings, line);
  const statement = { text: piece.trim(), line: line + countLines(/^\s*/.exec(piece)?.[0] ?? '') };
  if (!copyFromStdin.test(withoutComments(piece))) {
    yield statement;
    return;
  }
  const rows = lines.rows();
  yield { ...statement, rows };
  for await (const _ of rows);
}

/**
 * Throws if psql would run a command in this text. psql finds a command anywhere on a line, and no SQL statement
 * contains a backslash outside of quotes and comments.
 */
function refuseCommands(text: string, settings: LexSettings, startLine: number): void {
  if (!text.includes('\\')) return;
  for (const { kind, start } of lex(text, settings))
    if (kind === 'symbol' && text[start] === '\\')
      throw unsupported(startLine + countLines(text.slice(0, start)), text.slice(start));
}

const unsupported = (line: number, text: string): DumpError =>
  new DumpError('command_unsupported', { line, command: commandOf(text) });

const countLines = (text: string): number => text.split('\n').length - 1;
/** PostgreSQL and psql end a comment at a carriage return too. */
const isCommentLine = /^\s*(--[^\n\r]*)?\s*$/;
const commandOf = (text: string): string => oneLine(text.trim().split(/\s/)[0] as string);
const withoutComments = (text: string): string => text.replace(/^\s*--.*$/gm, '');

/** Splits chunks into lines, including their line breaks. */
class LineReader {
  /** The number of the most recently returned line. */
  number = 0;
  readonly #chunks: AsyncIterator<Uint8Array>;
  #buffer: Buffer = Buffer.alloc(0);
  #at = 0;
  #ended = false;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async next(): Promise<Buffer | undefined> {
    for (;;) {
      const end = this.#buffer.indexOf(newline, this.#at);
      if (end !== -1) return this.#take(end + 1);
      if (!(await this.#fill())) {
        if (this.#at === this.#buffer.length) return undefined;
        return this.#take(this.#buffer.length);
      }
    }
  }

  /** Yields the lines before the line `\.`, in chunks. */
  async *rows(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const from = this.#at;
      let isLast = false;
      for (let end = this.#buffer.indexOf(newline, this.#at); end !== -1; ) {
        this.number += 1;
        const start = this.#at;
        this.#at = end + 1;
        if (isEndOfRows(this.#buffer, start, end)) {
          isLast = true;
          if (start > from) yield this.#buffer.subarray(from, start);
          break;
        }
        end = this.#buffer.indexOf(newline, this.#at);
      }
      if (isLast) return;
      if (this.#at > from) yield this.#buffer.subarray(from, this.#at);
      if (!(await this.#fill())) {
        if (isEndOfRows(this.#buffer, this.#at, this.#buffer.length)) {
          this.#at = this.#buffer.length;
          return;
        }
        throw new DumpError('incomplete', { line: this.number });
      }
    }
  }

  #take(end: number): Buffer {
    this.number += 1;
    const line = this.#buffer.subarray(this.#at, end);
    this.#at = end;
    return line;
  }

  async #fill(): Promise<boolean> {
    if (this.#ended) return false;
    const { value, done } = await this.#chunks.next();
    if (done === true) {
      this.#ended = true;
      return false;
    }
    this.#buffer = Buffer.concat([this.#buffer.subarray(this.#at), value]);
    this.#at = 0;
    return true;
  }
}

/** Whether the line consists only of `\.`, optionally followed by a carriage return. */
function isEndOfRows(buffer: Buffer, start: number, end: number): boolean {
  const length = buffer[end - 1] === 0x0d ? end - 1 - start : end - start;
  return length === 2 && buffer[start] === 0x5c && buffer[start + 1] === 0x2e;
}
