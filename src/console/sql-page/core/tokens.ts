/**
 * PostgreSQL's lexical structure (PostgreSQL 18 documentation, 4.1), as far as somebody needs it who must know where a
 * statement ends and what it begins with: strings of every kind, dollar quotes, nested comments, quoted names. Pure.
 */

export interface Token {
  readonly kind: 'word' | 'name' | 'string' | 'number' | 'symbol' | 'comment' | 'parameter';
  /** A word in lower case; everything else as it stands. */
  readonly text: string;
  /** UTF-16 offsets. */
  readonly start: number;
  readonly end: number;
  /** A string, name or comment that never ends. */
  readonly isOpen: boolean;
}

const space = /\s+/y;
const lineComment = /--[^\n\r]*/y;
const word = /[A-Za-z_\u0080-\uffff][A-Za-z0-9_$\u0080-\uffff]*/y;
const number = /\d[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?\d+)?/y;
const parameter = /\$\d+/y;
const dollarQuote = /\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/y;

/** Every token in order, comments included; blanks between them are left out. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  const add = (kind: Token['kind'], end: number, isOpen = false): void => {
    const raw = text.slice(at, end);
    tokens.push({ kind, text: kind === 'word' ? raw.toLowerCase() : raw, start: at, end, isOpen });
    at = end;
  };
  while (at < text.length) {
    const blank = match(space);
    if (blank !== undefined) {
      at += blank.length;
      continue;
    }
    const comment = match(lineComment);
    if (comment !== undefined) {
      add('comment', at + comment.length);
      continue;
    }
    if (text.startsWith('/*', at)) {
      const end = endOfComment(text, at);
      add('comment', end ?? text.length, end === undefined);
      continue;
    }
    const prefix = /^(?:[eE]|[bB]|[xX]|[nN]|[uU]&)?'/.exec(text.slice(at, at + 3))?.[0];
    if (prefix !== undefined) {
      const end = endOfQuoted(text, at + prefix.length, "'", /^[eE]/.test(prefix));
      add('string', end ?? text.length, end === undefined);
      continue;
    }
    const nameStart = /^(?:[uU]&)?"/.exec(text.slice(at, at + 3))?.[0];
    if (nameStart !== undefined) {
      const end = endOfQuoted(text, at + nameStart.length, '"', false);
      add('name', end ?? text.length, end === undefined);
      continue;
    }
    const dollar = match(dollarQuote);
    if (dollar !== undefined) {
      const close = text.indexOf(dollar, at + dollar.length);
      add('string', close < 0 ? text.length : close + dollar.length, close < 0);
      continue;
    }
    const found: readonly (readonly [Token['kind'], string | undefined])[] = [
      ['word', match(word)],
      ['parameter', match(parameter)],
      ['number', match(number)],
    ];
    const [kind, raw] = found.find(([, each]) => each !== undefined) ?? ['symbol', text[at]];
    add(kind, at + (raw?.length ?? 1));
  }
  return tokens;
}

/** Without comments. */
export const significant = (tokens: readonly Token[]): Token[] =>
  tokens.filter(({ kind }) => kind !== 'comment');

function endOfComment(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const two = text.slice(at, at + 2);
    if (two === '/*') depth++;
    else if (two === '*/') depth--;
    else continue;
    at++;
    if (depth === 0) return at + 1;
  }
  return undefined;
}

function endOfQuoted(text: string, start: number, quote: string, hasEscapes: boolean): number | undefined {
  for (let at = start; at < text.length; at++) {
    if (hasEscapes && text[at] === '\\') at++;
    else if (text[at] === quote) {
      if (text[at + 1] !== quote) return at + 1;
      at++;
    }
  }
  return undefined;
}
