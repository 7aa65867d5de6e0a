import { getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';
import { describe, expect, test } from 'vitest';
import { listFormatOf, renderList, renderTable, renderValue } from './list-formats.ts';

const parseToml = (text: string): unknown => getStaticTOMLValue(parseTOML(text));

const rows: readonly [Record<string, unknown>, Record<string, unknown>] = [
  { slug: 'a', version: 1, verify_jwt: true, note: null, more: { list: ['x', { y: 'z' }], none: [] } },
  { slug: 'b "quoted"', version: 2, verify_jwt: false, skipped: undefined },
];

test('a table', () => {
  expect(
    renderTable([
      ['NAME', 'N'],
      ['a', '1'],
      ['long name', '2'],
    ]),
  ).toBe(
    ['', '   NAME      | N', '  -----------|---', '   a         | 1', '   long name | 2', ''].join('\n'),
  );
});

describe('a list', () => {
  test('as JSON', () => {
    expect(JSON.parse(renderList(rows, 'json', 'functions', []))).toEqual(JSON.parse(JSON.stringify(rows)));
  });

  test('as YAML', () => {
    expect(renderList(rows, 'yaml', 'functions', [])).toBe(
      [
        '- "slug": "a"',
        '  "version": 1',
        '  "verify_jwt": true',
        '  "note": null',
        '  "more":',
        '    "list":',
        '      - "x"',
        '      - "y": "z"',
        '    "none": []',
        '- "slug": "b \\"quoted\\""',
        '  "version": 2',
        '  "verify_jwt": false',
      ].join('\n'),
    );
    expect(renderList([], 'yaml', 'functions', [])).toBe('[]');
  });

  test('as TOML', () => {
    const [{ note: _null, ...first }, { skipped: _undefined, ...second }] = rows;
    expect(parseToml(renderList(rows, 'toml', 'functions', []))).toEqual({ functions: [first, second] });
    expect(parseToml(renderList([], 'toml', 'functions', []))).toEqual({ functions: [] });
    expect(parseToml(renderValue({ url: 'x', 'a b': 1 }, 'toml'))).toEqual({ url: 'x', 'a b': 1 });
  });
});

test('formats that aren’t supported are rejected', () => {
  expect(listFormatOf(undefined)).toBe('pretty');
  expect(listFormatOf('toml')).toBe('toml');
  expect(() => listFormatOf('env')).toThrow('env');
});
