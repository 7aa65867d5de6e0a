import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RestError } from '../../errors.ts';
import { filterValue } from './grammar.ts';
import { OPERATORS } from './operators.ts';
import { parse } from './parsec.ts';
import { canonicalQuery, readQuery, rootRange, scanQuery, splitQuery } from './query.ts';

const read = (raw: string) => readQuery(scanQuery(raw, false));

test('values are parameters, so requests with the same shape share a plan', () => {
  const first = scanQuery('id=eq.1&name=in.(a,b)&select=id&limit=3', false);
  const second = scanQuery('id=eq.2&name=in.(c)&select=id&limit=30', false);
  expect(first.shape).toBe(second.shape);
  expect(first.values).toEqual(['1', ['a', 'b']]);
  expect(rootRange(second)).toEqual({ lower: 0, upper: 29 });
});

test.each([
  ['an operator', 'id=eq.1', 'id=gt.1'],
  ['a negation', 'id=eq.1', 'id=not.eq.1'],
  ['an empty list', 'id=in.(1)', 'id=in.()'],
  ['a verbatim parameter', 'order=id', 'order=name'],
  ['an encoded separator', 'a=eq.1&b=eq.2', 'a=eq.1%26b=eq.2'],
])('%s changes the shape', (_what, one, other) => {
  expect(scanQuery(one, false).shape).not.toBe(scanQuery(other, false).shape);
});

describe('the fast filter parser agrees with the grammar', () => {
  const prefixes = Object.entries(OPERATORS).flatMap(([name, { kind }]) => {
    const forms =
      kind === 'quantified'
        ? [name, `${name}(any)`, `${name}(all)`]
        : kind === 'fts'
          ? [name, `${name}(english)`]
          : [name];
    return forms.flatMap((form) => [form, `not.${form}`]);
  });

  test.each(prefixes)('%s', (prefix) => {
    const list = fc.array(fc.string({ unit: 'binary' })).map((all) => `(${all.join(',')})`);
    const operand = fc.oneof(fc.string({ unit: 'binary' }), list, fc.constantFrom('null', '(a,"b")', ''));
    fc.assert(
      fc.property(operand, (value) => {
        const text = `${prefix}.${value.toWellFormed()}`;
        const scanned = scanQuery(`a=${encodeURIComponent(text)}`, false);
        const [entry] = scanned.entries;
        const grammar = parse(filterValue, '', text);
        // The operand of `is` isn't a value, so it's part of the shape and left to the grammar.
        const isQuick = grammar.ok && grammar.value.operation.kind !== 'is';
        expect(entry?.kind).toBe(isQuick ? 'filter' : 'verbatim');
        if (entry?.kind !== 'filter' || !grammar.ok) return;
        const filled = JSON.parse(JSON.stringify(entry.expression), (_key, one) =>
          typeof one === 'object' && one !== null && 'slot' in one ? scanned.values[one.slot] : one,
        );
        const { operation } = grammar.value;
        const isEmptyList =
          operation.kind === 'in' && Array.isArray(operation.values) && operation.values.join() === '';
        if (!isEmptyList) expect(filled).toEqual(JSON.parse(JSON.stringify(grammar.value)));
      }),
    );
  });

  test('both accept every operator', () => {
    for (const prefix of prefixes) {
      const operand = /in$/.test(prefix) ? '(a)' : /is$/.test(prefix) ? 'null' : 'a';
      expect(parse(filterValue, '', `${prefix}.${operand}`).ok, prefix).toBe(true);
    }
  });

  test('an unknown operator is left to the grammar, which rejects it', () => {
    expect(scanQuery('a=x.1', false).entries[0]?.kind).toBe('verbatim');
    expect(parse(filterValue, '', 'x.1').ok).toBe(false);
  });
});

test('parameters are decoded like form fields', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc
      .array(fc.constantFrom('%', '%zz', '%41', '%c3%a9', '%ff', '%ed%a0%80', '%00', '+', '=', '&', 'a'))
      .map((all) => all.join('')),
  );
  fc.assert(
    fc.property(text, (raw) => {
      const sent = raw.toWellFormed();
      const found = splitQuery(sent).map(([key, value = '']) => [key, value]);
      // URLSearchParams strips a leading question mark.
      expect(found).toEqual([...new URLSearchParams(`?${sent}`)]);
    }),
    { numRuns: 500 },
  );
});

test('query strings are either parsed or rejected with PGRST100', () => {
  const anything = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.webQueryParameters());
  const parameter = fc
    .tuple(
      fc.constantFrom('select', 'order', 'or', 'and', 'a.not.or', 'columns', 'on_conflict', 'limit', 'a', ''),
      anything,
    )
    .map(([key, value]) => `${key}=${value}`);
  fc.assert(
    fc.property(fc.array(fc.oneof(anything, parameter)), fc.boolean(), (parts, isCall) => {
      try {
        readQuery(scanQuery(parts.join('&'), isCall));
      } catch (error) {
        expect(error).toBeInstanceOf(RestError);
        expect((error as RestError).code).toBe('PGRST100');
      }
    }),
    { numRuns: 500 },
  );
});

describe('quirks of PostgREST that clients rely on', () => {
  test('quotes are part of a plain value, but not of a list or a logic tree', () => {
    expect(scanQuery('name=eq."x"', false).values).toEqual(['"x"']);
    expect(scanQuery('name=in.("x","y,z")', false).values).toEqual([['x', 'y,z']]);
    const [logic] = read('or=(name.eq."x,y",id.is.null)').logic;
    expect(JSON.stringify(logic?.tree)).toContain('"value":"x,y"');
  });

  test('the first of two orders is used, and the last of two limits', () => {
    expect(read('order=a&order=b').order.map(({ terms }) => terms[0]?.field.name)).toEqual(['a', 'b']);
    expect(rootRange(scanQuery('limit=1&limit=2', false))).toEqual({ lower: 0, upper: 1 });
  });

  test('a limit that isn’t an integer is ignored', () => {
    expect(rootRange(scanQuery('limit=abc&offset=2', false))).toEqual({ lower: 2, upper: 1 });
    expect(rootRange(scanQuery('offset=x', false))).toEqual({ lower: 0, upper: undefined });
  });

  test('values without an operator are arguments of a function that is called with GET', () => {
    const scanned = scanQuery('id=5&name=eq.x&id=6', true);
    expect(scanned.callArguments).toEqual([
      ['id', '5'],
      ['id', '6'],
    ]);
    expect(() => readQuery(scanQuery('id=is.x', true))).toThrow(/failed to parse filter \(is.x\)/);
  });

  test('the canonical form is sorted and encoded', () => {
    expect(canonicalQuery(scanQuery('b=eq.a b&a=eq.(x)&c', false))).toBe('a=eq.%28x%29&b=eq.a%20b&c=');
  });
});
