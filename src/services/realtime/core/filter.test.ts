import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchesName, operators, parseChangeRequest, parseFilter } from './filter.ts';

const conditions = (filter: string) => {
  const parsed = parseFilter(filter);
  return parsed.ok
    ? parsed.value.map(({ column, operator, value, negate }) => [column, operator, value, negate])
    : parsed.message;
};

test.for<[string, unknown]>([
  ['a=eq.1', [['a', 'eq', '1', false]]],
  ['a=not.like.x%', [['a', 'like', 'x%', true]]],
  ['a=eq.x.y=z', [['a', 'eq', 'x.y=z', false]]],
  ['a=eq.', [['a', 'eq', '', false]]],
  [
    'a=in.(1,2),b=gt.3',
    [
      ['a', 'in', '{1,2}', false],
      ['b', 'gt', '3', false],
    ],
  ],
  ['a=in.("x,y",z)', [['a', 'in', '{"x,y",z}', false]]],
  ['a=eq."x,y"', [['a', 'eq', 'x,y', false]]],
  ['a=eq."q\\"q\\\\"', [['a', 'eq', 'q"q\\', false]]],
  [
    'a=eq.say "x,b=eq.2',
    [
      ['a', 'eq', 'say "x', false],
      ['b', 'eq', '2', false],
    ],
  ],
  ['a=eq."open', [['a', 'eq', '"open', false]]],
  ['a=eq."x"y', [['a', 'eq', '"x"y', false]]],
  ['  ', []],
  ['undefined', '["undefined"]'],
  ['a=foo.hey', '["foo", "hey"]'],
  ['a=eq', '["eq"]'],
  ['a=eq.1,,b=eq.2', 'filter must not contain empty segments (check for extra commas)'],
  ['a=in.1,2', '`in` filter value must be wrapped by parentheses'],
])('%s', ([filter, expected]) => {
  expect(conditions(filter)).toEqual(expected);
});

test('text is either parsed as conditions or rejected with a message', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab=.,()"\\ not.eq in'.split('')) }), (filter) => {
      const parsed = parseFilter(filter);
      if (parsed.ok) for (const { operator } of parsed.value) expect(operators).toContain(operator);
      else expect(parsed.message).not.toBe('');
    }),
  );
});

test('a quoted value is returned unchanged', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (first, second) => {
      const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
      // Whitespace around a condition isn't part of the condition.
      expect(conditions(`a=eq.${quoted(first)},b=neq.${quoted(second)}`)).toEqual([
        ['a', 'eq', first, false],
        ['b', 'neq', second, false],
      ]);
    }),
  );
});

describe('subscription entries', () => {
  const request = (entry: Record<string, unknown>) => {
    const parsed = parseChangeRequest(entry);
    return parsed.ok ? parsed.value : parsed.message;
  };
  test('have defaults for schema and table', () => {
    expect(request({ table: 't' })).toMatchObject({ schema: 'public', table: 't', action: '*' });
    expect(request({ schema: 's', event: 'insert' })).toMatchObject({
      schema: 's',
      table: '*',
      action: 'INSERT',
    });
    expect(request({ schema: 's', table: 't', event: 'nope', select: ['a', 1] })).toMatchObject({
      action: '*',
      select: ['a'],
    });
  });
  test('invalid entries are rejected with upstream’s messages', () => {
    expect(request({})).toBe(
      'No subscription params provided. Please provide at least a `schema` or `table` to subscribe to: {}',
    );
    expect(request({ user_token: 'secret' })).toMatch(/<redacted>$/);
    expect(request({ table: 't', select: 'a' })).toMatch(/^Error parsing `select` params/);
    expect(request({ schema: '*', table: '*', select: ['a'] })).toMatch(/^Column selection is not supported/);
  });
});

test('names are LIKE patterns without an escape character', () => {
  expect(matchesName('*', 'anything')).toBe(true);
  expect(matchesName('a_c', 'abc')).toBe(true);
  expect(matchesName('a%', 'abc')).toBe(true);
  expect(matchesName('a.c', 'abc')).toBe(false);
  expect(matchesName('a.c', 'a.c')).toBe(true);
  expect(matchesName('(a%', '(a)')).toBe(true);
});
