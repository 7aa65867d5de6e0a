/** Splits a GraphQL document into tokens. */

import { GraphqlError } from '../error.ts';

export type TokenKind = 'punctuator' | 'name' | 'int' | 'float' | 'string' | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** The text of the token, and of a string its value. */
  readonly text: string;
  readonly position: number;
}

/** A syntax error, in the form of upstream's parser. `expected` describes what may stand at the position. */
export function syntaxError(source: string, position: number, reason: string): GraphqlError {
  const before = source.slice(0, position);
  const line = before.split('\n').length;
  const column = position - before.lastIndexOf('\n');
  return new GraphqlError(`query parse error: Parse error at ${line}:${column}\n${reason}`);
}

// Comments and commas are insignificant, as white space is.
const IGNORED = /[\s,\uFEFF]+|#[^\n\r]*/y;
const PUNCTUATOR = /\.\.\.|[!$&()/:=@[\]{|}]/y;
const NAME = /[A-Za-z_]\w*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?(?![\w.])/y;

/** Returns the token that starts at or after the position, and where the next one starts. */
export function nextToken(source: string, from: number): { token: Token; end: number } {
  const position = skipIgnored(source, from);
  if (position >= source.length) return { token: { kind: 'end', text: '', position }, end: position };
  if (source.startsWith('"""', position)) return blockString(source, position);
  if (source[position] === '"') return string(source, position);
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = position;
    const matched = pattern.exec(source);
    if (matched === null) continue;
    const isFloat = kind === 'int' && (matched[1] ?? matched[2]) !== undefined;
    return {
      token: { kind: isFloat ? 'float' : kind, text: matched[0], position },
      end: position + matched[0].length,
    };
  }
  throw syntaxError(source, position, `Unexpected character ${JSON.stringify(source[position])}`);
}

const PATTERNS = [
  ['punctuator', PUNCTUATOR],
  ['name', NAME],
  ['int', NUMBER],
] as const;

function skipIgnored(source: string, from: number): number {
  let position = from;
  for (;;) {
    IGNORED.lastIndex = position;
    if (!IGNORED.test(source)) return position;
    position = IGNORED.lastIndex;
  }
}

function string(source: string, position: number): { token: Token; end: number } {
  let at = position + 1;
  for (;;) {
    const char = source[at];
    if (char === undefined || char === '\n' || char === '\r') {
      throw syntaxError(source, position, 'Unterminated string');
    }
    if (char === '"') break;
    at += char === '\\' ? 2 : 1;
  }
  const text = stringValue(source, position, source.slice(position + 1, at));
  return { token: { kind: 'string', text, position }, end: at + 1 };
}

function blockString(source: string, position: number): { token: Token; end: number } {
  let end = source.indexOf('"""', position + 3);
  while (end > 0 && source[end - 1] === '\\') end = source.indexOf('"""', end + 3);
  if (end < 0) throw syntaxError(source, position, 'Unterminated string');
  const text = blockValue(source.slice(position + 3, end));
  return { token: { kind: 'string', text, position }, end: end + 3 };
}

const ESCAPES: Readonly<Record<string, string | undefined>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

function stringValue(source: string, position: number, raw: string): string {
  if (!raw.includes('\\')) return raw;
  return raw.replace(
    /\\(?:u\{([\dA-Fa-f]{1,6})\}|u([\dA-Fa-f]{4})|(.))/gs,
    (_, braced?: string, four?: string, one = '') => {
      const code = braced ?? four;
      if (code !== undefined) {
        const point = Number.parseInt(code, 16);
        if (point > 0x10_ff_ff) throw syntaxError(source, position, `Invalid escape \\u{${code}}`);
        return String.fromCodePoint(point);
      }
      const escaped = ESCAPES[one];
      if (escaped === undefined) throw syntaxError(source, position, `Invalid escape \\${one}`);
      return escaped;
    },
  );
}

/** Removes the common indentation, and the blank lines at both ends. */
function blockValue(raw: string): string {
  const lines = raw.replaceAll('\\"""', '"""').split(/\r\n|[\n\r]/);
  const indents = lines
    .slice(1)
    .filter((line) => line.trim() !== '')
    .map((line) => line.length - line.trimStart().length);
  const common = indents.length === 0 ? 0 : Math.min(...indents);
  const stripped = lines.map((line, index) => (index === 0 ? line : line.slice(common)));
  while (stripped.length > 0 && stripped[0]?.trim() === '') stripped.shift();
  while (stripped.length > 0 && stripped.at(-1)?.trim() === '') stripped.pop();
  return stripped.join('\n');
}
