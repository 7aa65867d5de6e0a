/** Splits SQL into statements. */
import { type LexSettings, nextToken, type Token } from './lex.ts';

/** A statement, including the surrounding comments and whitespace but not the semicolon. */
export interface StatementSpan {
  /** The start and the end of the statement as UTF-16 offsets. */
  readonly start: number;
  readonly end: number;
  /**
   * The first tokens of the statement, without comments and with words in lowercase. Contains up to eight tokens. The
   * list is empty if the statement consists of comments only.
   */
  readonly words: readonly string[];
  /** The lexer settings in effect for this statement. */
  readonly settings: LexSettings;
}

/** Locates the parts of a file that don't consist of SQL. */
export interface Embedded {
  /** If text that isn't SQL starts at `token`, returns the end of that text. Otherwise, returns undefined. */
  endOf(token: Token): number | undefined;
  /**
   * Returns the position at which SQL continues after a statement. `end` is the position after the statement's
   * semicolon.
   */
  continuesAt(statement: StatementSpan, end: number): number;
}

const shownWords = 8;

/**
 * Splits text at semicolons, except those inside quotes, dollar quotes, comments, parentheses and
 * `BEGIN ATOMIC ... END` bodies. An empty statement also yields a span. The lexer follows statements that set
 * `standard_conforming_strings`.
 *
 * @example [...splitSql("select 1; select ';'")].map(({ words }) => words); // [['select', '1'], ['select', "';'"]]
 */
export function* splitSql(text: string, embedded?: Embedded): Generator<StatementSpan> {
  let settings: LexSettings = { standardConformingStrings: true };
  let head = new StatementHead();
  let start = 0;
  for (let at = 0; at < text.length; ) {
    const token = nextToken(text, at, settings);
    const skipTo = embedded?.endOf(token);
    if (skipTo !== undefined) {
      at = skipTo;
    } else if (token.kind === 'symbol' && text[at] === ';' && head.canEnd) {
      const span = { start, end: at, words: head.words, settings };
      yield span;
      settings = settingsAfter(span);
      head = new StatementHead();
      at = embedded?.continuesAt(span, token.end) ?? token.end;
      start = at;
    } else {
      head.add(token, text);
      at = token.end;
    }
  }
  yield { start, end: text.length, words: head.words, settings };
}

/** Parses the beginning of a statement, which determines where the statement ends. */
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

/**
 * Tracks the SQL-standard body of `CREATE [OR REPLACE] FUNCTION | PROCEDURE`, from BEGIN ATOMIC to END. A CASE
 * expression also ends with END, so the nesting depth is counted.
 */
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
    // After a dot or `as`, any word is a name: `select t.end`, `select 1 as case`.
    if (previous === '.' || previous === 'as') return;
    if (value === 'case') this.depth++;
    else if (value === 'end') this.depth--;
  }
}

/** Returns the lexer settings for the statements that follow this statement. */
function settingsAfter({ words, settings }: StatementSpan): LexSettings {
  const line = words.map((word) => word.replace(/^'(.*)'$/, '$1').toLowerCase()).join(' ');
  if (/^reset (all|standard_conforming_strings)$/.test(line)) return { standardConformingStrings: true };
  const value =
    /^set (?:session |local )?standard_conforming_strings (?:=|to) (\w+)$/.exec(line)?.[1] ??
    /^select (?:pg_catalog \. )?set_config \( standard_conforming_strings , (\w+)\b/.exec(line)?.[1];
  if (value === undefined) return settings;
  return { standardConformingStrings: !/^(off|of|f|fa|fal|fals|false|n|no|0)$/.test(value) };
}
