/**
 * Changes single values in a TOML document. Preserves comments, the order of keys, blank lines and the notation of all
 * other values.
 */
import { type AST, parseTOML } from 'toml-eslint-parser';
import { keyNames } from './tree.ts';

export type TomlValue = string | number | boolean | readonly string[];

/**
 * Sets a value, or removes the key if the value is `undefined`. If the key's table doesn't exist, it is added at the
 * end of the document.
 * @throws {Error} if the text isn't valid TOML or part of the path isn't a table
 * @example setToml('[api]\nport = 1 # mine\n', ['api', 'port'], 2) // '[api]\nport = 2 # mine\n'
 */
export function setToml(text: string, path: readonly string[], value: TomlValue | undefined): string {
  if (text.startsWith('\uFEFF')) return `\uFEFF${setToml(text.slice(1), path, value)}`;
  const top = parseTOML(text, { tomlVersion: '1.0' }).body[0];
  const found = findPair(top.body, path);
  if (found !== undefined) {
    if (value !== undefined) return splice(text, found.pair.value.range, tomlText(value));
    return found.inline ? removeInline(text, found.pair, found.inline) : removeLine(text, found.pair);
  }
  if (value === undefined) return text;
  const line = `${keyText(path.at(-1) ?? '')} = ${tomlText(value)}`;
  return insert(text, top, path.slice(0, -1), line);
}

interface FoundPair {
  readonly pair: AST.TOMLKeyValue;
  readonly inline: AST.TOMLInlineTable | undefined;
}

const startsWith = (path: readonly string[], head: readonly string[]): boolean =>
  head.every((name, index) => path[index] === name);

function findPair(
  body: readonly (AST.TOMLKeyValue | AST.TOMLTable)[],
  path: readonly string[],
  inline?: AST.TOMLInlineTable,
): FoundPair | undefined {
  for (const item of body) {
    const names = keyNames(item.key);
    if (!startsWith(path, names)) continue;
    const rest = path.slice(names.length);
    if (item.type === 'TOMLTable') {
      const below = item.kind === 'standard' && rest.length > 0 ? findPair(item.body, rest) : undefined;
      if (below !== undefined) return below;
    } else if (rest.length === 0) return { pair: item, inline };
    else if (item.value.type === 'TOMLInlineTable') {
      const below = findPair(item.value.body, rest, item.value);
      if (below !== undefined) return below;
    }
  }
  return undefined;
}

function insert(text: string, top: AST.TOMLTopLevelTable, table: readonly string[], line: string): string {
  const newLine = text.includes('\r\n') ? '\r\n' : '\n';
  if (table.length === 0) {
    const first = top.body.find((item) => item.type === 'TOMLTable');
    const last = top.body.filter((item) => item.type === 'TOMLKeyValue').at(-1);
    if (last !== undefined) return splice(text, [last.range[1], last.range[1]], newLine + line);
    const at = first === undefined ? text.length : first.range[0];
    return splice(text, [at, at], `${line}${newLine}${first === undefined ? '' : newLine}`);
  }
  const holder = findPair(top.body, table)?.pair.value;
  if (holder !== undefined) {
    if (holder.type !== 'TOMLInlineTable') throw new Error(`${table.join('.')} isn't a table`);
    const last = holder.body.at(-1);
    return last === undefined
      ? splice(text, holder.range, `{ ${line} }`)
      : splice(text, [last.range[1], last.range[1]], `, ${line}`);
  }
  const section = top.body.find(
    (item): item is AST.TOMLTable =>
      item.type === 'TOMLTable' && item.kind === 'standard' && same(keyNames(item.key), table),
  );
  if (section !== undefined) {
    const last = section.body.at(-1);
    // The new key is inserted after the end of the line, because the line may end with a comment.
    const end = endOfLine(text, last === undefined ? endOfHeader(text, section) : last.range[1]);
    return splice(text, [end, end], newLine + line);
  }
  const head = table.map(keyText).join('.');
  const before = text === '' ? '' : `${text.replace(/\s*$/, '')}${newLine}${newLine}`;
  return `${before}[${head}]${newLine}${line}${newLine}`;
}

const same = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && startsWith(left, right);

const endOfHeader = (text: string, table: AST.TOMLTable): number => text.indexOf(']', table.key.range[1]) + 1;

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  if (end < 0) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}

function removeLine(text: string, pair: AST.TOMLKeyValue): string {
  const start = text.lastIndexOf('\n', pair.range[0] - 1) + 1;
  const end = text.indexOf('\n', pair.range[1]);
  return splice(text, [start, end < 0 ? text.length : end + 1], '');
}

function removeInline(text: string, pair: AST.TOMLKeyValue, { body }: AST.TOMLInlineTable): string {
  const index = body.indexOf(pair);
  const next = body[index + 1];
  if (next !== undefined) return splice(text, [pair.range[0], next.range[0]], '');
  const previous = body[index - 1];
  return splice(text, [previous?.range[1] ?? pair.range[0], pair.range[1]], '');
}

const splice = (text: string, [start, end]: readonly [number, number], part: string): string =>
  text.slice(0, start) + part + text.slice(end);

/** Returns a key's name as written in TOML. */
export const keyText = (name: string): string => (/^[A-Za-z0-9_-]+$/.test(name) ? name : stringText(name));

function tomlText(value: TomlValue): string {
  if (typeof value === 'string') return stringText(value);
  if (typeof value === 'object') return `[${value.map(stringText).join(', ')}]`;
  return String(value);
}

/** Returns a TOML 1.0 basic string. TOML supports all escapes that JSON uses, but also requires DEL to be escaped. */
const stringText = (text: string): string => JSON.stringify(text).replaceAll('\u007f', '\\u007f');
