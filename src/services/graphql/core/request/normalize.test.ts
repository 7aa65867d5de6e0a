import { describe, expect, test } from 'vitest';
import { type NormalizeContext, normalize, type Selected } from './normalize.ts';
import { chooseOperation } from './operation.ts';
import { parse } from './parse.ts';

/** Prints a normalized selection set as a nested list of keys. */
function keysOf(source: string, variables: Readonly<Record<string, boolean>> = {}, budget = 1000): unknown {
  const document = parse(source);
  const context: NormalizeContext = {
    fragments: document.fragments,
    booleanOf: (name) => variables[name],
    budget,
  };
  const print = (fields: readonly Selected[]): unknown =>
    Object.fromEntries(fields.map((field) => [field.key, print(field.selections('T'))]));
  return print(normalize(chooseOperation(document, null).selections, 'T', context));
}

describe('selection sets', () => {
  test('fragments are expanded if their type matches, and equal fields are merged', () => {
    const source = `{ a { x } ...F ... on T { a { y } } ... on U { b } ... { c: a } } fragment F on T { a { x z } }`;
    expect(keysOf(source)).toEqual({ a: { x: {}, z: {}, y: {} }, c: {} });
  });

  test('@skip and @include', () => {
    const source =
      '{ a @skip(if: $yes) b @include(if: $yes) c @skip(if: false) @include(if: false) ...F @skip(if: true) } fragment F on T { d }';
    expect(keysOf(source, { yes: true })).toEqual({ b: {} });
    expect(keysOf(source, { yes: false })).toEqual({ a: {} });
  });
});

describe('a faulty selection set is rejected', () => {
  test.each([
    ['{ a: b a: c }', 'Fields `c` and `b` are different'],
    [
      '{ a(x: {y: 1, z: [2]}) a(x: {z: [2], y: 1}) a(x: 2) }',
      'Two fields named `a` have different arguments',
    ],
    ['{ a(x: $x) a(x: $y) }', 'Two fields named `a` have different arguments'],
    ['{ ...F }', 'no fragment named F on type T'],
    ['{ ...F } fragment F on U { a }', 'no fragment named F on type T'],
    ['{ a @skip }', 'Incorrect arguments to directive @skip'],
    ['{ a @include(unless: true) }', 'Unknown argument to @include: unless'],
    ['{ a @skip(if: $missing) }', 'Value for "if" in @skip directive is required'],
    ['{ a @defer }', 'Unknown directive defer'],
  ])('%s', (source, message) => {
    expect(() => keysOf(source)).toThrow(message);
  });

  test('one that expands to too many fields', () => {
    const fragments = Array.from(
      { length: 10 },
      (_, n) => `fragment F${n} on T { a: x { ...F${n + 1} } b: x { ...F${n + 1} } }`,
    );
    expect(() => keysOf(`{ ...F0 } ${fragments.join(' ')} fragment F10 on T { x }`)).toThrow(
      'selects too many fields',
    );
  });
});

describe('operations', () => {
  const choose = (source: string, name: string | null = null) => chooseOperation(parse(source), name);
  test('the one with the name, or the only one', () => {
    expect(choose('query A { a } query B { b }', 'B')).toMatchObject({ name: 'B' });
    expect(choose('query A { a }')).toMatchObject({ name: 'A' });
  });
  test.each([
    ['{ a } { b }', null, 'Anonymous operations must be the only defined operation'],
    ['query A { a } query A { b }', 'A', 'Operation names must be unique'],
    ['query A { a }', 'B', 'Operation not found'],
    ['{ a }', 'A', 'Operation not found'],
    ['fragment F on T { a }', null, 'Operation not found'],
    ['subscription { a }', null, 'Subscriptions are not supported'],
    [
      '{ a } fragment F on T { ...G } fragment G on T { b { ...F } }',
      null,
      'Found a cycle between fragments',
    ],
    [
      `{ a } fragment F on T ${'{ a '.repeat(50)}${'}'.repeat(50)}`,
      null,
      'Fragment cycle depth is greater than 50',
    ],
  ])('%s', (source, name, message) => {
    expect(() => choose(source, name)).toThrow(message);
  });
  test('fragments that multiply are checked quickly', () => {
    const fragments = Array.from(
      { length: 20 },
      (_, n) => `fragment F${n} on T { ...F${n + 1} ...F${n + 1} }`,
    );
    expect(choose(`{ ...F0 } ${fragments.join(' ')} fragment F20 on T { x }`)).toMatchObject({
      kind: 'query',
    });
  });
});
