/**
 * Splits SQL into tokens as PostgreSQL's lexer does (PostgreSQL 18 documentation, 4.1), in enough detail to find where
 * strings, comments and statements end.
 */

export type TokenKind = 'space' | 'comment' | 'string' | 'name' | 'word' | 'parameter' | 'number' | 'symbol';

export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
  /**
   * Whether the token is a string, quoted name or comment that isn't terminated. An unterminated token extends to the
   * end of the text.
   */
  readonly isOpen: boolean;
}

export interface LexSettings {
  /**
   * The `standard_conforming_strings` setting of the PostgreSQL server. If the setting is off, a backslash is also an
   * escape character in plain strings.
   */
  readonly standardConformingStrings: boolean;
}

const standard: LexSettings = { standardConformingStrings: true };

// The whitespace characters are listed because JavaScript's `\s` includes characters that PostgreSQL treats as letters.
const space = /[ \t\n\r\f\v]+/y;
const lineComment = /--[^\n\r]*/y;
// As in PostgreSQL's lexer, non-ASCII characters are part of names.
const word = /[A-Za-z_\u0080-\uffff][A-Za-z0-9_$\u0080-\uffff]*/y;
const number = /\d[\w.]*/y;
const parameter = /\$\d+/y;
const dollarTag = /\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/y;

/**
 * Yields tokens in order that together cover the whole text. Never throws.
 *
 * @example [...lex("select 'a;b'")].map((token) => token.kind); // word, space, string
 */
export function* lex(text: string, settings: LexSettings = standard): Generator<Token> {
  for (let at = 0; at < text.length; ) {
    const token = nextToken(text, at, settings);
    yield token;
    at = token.end;
  }
}

/** Returns the token that starts at `at`, which must be within the text. */
export function nextToken(text: string, at: number, settings: LexSettings = standard): Token {
  const [kind, end] = tokenAt(text, at, settings);
  return { kind, start: at, end: end ?? text.length, isOpen: end === undefined };
}

/** Returns the kind and the end of the token that starts at `at`. The end is undefined if the token is unterminated. */
function tokenAt(
  text: string,
  at: number,
  { standardConformingStrings }: LexSettings,
): readonly [TokenKind, number | undefined] {
  const char = text[at] as string;
  const next = text[at + 1];
  const spaceEnd = match(space, text, at);
  if (spaceEnd > at) return ['space', spaceEnd];
  if (char === '-' && next === '-') return ['comment', match(lineComment, text, at)];
  if (char === '/' && next === '*') return ['comment', blockCommentEnd(text, at)];
  if (char === "'") return ['string', stringEnd(text, at, !standardConformingStrings)];
  if (char === '"') return ['name', quotedNameEnd(text, at)];
  if (char === '$') {
    const parameterEnd = match(parameter, text, at);
    if (parameterEnd > at) return ['parameter', parameterEnd];
    const open = match(dollarTag, text, at);
    return open === at ? ['symbol', at + 1] : ['string', dollarStringEnd(text, at, open)];
  }
  if (next === "'") {
    if (/[eE]/.test(char)) return ['string', stringEnd(text, at + 1, true)];
    // Bit strings don't support escapes, regardless of `standard_conforming_strings`.
    if (/[bBxX]/.test(char)) return ['string', stringEnd(text, at + 1, false)];
    if (/[nN]/.test(char)) return ['string', stringEnd(text, at + 1, !standardConformingStrings)];
  }
  if (/[uU]/.test(char) && next === '&') {
    if (text[at + 2] === '"') return ['name', quotedNameEnd(text, at + 2)];
    // PostgreSQL rejects `U&'…'` strings if `standard_conforming_strings` is off.
    if (text[at + 2] === "'") return ['string', stringEnd(text, at + 2, !standardConformingStrings)];
  }
  if (/\d/.test(char)) return ['number', match(number, text, at)];
  const wordEnd = match(word, text, at);
  return wordEnd > at ? ['word', wordEnd] : ['symbol', at + 1];
}

function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/**
 * Returns the end of a string. A doubled quote doesn't end the string, and a string can be continued on a later line.
 */
function stringEnd(text: string, openingQuote: number, hasEscapes: boolean): number | undefined {
  for (let at = openingQuote + 1; at < text.length; at++) {
    const char = text[at];
    if (char === '\\' && hasEscapes) at++;
    if (char !== "'") continue;
    if (text[at + 1] === "'") {
      at++;
      continue;
    }
    const nextPart = continuedAt(text, at + 1);
    if (nextPart === undefined) return at + 1;
    at = nextPart;
  }
  return undefined;
}

/**
 * Returns the position of the quote at which a string is continued. Only whitespace with a line break and line comments
 * can precede this quote.
 */
function continuedAt(text: string, from: number): number | undefined {
  let sawLineBreak = false;
  for (let at = from; at < text.length; ) {
    const char = text[at] as string;
    if (char === "'") return sawLineBreak ? at : undefined;
    if (char === '\n' || char === '\r') sawLineBreak = true;
    if (char === '-' && text[at + 1] === '-') at = match(lineComment, text, at);
    else if (/[ \t\n\r\f\v]/.test(char)) at++;
    else return undefined;
  }
  return undefined;
}

/** Returns the end of a block comment. Block comments can be nested. */
function blockCommentEnd(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const pair = text.slice(at, at + 2);
    if (pair === '/*') depth++;
    else if (pair === '*/') depth--;
    else continue;
    at++;
    if (depth === 0) return at + 1;
  }
  return undefined;
}

/** Returns the end of a dollar-quoted string. `open` is the end of the opening tag. */
function dollarStringEnd(text: string, at: number, open: number): number | undefined {
  const tag = text.slice(at, open);
  const close = text.indexOf(tag, open);
  return close === -1 ? undefined : close + tag.length;
}

/** Returns the end of a quoted name. A doubled quote doesn't end the name. */
function quotedNameEnd(text: string, openingQuote: number): number | undefined {
  for (let at = openingQuote + 1; at < text.length; at++) {
    if (text[at] !== '"') continue;
    if (text[at + 1] !== '"') return at + 1;
    at++;
  }
  return undefined;
}

export interface SqlToken {
  readonly kind: Exclude<TokenKind, 'space'>;
  /** The text of the token. A word is in lowercase, and every other kind of token is unchanged. */
  readonly text: string;
  /** The start and the end of the token as UTF-16 offsets. */
  readonly start: number;
  readonly end: number;
  /** Whether a string, name or comment isn't terminated. */
  readonly isOpen: boolean;
}

/** Returns every token in order, including comments but not whitespace. */
export function tokenize(text: string, settings?: LexSettings): SqlToken[] {
  const tokens: SqlToken[] = [];
  for (const { kind, start, end, isOpen } of lex(text, settings)) {
    if (kind === 'space') continue;
    const raw = text.slice(start, end);
    tokens.push({ kind, text: kind === 'word' ? raw.toLowerCase() : raw, start, end, isOpen });
  }
  return tokens;
}

/** Returns the tokens that aren't comments. */
export const significant = (tokens: readonly SqlToken[]): SqlToken[] =>
  tokens.filter(({ kind }) => kind !== 'comment');
