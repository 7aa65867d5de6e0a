import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  columnNames,
  filterValue,
  listValue,
  logicPath,
  logicTree,
  order,
  select,
  treePath,
} from './grammar.ts';
import { IS_VALUES, type IsValue, operatorsOf } from './operators.ts';
import { type Parser, parse } from './parsec.ts';
import type { Field, LogicTree, OrderTerm, SelectItem } from './types.ts';

const fault = (parser: Parser<unknown>, text: string) => {
  const result = parse(parser, '', text);
  return result.ok ? undefined : `${result.position} ${result.details}`;
};

describe('order and each level of select can have as many items as a PostgreSQL row has columns', () => {
  const items = (count: number) => Array.from({ length: count }, () => 'a').join(',');
  test.each([
    ['select', select],
    ['order', order],
  ])('in %s, items beyond the limit aren’t parsed', (_what, parser: Parser<unknown>) => {
    expect(fault(parser, items(1664))).toBe(undefined);
    // Parsing stops at the first item over the limit, so the remaining 13,000 items aren't parsed.
    expect(fault(parser, items(15_000))).toBe('"" (line 1, column 3330) expecting at most 1664 items');
  });
  test('each level has a separate limit', () => {
    expect(fault(select, `b(${items(1664)}),${items(1663)}`)).toBe(undefined);
    expect(fault(select, `b(${items(1665)})`)).toMatch(/at most 1664 items$/);
  });
});

describe('error messages are the ones that PostgREST clients expect', () => {
  test.each([
    [
      select,
      'id,clients(name[])',
      `"" (line 1, column 16) unexpected '[' expecting letter, digit, "-", "->>", "->", "::", ".", ")", "," or end of input`,
    ],
    [
      select,
      'data->>-78xy',
      `"" (line 1, column 11) unexpected 'x' expecting digit, "->", "::", ".", "," or end of input`,
    ],
    [
      order,
      'id.ac',
      '"" (line 1, column 4) unexpected "c" expecting "asc", "desc", "nullsfirst" or "nullslast"',
    ],
    [order, 'id.asc.nlsfst', '"" (line 1, column 8) unexpected "l" expecting "nullsfirst" or "nullslast"'],
    [
      order,
      'clients(name,id)',
      `"" (line 1, column 8) unexpected '(' expecting letter, digit, "-", "->>", "->", delimiter (.), "," or end of input`,
    ],
    [
      logicTree,
      'or()',
      '"" (line 1, column 4) unexpected ")" expecting field name (* or [a..z0..9_$]), negation operator (not) or logic operator (and, or)',
    ],
    [logicTree, 'or(id.in.1,2,id.eq.3)', '"" (line 1, column 10) unexpected "1" expecting "("'],
    [
      logicTree,
      'or(id.eq.1,not.xor(id.eq.2,id.eq.3))',
      '"" (line 1, column 16) unexpected "x" expecting logic operator (and, or)',
    ],
    [filterValue, 'noop.0', '"" (line 1, column 1) unexpected "o" expecting "not" or operator (eq, gt, ...)'],
    [filterValue, 'is().value', '"" (line 1, column 3) unexpected "(" expecting operator (eq, gt, ...)'],
  ])('%#: %s', (parser, text, expected) => {
    expect(fault(parser as Parser<unknown>, text)).toBe(expected);
  });
});

test('a query that is nested too deeply is rejected with a sentence', () => {
  expect(fault(select, 'a('.repeat(5000))).toContain('fewer than 100 nested levels');
  expect(fault(logicTree, 'and('.repeat(5000))).toContain('fewer than 100 nested levels');
});

// The following functions print syntax trees for the round-trip property. Names are quoted so that any text is valid.

