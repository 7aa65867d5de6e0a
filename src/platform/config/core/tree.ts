/** Parses settings files (TOML and JSON) into a tree whose values have positions but haven't been validated. */
import { createRequire } from 'node:module';
import type * as JsoncParser from 'jsonc-parser';
import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';

export interface SourceLocation {
  /** The file's path as shown in messages, such as `supabase/config.toml`. */
  readonly file: string;
  /** The line number, starting at 1. */
  readonly line: number;
  readonly column: number;
}

export type RawTable = Map<string, RawNode>;
export type RawValue = string | number | boolean | null | readonly RawNode[] | RawTable;

export interface RawNode {
  readonly value: RawValue;
  /** The position. Absent if the tree was created from an object instead of a file. */
  readonly location?: SourceLocation;
}

/** An error or warning about the settings. */
export interface Notice {
  /** The setting's key, such as `auth.email.otp_length`. Empty if the notice applies to a whole file. */
  readonly key: string;
  readonly message: string;
  readonly location?: SourceLocation;
}

/** Returns a notice's text, such as `supabase/config.toml:12: api.port: "x" isn't a port`. */
export function noticeText({ key, message, location }: Notice): string {
  const where = location === undefined ? '' : `${location.file}:${location.line}: `;
  return `${where}${key === '' ? '' : `${key}: `}${message}`;
}

/** An error for invalid settings. Contains all errors, in the order in which they occur in the file. */
export class ConfigError extends Error {
  readonly faults: readonly Notice[];
  constructor(faults: readonly Notice[]) {
    const sorted = [...faults].sort(byLocation);
    const lines = sorted.map(noticeText);
    super(lines.length === 1 ? lines[0] : `${lines.length} invalid settings:\n  ${lines.join('\n  ')}`);
    this.name = 'ConfigError';
    this.faults = sorted;
  }
}

function byLocation(a: Notice, b: Notice): number {
  const byFile = (a.location?.file ?? '').localeCompare(b.location?.file ?? '');
  return byFile || (a.location?.line ?? 0) - (b.location?.line ?? 0);
}

/** Converts plain objects and arrays to a settings tree. Omits members whose value is `undefined`. */
export function treeFrom(value: object): RawTable {
  const table: RawTable = new Map();
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) table.set(key, nodeFrom(member));
  }
  return table;
}

function nodeFrom(value: unknown): RawNode {
  if (Array.isArray(value)) return { value: value.map(nodeFrom) };
  if (typeof value === 'object' && value !== null) return { value: treeFrom(value) };
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return { value };
  return { value: null };
}

/** Parses the text. @throws {ConfigError} at the first syntax error */
export function parseToml(source: string, file: string): RawTable {
  const text = source.replace(/^\uFEFF/, '');
  const root: RawTable = new Map();
  const location = ({ loc }: AST.TOMLNode): SourceLocation => ({
    file,
    line: loc.start.line,
    column: loc.start.column + 1,
  });

  const put = (table: RawTable, names: readonly string[], node: RawNode): void => {
    const last = names.at(-1) ?? '';
    descend(table, names.slice(0, -1), node.location).set(last, node);
  };
  const read = (node: AST.TOMLContentNode): RawNode['value'] => {
    if (node.type === 'TOMLArray') {
      return node.elements.map((element) => ({ value: read(element), location: location(element) }));
    }
    if (node.type === 'TOMLInlineTable') return fill(new Map(), node.body);
    return node.value instanceof Date ? text.slice(...node.range) : node.value;
  };
  const fill = (table: RawTable, body: readonly AST.TOMLKeyValue[]): RawTable => {
    for (const pair of body) {
      put(table, keyNames(pair.key), { value: read(pair.value), location: location(pair) });
    }
    return table;
  };

  for (const item of parse(text, file).body[0].body) {
    if (item.type === 'TOMLKeyValue') fill(root, [item]);
    else if (item.kind === 'standard') fill(descend(root, keyNames(item.key), location(item)), item.body);
    else appendTable(root, item, location(item), fill);
  }
  return root;
}

