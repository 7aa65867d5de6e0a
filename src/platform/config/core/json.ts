/**
 * Parses JSON with comments and trailing commas (`config.json`, `config.jsonc`) into a {@link RawTable} with positions.
 */
import { createRequire } from 'node:module';
import type * as JsoncParser from 'jsonc-parser';
import { ConfigError, type RawNode, type RawTable, type SourceLocation } from './tree.ts';

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
