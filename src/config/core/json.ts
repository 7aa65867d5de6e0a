/**
 * Parses JSON with comments and trailing commas (`config.json`, `config.jsonc`) to a {@link RawTable} with positions.
 */
import { ConfigError, type Place, type RawNode, type RawTable, type RawValue } from './tree.ts';

const token = /[{}[\],:]|"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const blank = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;

/** @throws {ConfigError} at the first syntax error. */
export function parseJson(text: string, file: string): RawTable {
  let offset = 0;

  const placeAt = (at: number): Place => {
    const before = text.slice(0, at).split('\n');
    return { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  };
  const fail = (message: string): never => {
    throw new ConfigError([{ key: '', message: `not JSON: ${message}`, place: placeAt(offset) }]);
  };
  const skip = () => {
    blank.lastIndex = offset;
    blank.exec(text);
    offset = blank.lastIndex;
  };
  const peek = () => {
    skip();
    return text[offset];
  };
  const next = (): string => {
    skip();
    token.lastIndex = offset;
    const match = token.exec(text);
    if (match === null)
      return fail(offset < text.length ? `unexpected ${text[offset]}` : 'unexpected end of file');
    offset = token.lastIndex;
    return match[0];
  };
  const expect = (wanted: string) => {
    skip();
    const at = offset;
    if (next() === wanted) return;
    offset = at;
    fail(`expected ${wanted}`);
  };

  const value = (): RawNode => {
    skip();
    const place = placeAt(offset);
    const word = next();
    if (word === '{') return { value: object(), place };
    if (word === '[') return { value: array(), place };
    return { value: scalar(word), place };
  };
  const scalar = (word: string): RawValue => {
    try {
      return JSON.parse(word) as RawValue;
    } catch {
      offset -= word.length;
      return fail(`unexpected ${word}`);
    }
  };
  const object = (): RawTable => {
    const table: RawTable = new Map();
    while (peek() !== '}') {
      const place = placeAt(offset);
      const key = next();
      if (!key.startsWith('"')) fail('a key must be a string');
      expect(':');
      table.set(String(scalar(key)), { value: value().value, place });
      if (peek() !== '}') expect(',');
    }
    offset++;
    return table;
  };
  const array = (): RawNode[] => {
    const nodes: RawNode[] = [];
    while (peek() !== ']') {
      nodes.push(value());
      if (peek() !== ']') expect(',');
    }
    offset++;
    return nodes;
  };

  const root = value();
  if (peek() !== undefined) fail('unexpected text after the end');
  return root.value instanceof Map ? root.value : fail('the file must contain an object');
}