const quote = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`;

const printField = ({ name, jsonPath }: Field): string =>
  quote(name) +
  jsonPath
    .map(
      ({ arrow, operand }) =>
        arrow + ('key' in operand ? quote(operand.key) : operand.index.replace('+', '')),
    )
    .join('');

function printItem(item: SelectItem): string {
  if (item.kind === 'field') {
    const alias = item.alias === undefined ? '' : `${quote(item.alias)}:`;
    const cast = item.cast === undefined ? '' : `::${item.cast}`;
    const aggregate = item.aggregate === undefined ? '' : `.${item.aggregate}()`;
    const aggregateCast = item.aggregateCast === undefined ? '' : `::${item.aggregateCast}`;
    return alias + printField(item.field) + cast + aggregate + aggregateCast;
  }
  const alias = item.alias === undefined ? '' : `${quote(item.alias)}:`;
  const head = item.kind === 'spread' ? '...' : alias;
  const hint = item.hint === undefined ? '' : `!${quote(item.hint)}`;
  const join = item.join === undefined ? '' : `!${item.join}`;
  return `${head}${quote(item.relation)}${hint}${join}(${item.items.map(printItem).join(',')})`;
}

function printTree(tree: LogicTree): string {
  if (tree.kind === 'logic') {
    return `${tree.negated ? 'not.' : ''}${tree.operator}(${tree.children.map(printTree).join(',')})`;
  }
  const { field, expression } = tree.filter;
  const { operation } = expression;
  const not = expression.negated ? 'not.' : '';
  const tail =
    operation.kind === 'in'
      ? `in.(${(operation.values as string[]).map(quote).join(',')})`
      : operation.kind === 'is'
        ? `is.${operation.value}`
        : operation.kind === 'fts'
          ? `${operation.operator}${operation.language === undefined ? '' : `(${operation.language})`}.${quote(operation.value as string)}`
          : operation.kind === 'quantified'
            ? `${operation.operator}${operation.quantifier === undefined ? '' : `(${operation.quantifier})`}.${quote(operation.value as string)}`
            : `${operation.operator}.${quote(operation.value as string)}`;
  return `${printField(field)}.${not}${tail}`;
}

const printOrder = ({ relation, field, direction, nulls }: OrderTerm): string =>
  (relation === undefined ? printField(field) : `${quote(relation)}(${printField(field)})`) +
  (direction === undefined ? '' : `.${direction}`) +
  (nulls === undefined ? '' : `.${nulls}`);

const name = fc.string({ minLength: 1, unit: 'binary' });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
const operand = fc.oneof(
  name.map((key) => ({ key })),
  fc.integer({ min: -99, max: 99 }).map((index) => ({ index: index < 0 ? String(index) : `+${index}` })),
);
const arrow = fc.constantFrom('->' as const, '->>' as const);
// A path that ends with an index directly before `)` would be parsed as ending with a key, so the paths here end with
// keys.
const path = fc
  .tuple(
    fc.array(fc.record({ arrow, operand }), { maxLength: 2 }),
    fc.record({ arrow, operand: name.map((key) => ({ key })) }),
  )
  .map(([first, last]) => [...first, last]);
const field: fc.Arbitrary<Field> = fc.record({ name, jsonPath: fc.oneof(fc.constant([]), path) });
const aggregate = fc.constantFrom(
  'sum' as const,
  'avg' as const,
  'max' as const,
  'min' as const,
  'count' as const,
);
const { item } = fc.letrec<{ item: SelectItem }>((tie) => ({
  item: fc.oneof(
    { depthSize: 'small' },
    fc
      .record({
        kind: fc.constant('field' as const),
        field,
        alias: maybe(name),
        cast: maybe(word),
        aggregate: maybe(aggregate),
        aggregateCast: maybe(word),
      })
      .map((one): SelectItem => (one.aggregate === undefined ? { ...one, aggregateCast: undefined } : one)),
    fc.record({
      kind: fc.constant('embed' as const),
      relation: name.filter((one) => one !== 'count'),
      alias: maybe(name),
      hint: maybe(name),
      join: maybe(fc.constantFrom('left' as const, 'inner' as const)),
      items: fc.array(tie('item'), { maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constant('spread' as const),
      relation: name,
      hint: maybe(name),
      join: maybe(fc.constantFrom('left' as const, 'inner' as const)),
      items: fc.array(tie('item'), { maxLength: 3 }),
    }),
  ),
}));
const operation = fc.oneof(
  fc.record({ kind: fc.constant('in' as const), values: fc.array(name, { minLength: 1, maxLength: 4 }) }),
  fc.record({
    kind: fc.constant('is' as const),
    value: fc.constantFrom(...(Object.keys(IS_VALUES) as IsValue[])),
  }),
  fc.record({
    kind: fc.constant('fts' as const),
    operator: fc.constantFrom(...operatorsOf('fts')),
    language: maybe(word),
    value: name,
  }),
  fc.record({
    kind: fc.constant('simple' as const),
    operator: fc.constantFrom(...operatorsOf('simple')),
    value: name,
  }),
  fc.record({
    kind: fc.constant('quantified' as const),
    operator: fc.constantFrom(...operatorsOf('quantified')),
    quantifier: maybe(fc.constantFrom('any' as const, 'all' as const)),
    value: name,
  }),
);
const filter = fc.record({ field, expression: fc.record({ negated: fc.boolean(), operation }) });
const { logic } = fc.letrec<{ logic: LogicTree }>((tie) => ({
  logic: fc.record({
    kind: fc.constant('logic' as const),
    negated: fc.boolean(),
    operator: fc.constantFrom('and' as const, 'or' as const),
    children: fc.array(
      fc.oneof(
        { depthSize: 'small' },
        fc.record({ kind: fc.constant('filter' as const), filter }),
        tie('logic'),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  }),
}));
const term: fc.Arbitrary<OrderTerm> = fc.record({
  relation: maybe(name),
  field,
  direction: maybe(fc.constantFrom('asc' as const, 'desc' as const)),
  nulls: maybe(fc.constantFrom('nullsfirst' as const, 'nullslast' as const)),
});

describe('parsing a printed query returns the same query', () => {
  test('select', () => {
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 4 }), (items) => {
        const result = parse(select, '', items.map(printItem).join(','));
        expect(result).toEqual({ ok: true, value: items });
      }),
    );
  });

  test('logic trees', () => {
    fc.assert(
      fc.property(logic, (tree) => {
        expect(parse(logicTree, '', printTree(tree))).toEqual({ ok: true, value: tree });
      }),
    );
  });

  test('filters', () => {
    // The value of a plain filter is the remaining text, without quotes.
    const single = fc.record({
      negated: fc.boolean(),
      operation: operation.filter(({ kind }) => kind !== 'in' && kind !== 'is'),
    });
    fc.assert(
      fc.property(single, ({ negated, operation: of }) => {
        const field: Field = { name: 'a', jsonPath: [] };
        const quoted = printTree({
          kind: 'filter',
          filter: { field, expression: { negated, operation: of } },
        });
        const value = (of as { value: string }).value;
        const text = quoted.slice('"a".'.length, -quote(value).length) + value;
        expect(parse(filterValue, '', text)).toEqual({ ok: true, value: { negated, operation: of } });
      }),
    );
  });

  test('lists', () => {
    fc.assert(
      fc.property(fc.array(name, { minLength: 1 }), (values) => {
        expect(parse(listValue, '', `(${values.map(quote).join(',')})`)).toEqual({ ok: true, value: values });
      }),
    );
  });

  test('column names', () => {
    fc.assert(
      fc.property(fc.array(name, { minLength: 1 }), (names) => {
        expect(parse(columnNames, '', names.map(quote).join(','))).toEqual({ ok: true, value: names });
      }),
    );
  });

  test('filter paths, including JSON paths', () => {
    fc.assert(
      fc.property(fc.array(name, { maxLength: 3 }), field, (embeds, of) => {
        const text = [...embeds.map(quote), printField(of)].join('.');
        expect(parse(treePath, '', text)).toEqual({ ok: true, value: { path: embeds, field: of } });
      }),
    );
  });

  test('logic tree paths', () => {
    const embed = name.filter((one) => one !== 'not');
    fc.assert(
      fc.property(
        fc.array(embed, { maxLength: 3 }),
        fc.constantFrom('and', 'or', 'not.and', 'not.or'),
        (path, operator) => {
          const text = [...path.map(quote), operator].join('.');
          expect(parse(logicPath, '', text)).toEqual({ ok: true, value: { path, operator } });
        },
      ),
    );
  });

  test('order', () => {
    fc.assert(
      fc.property(fc.array(term, { minLength: 1, maxLength: 4 }), (terms) => {
        expect(parse(order, '', terms.map(printOrder).join(','))).toEqual({ ok: true, value: terms });
      }),
    );
  });
});
