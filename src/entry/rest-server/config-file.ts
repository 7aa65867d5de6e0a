/**
 * Parses PostgREST's configuration file. The grammar is that of PostgREST's library `configurator-pg`: `key = value`
 * lines, groups `key { … }`, `import "file"`, comments that start with `#`, and `#;` before an ignored line. Values are
 * quoted strings, numbers, booleans and lists. In strings, `$(NAME)` refers to an earlier setting or an environment
 * variable, and `$$` stands for `$`.
 */

export type FileValue = string | number | boolean | readonly FileValue[];

/** A syntax error. The error message contains the file, the line and the column. */
export class ConfigFileError extends Error {
  override name = 'ConfigFileError';
}

export interface FileSources {
  /** Returns the text of a file. Throws if the file can't be read. */
  readonly read: (path: string) => string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The maximum import depth, which prevents endless recursion if files import each other. */
const MAX_IMPORTS = 16;

/**
 * Reads a configuration file and the files that it imports. Returns the settings by name.
 *
 * @example
 * readConfigFile('/etc/postgrest.conf', sources).get('db-schemas'); // 'api, public'
 * @throws {ConfigFileError}
 */
export function readConfigFile(path: string, sources: FileSources): Map<string, FileValue> {
  const values = new Map<string, FileValue>();
  const load = (file: string, prefix: string, depth: number): void => {
    if (depth > MAX_IMPORTS) throw new ConfigFileError(`${file}: circular import`);
    apply(parse(sources.read(file), file), file, prefix, depth);
  };
  const apply = (directives: readonly Directive[], file: string, prefix: string, depth: number): void => {
    for (const directive of directives) {
      if (directive.is === 'import') load(relativeTo(file, directive.path), prefix, depth + 1);
      else if (directive.is === 'group')
        apply(directive.directives, file, `${prefix}${directive.key}.`, depth);
      else {
        const { key, value } = directive;
        const name = prefix + key;
        const variableValue = (variable: string): FileValue | undefined =>
          lookUp(variable, prefix, values) ?? sources.environment[variable];
        values.set(name, typeof value === 'string' ? interpolate(value, name, variableValue) : value);
      }
    }
  };
  load(path, '', 0);
  return values;
}

type Directive =
  | { readonly is: 'bind'; readonly key: string; readonly value: FileValue }
  | { readonly is: 'group'; readonly key: string; readonly directives: readonly Directive[] }
  | { readonly is: 'import'; readonly path: string };

const relativeTo = (file: string, path: string): string =>
  path.startsWith('/') ? path : file.slice(0, file.lastIndexOf('/') + 1) + path;

function interpolate(
  text: string,
  name: string,
  variableValue: (variable: string) => FileValue | undefined,
): string {
  return text.replace(/\$(\$|\(([^)]+)\))?/g, (_found, escaped?: string, variable?: string) => {
    if (escaped === undefined) {
      throw new ConfigFileError(`${name}: write $$ for a single $ in text; $(NAME) is a variable`);
    }
    if (variable === undefined) return '$';
    const value = variableValue(variable);
    if (value === undefined)
      throw new ConfigFileError(`${name}: the environment variable ${variable} isn't set`);
    if (typeof value !== 'string' && typeof value !== 'number')
      throw new ConfigFileError(`${name}: ${variable} must be text or a number`);
    return String(value);
  });
}

/** Looks up a variable first in its group, then in the enclosing groups. */
function lookUp(
  variable: string,
  prefix: string,
  values: ReadonlyMap<string, FileValue>,
): FileValue | undefined {
  const groups = prefix.split('.').filter((group) => group !== '');
  for (let depth = groups.length; depth >= 0; depth--) {
    const value = values.get([...groups.slice(0, depth), variable].join('.'));
    if (value !== undefined) return value;
  }
  return undefined;
}

const KEY = /\p{L}[\p{L}\p{N}_-]*(?:\.\p{L}[\p{L}\p{N}_-]*)*/uy;
const NUMBER = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /on|off|true|false/y;
const BLANK = /[ \t]*/y;
const COMMENT = /#(?!;)[^\r\n]*/y;
const LINE_END = /\r\n|\n/y;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\' };

function parse(text: string, file: string): Directive[] {
  let at = 0;
  const fail = (what: string): never => {
    const before = text.slice(0, at);
    const line = before.split('\n').length;
    const column = at - before.lastIndexOf('\n');
    throw new ConfigFileError(`${file}, line ${line}, column ${column}: ${what}`);
  };
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  const take = (literal: string): boolean => {
    if (!text.startsWith(literal, at)) return false;
    at += literal.length;
    return true;
  };
  /** Skips spaces and comments up to the end of the line. */
  const blank = (): void => {
    match(BLANK);
    match(COMMENT);
  };
  const lines = (): void => {
    do blank();
    while (match(LINE_END) !== undefined);
  };

  const directives = (closing: '}' | undefined): Directive[] => {
    const found: Directive[] = [];
    for (;;) {
      lines();
      if (closing === undefined ? at === text.length : take(closing)) return found;
      if (at === text.length) fail('a } is missing');
      const counts = !take('#;');
      blank();
      const one = directive();
      if (counts) found.push(one);
      blank();
      const ends = at === text.length || text[at] === closing || match(LINE_END) !== undefined;
      if (!ends) fail('unexpected text after the setting');
    }
  };
  const directive = (): Directive => {
    const key = match(KEY) ?? fail('expected a name, as in name = "value"');
    lines();
    if (key === 'import' && text[at] === '"') return { is: 'import', path: quoted() };
    if (take('{')) return { is: 'group', key, directives: directives('}') };
    if (!take('=')) fail(`expected = after ${key}`);
    lines();
    return { is: 'bind', key, value: value() };
  };
  const value = (): FileValue => {
    if (text[at] === '"') return quoted();
    if (take('[')) return items();
    const word = match(WORD);
    if (word !== undefined) return word === 'on' || word === 'true';
    return Number(
      match(NUMBER) ?? fail('expected text in double quotes, a number, true, false, or a list in brackets'),
    );
  };
  const items = (): FileValue[] => {
    const list: FileValue[] = [];
    for (;;) {
      lines();
      if (take(']')) return list;
      if (list.length > 0 && !take(',')) fail('expected a comma between list items');
      lines();
      list.push(value());
    }
  };
  const quoted = (): string => {
    at++;
    let result = '';
    for (;;) {
      const char = text[at];
      if (char === undefined) return fail('expected a closing double quote');
      at++;
      if (char === '"') return result;
      result += char === '\\' ? escaped() : char;
    }
  };
  const escaped = (): string => {
    const char = text[at++] ?? '';
    if (ESCAPES[char] !== undefined) return ESCAPES[char];
    const hex = /^[0-9a-fA-F]{4}/.exec(text.slice(at, at + 4))?.[0];
    if (char !== 'u' || hex === undefined)
      fail('expected the escape \\n, \\t, \\r, \\", \\\\ or \\u with four hex digits');
    at += 4;
    return String.fromCharCode(Number.parseInt(hex as string, 16));
  };
  return directives(undefined);
}
