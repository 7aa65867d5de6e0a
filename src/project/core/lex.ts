/** The lexical level of PostgreSQL's SQL: enough to know where strings, comments and statements end. */

export type TokenKind = 'space' | 'comment' | 'string' | 'quoted name' | 'word' | 'number' | 'other';

export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
}

const space = /\s+/y;
const lineComment = /--[^\n]*/y;
// Letters beyond ASCII are part of names, as in the server's own lexer.
const word = /[A-Za-z_\u0080-\uffff][A-Za-z0-9_$\u0080-\uffff]*/y;
const number = /\d[\w.]*/y;
const plainString = /'[^']*(?:'|$)/y;
const escapeString = /'(?:[^'\\]|\\[\s\S]|\\$)*(?:'|$)/y;
const quotedName = /"[^"]*(?:"|$)/y;
const dollarTag = /\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/y;

/**
 * Every character of the text in exactly one token, in order. Never fails: what is not closed reaches to the end.
 *
 * @example [...lex("select 'a;b'")].map((token) => token.kind); // word, space, string
 */
export function* lex(text: string): Generator<Token> {
  let at = 0;
  while (at < text.length) {
    const [kind, end] = tokenAt(text, at);
    yield { kind, start: at, end };
    at = end;
  }
}

function tokenAt(text: string, at: number): [TokenKind, number] {
  const char = text[at] as string;
  const next = text[at + 1];
  if (/\s/.test(char)) return ['space', match(space, text, at)];
  if (char === '-' && next === '-') return ['comment', match(lineComment, text, at)];
  if (char === '/' && next === '*') return ['comment', blockCommentEnd(text, at)];
  if (char === "'") return ['string', match(plainString, text, at)];
  if (char === '"') return ['quoted name', match(quotedName, text, at)];
  if (char === '$') {
    const end = dollarStringEnd(text, at);
    return end === undefined ? ['other', at + 1] : ['string', end];
  }
  if ((char === 'e' || char === 'E') && next === "'") return ['string', match(escapeString, text, at + 1)];
  if (/\d/.test(char)) return ['number', match(number, text, at)];
  const wordEnd = match(word, text, at);
  return wordEnd > at ? ['word', wordEnd] : ['other', at + 1];
}

function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
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
