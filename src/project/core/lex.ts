/** The lexical level of PostgreSQL's SQL: enough to know where strings, comments and statements end. */

export type TokenKind = 'space' | 'comment' | 'string' | 'quoted name' | 'word' | 'number' | 'other';

export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
}

export interface LexSettings {
  /** The server's `standard_conforming_strings`. False: a backslash escapes in plain strings too. */
  readonly standardConformingStrings: boolean;
}

const standard: LexSettings = { standardConformingStrings: true };

// The server's own white space: JavaScript's \s has more, and those characters are letters there.
const space = /[ \t\n\r\f\v]+/y;
const lineComment = /--[^\n\r]*/y;
// Letters beyond ASCII are part of names, as in the server's own lexer.
const word = /[A-Za-z_\u0080-\uffff][A-Za-z0-9_$\u0080-\uffff]*/y;
const number = /\d[\w.]*/y;
const quotedName = /"[^"]*(?:"|$)/y;
const dollarTag = /\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/y;

/**
 * Every character of the text in exactly one token, in order. Never fails: an unclosed string or comment extends to
 * the end.
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

/** The token that begins at `at`, which must be within the text. */
export function nextToken(text: string, at: number, settings: LexSettings = standard): Token {
  const [kind, end] = tokenAt(text, at, settings);
  return { kind, start: at, end };
}

function tokenAt(
  text: string,
  at: number,
  { standardConformingStrings }: LexSettings,
): readonly [TokenKind, number] {
  const char = text[at] as string;
  const next = text[at + 1];
  const spaceEnd = match(space, text, at);
  if (spaceEnd > at) return ['space', spaceEnd];
  if (char === '-' && next === '-') return ['comment', match(lineComment, text, at)];
  if (char === '/' && next === '*') return ['comment', blockCommentEnd(text, at)];
  if (char === "'") return ['string', stringEnd(text, at, !standardConformingStrings)];
  if (char === '"') return ['quoted name', match(quotedName, text, at)];
  if (char === '$') {
    const end = dollarStringEnd(text, at);
    return end === undefined ? ['other', at + 1] : ['string', end];
  }
  if (next === "'") {
    if (/[eE]/.test(char)) return ['string', stringEnd(text, at + 1, true)];
    // Bit strings have no escapes, whatever the setting.
    if (/[bBxX]/.test(char)) return ['string', stringEnd(text, at + 1, false)];
  }
  if (/\d/.test(char)) return ['number', match(number, text, at)];
  const wordEnd = match(word, text, at);
  return wordEnd > at ? ['word', wordEnd] : ['other', at + 1];
}

function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** A doubled quote belongs to the string, and so does a next part on a later line. */
function stringEnd(text: string, openingQuote: number, hasEscapes: boolean): number {
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
  return text.length;
}

/** The opening quote of a string's next part: only white space with a line break, and line comments, may precede it. */
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

/** Block comments nest. */
function blockCommentEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const pair = text.slice(at, at + 2);
    if (pair === '/*') depth++;
    else if (pair === '*/') depth--;
    else continue;
    at++;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

/** Undefined when no dollar quote begins here (`$1`). */
function dollarStringEnd(text: string, at: number): number | undefined {
  const open = match(dollarTag, text, at);
  if (open === at) return undefined;
  const tag = text.slice(at, open);
  const close = text.indexOf(tag, open);
  return close === -1 ? text.length : close + tag.length;
}
