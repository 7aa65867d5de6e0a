/** Splits SQL into statements. */
import { type LexSettings, nextToken, type Token } from './lex.ts';

/** A statement with the surrounding comments and whitespace, without its semicolon. */
export interface SqlPiece {
  /** UTF-16 offsets. */
  readonly start: number;
  readonly end: number;
  /** Up to eight leading tokens without comments, with words in lowercase. Empty if there are only comments. */
  readonly words: readonly string[];
  /** The lexer settings that result from earlier statements. */
  readonly settings: LexSettings;
}

/** The parts of a file that aren't SQL. */
export interface Embedded {
  /** Returns the end of the text that starts at `token` and isn't SQL, or undefined if it is SQL. */
  endOf(token: Token): number | undefined;
  /** Returns where SQL continues after a statement whose semicolon ends at `end`. */
  continuesAt(statement: SqlPiece, end: number): number;
}

const shownWords = 8;

/**
 * Splits at semicolons outside quotes, dollar quotes, comments, parentheses and `BEGIN ATOMIC ... END` bodies. An empty
 * statement also yields a piece. Respects statements that set `standard_conforming_strings`.
 *
 * @example [...splitSql("select 1; select ';'")].map(({ words }) => words); // [['select', '1'], ['select', "';'"]]
 */
export function* splitSql(text: string, embedded?: Embedded): Generator<SqlPiece> {
  let settings: LexSettings = { standardConformingStrings: true };
  let head = new StatementHead();
  let start = 0;
  for (let at = 0; at < text.length; ) {
    const token = nextToken(text, at, settings);
    const skipTo = embedded?.endOf(token);
    if (skipTo !== undefined) {
      at = skipTo;
    } else if (token.kind === 'symbol' && text[at] === ';' && head.canEnd) {
      const piece = { start, end: at, words: head.words, settings };
      yield piece;
      settings = settingsAfter(piece);
      head = new StatementHead();
      at = embedded?.continuesAt(piece, token.end) ?? token.end;
      start = at;
    } else {
      head.add(token, text);
      at = token.end;
    }
  }
  yield { start, end: text.length, words: head.words, settings };
}

/** The part of a statement that has been read, as far as it affects where the statement ends. */
class StatementHead {
  readonly words: string[] = [];
  readonly #body = new RoutineBody();
  #parentheses = 0;
  #previous = '';

  get canEnd(): boolean {
    return this.#parentheses === 0 && this.#body.depth === 0;
  }

  add({ kind, start, end }: Token, text: string): void {
    if (kind === 'space' || kind === 'comment') return;
    const written = text.slice(start, end);
    const value = kind === 'word' ? written.toLowerCase() : written;
    if (kind === 'word') this.#body.word(value, this.#previous, this.#parentheses);
    else if (value === '(') this.#parentheses++;
    else if (value === ')') this.#parentheses = Math.max(0, this.#parentheses - 1);
    if (value !== ';' && this.words.length < shownWords) this.words.push(value);
    this.#previous = value;
  }
}

/** The SQL-standard body of `CREATE [OR REPLACE] FUNCTION | PROCEDURE`, from BEGIN ATOMIC to END. CASE also ends with END. */
class RoutineBody {
  depth = 0;
  #head: string[] = [];
  #isRoutine: boolean | undefined;

  word(value: string, previous: string, parentheses: number): void {
    if (this.#isRoutine === undefined) {
      this.#head.push(value);
      if (/^(create|or|replace)$/.test(value) && this.#head.length <= 3) return;
      this.#isRoutine = this.#head[0] === 'create' && /^(function|procedure)$/.test(value);
      return;
    }
    if (!this.#isRoutine || parentheses > 0) return;
    if (this.depth === 0) {
      if (value === 'atomic' && previous === 'begin') this.depth = 1;
      return;
    }
    // After these, any word is a name: `select t.end`, `select 1 as case`.
    if (previous === '.' || previous === 'as') return;
    if (value === 'case') this.depth++;
    else if (value === 'end') this.depth--;
  }
}

/** Returns the settings with which the server reads the statements after this one. */
function settingsAfter({ words, settings }: SqlPiece): LexSettings {
  const line = words.map((word) => word.replace(/^'(.*)'$/, '$1').toLowerCase()).join(' ');
  if (/^reset (all|standard_conforming_strings)$/.test(line)) return { standardConformingStrings: true };
  const value =
    /^set (?:session |local )?standard_conforming_strings (?:=|to) (\w+)$/.exec(line)?.[1] ??
    /^select (?:pg_catalog \. )?set_config \( standard_conforming_strings , (\w+)\b/.exec(line)?.[1];
  if (value === undefined) return settings;
  return { standardConformingStrings: !/^(off|of|f|fa|fal|fals|false|n|no|0)$/.test(value) };
}
