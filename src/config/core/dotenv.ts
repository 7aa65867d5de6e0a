/**
 * Parses dotenv files in the dialect of upstream's CLI: `export`, comments, quotes over several lines, `$NAME` and
 * `${NAME}`.
 */
import { ConfigError } from './tree.ts';

const name = /\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.]*)[ \t]*[=:][ \t]*/y;
const blank = /(?:\s|#[^\n]*)*/y;

/**
 * Parses a dotenv file. @throws {ConfigError} with file and line, at the first line that isn't an assignment. Messages
 * never contain values.
 */
export function parseDotenv(text: string, file: string): Map<string, string> {
  const values = new Map<string, string>();
  const source = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  let offset = 0;

  const fail = (at: number, message: string): never => {
    const line = source.slice(0, at).split('\n').length;
    throw new ConfigError([{ key: '', message, location: { file, line, column: 1 } }]);
  };
  const expand = (value: string) =>
    value.replace(/(\\)?\$(?:\{([A-Z0-9_]+)\}|([A-Z0-9_]+))/g, (whole, escaped, braced, bare) =>
      escaped === undefined ? (values.get(braced ?? bare) ?? '') : whole.slice(1),
    );

  for (;;) {
    blank.lastIndex = offset;
    blank.exec(source);
    offset = blank.lastIndex;
    if (offset >= source.length) return values;

    name.lastIndex = offset;
    const match = name.exec(source);
    if (match === null) return fail(offset, "this line doesn't have the form NAME=value");
    const key = match[1] ?? '';
    offset = name.lastIndex;

    const quote = source[offset];
    if (quote === '"' || quote === "'") {
      const end = closingQuote(source, offset + 1, quote);
      if (end === -1) return fail(offset, `${key} has an unclosed quote`);
      const inner = source.slice(offset + 1, end);
      values.set(key, quote === "'" ? inner : expand(unescaped(inner)));
      offset = end + 1;
    } else {
      const newline = source.indexOf('\n', offset);
      const end = newline === -1 ? source.length : newline;
      const line = source.slice(offset, end).replace(/(^|\s)#.*$/, '');
      values.set(key, expand(line.trim()));
      offset = end;
    }
  }
}

function closingQuote(source: string, from: number, quote: string): number {
  for (let at = from; at < source.length; at++) {
    if (source[at] === '\\') at++;
    else if (source[at] === quote) return at;
  }
  return -1;
}

const unescaped = (text: string) =>
  text.replace(/\\([^$])/g, (_, char: string) => (char === 'n' ? '\n' : char === 'r' ? '\r' : char));
