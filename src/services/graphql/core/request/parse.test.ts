import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GraphqlError } from '../error.ts';
import type { Literal } from './ast.ts';
import { parse } from './parse.ts';

const literalOf = (text: string): Literal | undefined => {
  const [operation] = parse(`{ a(b: ${text}) }`).operations;
  const [field] = operation?.selections ?? [];
  return field?.kind === 'field' ? field.arguments[0]?.value : undefined;
};

test('operations, fragments and directives', () => {
  expect(
    parse(`
      # A comment
      query Q($id: [ID!]! = ["a"] @d, $n: Int) @d { one: two(id: $id) @skip(if: true) { ...F ... on T { x } ... { y } } }
      fragment F on T { z }
    `),
  ).toMatchObject({
    operations: [
      {
        kind: 'query',
        name: 'Q',
        variables: [
          { name: 'id', default: { kind: 'list', items: [{ kind: 'string', text: 'a' }] } },
          { name: 'n', default: null },
        ],
        selections: [
          {
            kind: 'field',
            key: 'one',
            name: 'two',
            arguments: [{ name: 'id', value: { kind: 'variable', name: 'id' } }],
            directives: [
              { name: 'skip', arguments: [{ name: 'if', value: { kind: 'boolean', value: true } }] },
            ],
            selections: [
              { kind: 'spread', fragment: 'F' },
              { kind: 'inline', on: 'T' },
              { kind: 'inline', on: null },
            ],
          },
        ],
      },
    ],
    fragments: [{ name: 'F', on: 'T' }],
  });
});

describe('values', () => {
  test.each<readonly [string, Literal]>([
    ['-12', { kind: 'int', text: '-12' }],
    ['9007199254740993', { kind: 'int', text: '9007199254740993' }],
    ['1.50e3', { kind: 'float', text: '1.50e3' }],
    ['null', { kind: 'null' }],
    ['A_B', { kind: 'enum', text: 'A_B' }],
    [String.raw`"a\"\\\nA\u{1F600}"`, { kind: 'string', text: 'a"\\\nA😀' }],
    ['"""\n    a\n      b \\""" c\n  """', { kind: 'string', text: 'a\n  b """ c' }],
    ['[]', { kind: 'list', items: [] }],
    ['{ a: {} }', { kind: 'object', entries: [['a', { kind: 'object', entries: [] }]] }],
  ])('%s', (text, literal) => {
    expect(literalOf(text)).toEqual(literal);
  });
});

describe('a faulty document is rejected', () => {
  test.each([
    ['', 'query parse error: Parse error at 1:1\nUnexpected end of input'],
    ['{ a\n  { } }', 'query parse error: Parse error at 2:5\nUnexpected `}`\nExpected a name'],
    ['type T { a: Int }', 'Parse error at 1:1\nUnexpected `type`'],
    ['{ a(b: "x) }', 'Parse error at 1:8\nUnterminated string'],
    ['{ a(b: """x) }', 'Parse error at 1:8\nUnterminated string'],
    [String.raw`{ a(b: "\x") }`, 'Invalid escape'],
    ['{ a(b: 01) }', 'Unexpected character "0"'],
    ['{ a; }', 'Unexpected character ";"'],
    ['{'.repeat(100_000), 'Unexpected `{`'],
    [`{ a(b: ${'['.repeat(100_000)}`, 'nested deeper than 500 levels'],
    ['{ a '.repeat(100_000), 'nested deeper than 500 levels'],
  ])('%#', (source, message) => {
    expect(() => parse(source)).toThrow(message);
  });

  test('any text is a document or a syntax error, in linear time', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '(',
      ')',
      '"',
      '"""',
      '\\',
      '#',
      '\n',
      '$',
      'a',
      ':',
      '...',
      'on',
      '@',
      '1',
    );
    const texts = fc.oneof(
      fc.string(),
      fc.array(piece).map((pieces) => pieces.join(' ')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        try {
          parse(text);
        } catch (error) {
          expect(error).toBeInstanceOf(GraphqlError);
        }
      }),
    );
    for (const text of ['"', ' ', '#', '\\"', '"""\\']) {
      expect(() => parse(`{ a(b: "${text.repeat(200_000)}`)).toThrow(GraphqlError);
    }
  });
});
