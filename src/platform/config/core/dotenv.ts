/**
 * Parses dotenv files in the dialect of upstream's CLI, with `export`, comments, multiline quotes, `$NAME` and
 * `${NAME}`.
 */
import { ConfigError } from './tree.ts';

const name = /\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.]*)[ \t]*[=:][ \t]*/y;
const blank = /(?:\s|#[^\n]*)*/y;

/**
 * The position of a variable assignment in the file. Offsets refer to the text after the byte order mark has been
 * removed and line endings have been converted to LF.
 */
interface Assignment {
  readonly key: string;
  readonly start: number;
  /** The position of the value, including the quotes around it. */
  readonly valueStart: number;
  readonly end: number;
}

const normalized = (text: string): string => text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');

/**
 * Parses a dotenv file.
 * @throws {ConfigError} with the file and line of the first line that isn't an assignment. Messages never contain
 * values.
 */
export const parseDotenv = (text: string, file: string): Map<string, string> =>
  scan(normalized(text), file).values;

/**
 * Sets a variable, or removes it if the value is undefined. The rest of the text is unchanged.
 * @throws {ConfigError}
 */
export function setDotenv(text: string, file: string, key: string, value: string | undefined): string {
  const source = normalized(text);
  const found = scan(source, file).assignments.filter((one) => one.key === key);
  const last = found.at(-1);
  let result = source;
  if (value === undefined) {
    for (const { start, end } of found.toReversed()) {
      const newline = result.indexOf('\n', end);
      result = result.slice(0, start) + (newline === -1 ? '' : result.slice(newline + 1));
    }
  } else if (last === undefined) {
    result += `${source === '' || source.endsWith('\n') ? '' : '\n'}${key}=${quoted(value)}\n`;
  } else result = source.slice(0, last.valueStart) + quoted(value) + source.slice(last.end);
  return text.includes('\r\n') ? result.replaceAll('\n', '\r\n') : result;
}

/** Returns the other variables whose values refer to this variable (`$NAME`). @throws {ConfigError} */
export function dependentVariables(text: string, file: string, key: string): string[] {
  const before = parseDotenv(text, file);
  const value = before.get(key);
  if (value === undefined) return [];
  const after = parseDotenv(setDotenv(text, file, key, `${value}*`), file);
  return [...before.keys()].filter((name) => name !== key && before.get(name) !== after.get(name));
}

/** Returns the text with every value masked. */
export function maskDotenv(text: string, file: string, mask: (key: string) => string): string {
  const source = normalized(text);
  return scan(source, file).assignments.reduceRight(
    (shown, { key, valueStart, end }) => shown.slice(0, valueStart) + mask(key) + shown.slice(end),
    source,
  );
}

/** Quotes a value so that the dotenv parser returns it unchanged. */
function quoted(value: string): string {
  if (!/['\\\r\n]/.test(value)) return `'${value}'`;
  const escaped = value
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replace(/\$(?=[A-Z0-9_]|\{[A-Z0-9_]+\})/g, '\\$');
  return `"${escaped}"`;
}

function scan(
  source: string,
  file: string,
): { readonly values: Map<string, string>; readonly assignments: readonly Assignment[] } {
  const values = new Map<string, string>();
  const assignments: Assignment[] = [];
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
    if (offset >= source.length) return { values, assignments };

    name.lastIndex = offset;
    const match = name.exec(source);
    if (match === null) return fail(offset, "this line doesn't have the form NAME=value");
    const key = match[1] ?? '';
    const start = offset;
    offset = name.lastIndex;
    const valueStart = offset;

    const quote = source[offset];
    if (quote === '"' || quote === "'") {
      const end = closingQuote(source, offset + 1, quote);
      if (end === -1) return fail(offset, `${key} has an unclosed quote`);
      const inner = source.slice(offset + 1, end);
      values.set(key, quote === "'" ? inner : expand(unescaped(inner)));
      offset = end + 1;
      assignments.push({ key, start, valueStart, end: offset });
    } else {
      const newline = source.indexOf('\n', offset);
      const end = newline === -1 ? source.length : newline;
      const line = source.slice(offset, end).replace(/(^|\s)#.*$/, '');
      values.set(key, expand(line.trim()));
      assignments.push({ key, start, valueStart, end: offset + line.trimEnd().length });
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
