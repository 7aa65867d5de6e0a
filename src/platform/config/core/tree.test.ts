import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConfigError, parseJson, type RawNode, type RawTable } from './tree.ts';

const plain = (node: RawNode): unknown => {
  if (node.value instanceof Map) return plainTable(node.value);
  return Array.isArray(node.value) ? node.value.map(plain) : node.value;
};
const plainTable = (table: RawTable) =>
  Object.fromEntries([...table].map(([key, node]) => [key, plain(node)]));

test('parses the output of JSON.stringify', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (value) => {
      const written = JSON.stringify(value, null, 2);
      expect(plainTable(parseJson(written, 'x'))).toEqual(JSON.parse(written));
    }),
  );
});

test('supports comments and trailing commas, and records line numbers', () => {
  const table = parseJson('// first\n{\n  /* port */ "port": 1,\n  "list": [1, 2,],\n}\n', 'config.jsonc');
  expect(plainTable(table)).toEqual({ port: 1, list: [1, 2] });
  expect(table.get('list')?.location).toEqual({ file: 'config.jsonc', line: 4, column: 3 });
});

test.each([
  ['{"a" 1}', 'c.json:1: not JSON: expected :'],
  ['{"a": 1', 'c.json:1: not JSON: unexpected end of file'],
  ['[1]', 'c.json:1: not JSON: the file must contain an object'],
  ['{}\n}', 'c.json:2: not JSON: unexpected text after the end'],
  ['{\n"a": }', 'c.json:2: not JSON: unexpected }'],
  ['{a: 1}', 'c.json:1: not JSON: unexpected a'],
  ['{"a"', 'c.json:1: not JSON: unexpected end of file'],
  ['', 'c.json:1: not JSON: unexpected end of file'],
  ['{"a": [1 2]}', 'c.json:1: not JSON: expected ,'],
  ['{,}', 'c.json:1: not JSON: unexpected ,'],
])('%j: %s', (text, message) => {
  expect(() => parseJson(text, 'c.json')).toThrow(message);
});

test('any text is parsed as a table or rejected', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '1', 't', '\\', '/', '*', '\n') }),
      (text) => {
        try {
          parseJson(text, 'x');
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
        }
      },
    ),
  );
});
