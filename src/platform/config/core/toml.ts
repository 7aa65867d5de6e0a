/** Parses TOML into a {@link RawTable} with the position of every key. */
import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';
import { ConfigError, type RawNode, type RawTable, type SourceLocation } from './tree.ts';

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