function parse(text: string, file: string): AST.TOMLProgram {
  try {
    return parseTOML(text, { tomlVersion: '1.0' });
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const location = { file, line: error.lineNumber, column: error.column + 1 };
    throw new ConfigError([{ key: '', message: `not TOML: ${error.message}`, location }]);
  }
}

export const keyNames = (key: AST.TOMLKey): string[] =>
  key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value));

/**
 * Returns the table at this path, creating missing tables. If a name in the path refers to an array of tables, uses the
 * array's last table.
 */
function descend(table: RawTable, names: readonly string[], location: SourceLocation | undefined): RawTable {
  let current = table;
  for (const name of names) {
    const found = current.get(name)?.value;
    if (found instanceof Map) current = found;
    else if (Array.isArray(found) && found.at(-1)?.value instanceof Map) current = found.at(-1).value;
    else {
      const made: RawTable = new Map();
      current.set(name, location === undefined ? { value: made } : { value: made, location });
      current = made;
    }
  }
  return current;
}

/** Appends a table to an array of tables (`[[a.b]]`). */
function appendTable(
  root: RawTable,
  item: AST.TOMLTable,
  location: SourceLocation,
  fill: (table: RawTable, body: readonly AST.TOMLKeyValue[]) => RawTable,
): void {
  const names = keyNames(item.key);
  const parent = descend(root, names.slice(0, -1), location);
  const last = names.at(-1) ?? '';
  const before = parent.get(last)?.value;
  const entry = { value: fill(new Map(), item.body), location };
  parent.set(last, { value: [...(Array.isArray(before) ? before : []), entry], location });
}

const require = createRequire(import.meta.url);

/**
 * Plinth's error messages, by the name of the error in jsonc-parser. For all other errors, the message contains the
 * unexpected text.
 */
const messages: Readonly<Record<string, string>> = {
  ColonExpected: 'expected :',
  CommaExpected: 'expected ,',
  PropertyNameExpected: 'a key must be a string',
  EndOfFileExpected: 'unexpected text after the end',
};

/** Parses the text. @throws {ConfigError} at the first syntax error */
export function parseJson(source: string, file: string): RawTable {
  // Loads the parser on first use, because most projects use TOML.
  const { parseTree, printParseErrorCode } = require('jsonc-parser') as typeof JsoncParser;
  const text = source.replace(/^\uFEFF/, '');
  const locationAt = locationsIn(text, file);
  const fail = (message: string, offset: number): never => {
    throw new ConfigError([{ key: '', message: `not JSON: ${message}`, location: locationAt(offset) }]);
  };

  const errors: JsoncParser.ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    const { error, offset, length } = first;
    const isAtEnd = text.slice(offset).trim() === '';
    const unexpected = `unexpected ${isAtEnd ? 'end of file' : text.slice(offset, offset + length)}`;
    fail((isAtEnd ? undefined : messages[printParseErrorCode(error)]) ?? unexpected, offset);
  }
  if (root?.type !== 'object') return fail('the file must contain an object', root?.offset ?? 0);
  return tableOf(root, locationAt);
}

type LocationAt = (offset: number) => SourceLocation;

/** Returns a function that converts an offset in the text to a line and column. */
function locationsIn(text: string, file: string): LocationAt {
  const lineStarts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  return (offset) => {
    const line = lineStarts.findLastIndex((start) => start <= offset);
    return { file, line: line + 1, column: offset - (lineStarts[line] ?? 0) + 1 };
  };
}

/** Converts a JSON object to a table. If a key is repeated, the last value is used. */
function tableOf(object: JsoncParser.Node, locationAt: LocationAt): RawTable {
  const properties = (object.children ?? []).flatMap(({ children: [key, value] = [] }) =>
    key === undefined || value === undefined ? [] : [{ key, value }],
  );
  return new Map(
    properties.map(({ key, value }) => [
      String(key.value),
      { value: rawValueOf(value, locationAt), location: locationAt(key.offset) },
    ]),
  );
}

function rawValueOf(node: JsoncParser.Node, locationAt: LocationAt): RawNode['value'] {
  if (node.type === 'object') return tableOf(node, locationAt);
  if (node.type !== 'array') return node.value as RawNode['value'];
  return (node.children ?? []).map((item) => ({
    value: rawValueOf(item, locationAt),
    location: locationAt(item.offset),
  }));
}
