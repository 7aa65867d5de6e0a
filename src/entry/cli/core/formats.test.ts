import { getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';
import { describe, expect, test } from 'vitest';
import { addressesOf, listFormatOf, renderList, renderTable, renderValue } from './formats.ts';

test.each([
  ['postgresql://app:secret@db.example:5432/app', 'postgresql://app@db.example:5432/app'],
  ['postgresql://app@db.example:5432/app', 'postgresql://app@db.example:5432/app'],
  [
    'postgresql://app:s%40cret@one.example:5432,[::1]:5433/app?target_session_attrs=primary',
    'postgresql://app@one.example:5432,[::1]:5433/app?target_session_attrs=primary',
  ],
  ['postgresql:///app?host=%2Frun&user=app&password=secret', 'postgresql:///app?host=%2Frun&user=app'],
  ['postgresql://one.example/app?password=secret', 'postgresql://one.example/app'],
  [
    'postgresql://one.example/app?sslkey=k&sslpassword=secret&sslmode=require',
    'postgresql://one.example/app?sslkey=k&sslmode=require',
  ],
])('the addresses contain %s without its password', (DB_URL, expected) => {
  const API_URL = 'http://127.0.0.1:54321';
  expect(addressesOf({ API_URL, DB_URL, SECRET_KEY: 'sb_secret' })).toEqual({ API_URL, DB_URL: expected });
});

const parseToml = (text: string): unknown => getStaticTOMLValue(parseTOML(text));

const rows: readonly [Record<string, unknown>, Record<string, unknown>] = [
  { slug: 'a', version: 1, verify_jwt: true, note: null, more: { list: ['x', { key: 'z z' }], none: [] } },
  { slug: 'b "quoted"', version: 2, verify_jwt: false, skipped: undefined },
];

test('a table', () => {
  const table = [
    ['NAME', 'N'],
    ['a', '1'],
    ['long name', '2'],
  ];
  expect(renderTable(table)).toBe(
    ['', '  ', '   NAME      | N ', '  -----------|---', '   a         | 1 ', '   long name | 2 ', ''].join(
      '\n',
    ),
  );
});

describe('a list', () => {
  test('is printed as JSON with sorted fields', () => {
    const text = renderList(rows, 'json', 'functions', []);
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(rows)));
    expect(text.indexOf('more')).toBeLessThan(text.indexOf('note'));
  });

  test('as YAML', () => {
    expect(renderList(rows, 'yaml', 'functions', [])).toBe(
      [
        '- more:',
        '    list:',
        '      - x',
        '      - key: "z z"',
        '    none: []',
        '  note: null',
        '  slug: a',
        '  verifyjwt: true',
        '  version: 1',
        '- slug: "b \\"quoted\\""',
        '  verifyjwt: false',
        '  version: 2',
      ].join('\n'),
    );
    expect(renderList([], 'yaml', 'functions', [])).toBe('[]');
  });

  test('as TOML', () => {
    expect(parseToml(renderList(rows, 'toml', 'functions', []))).toEqual({
      functions: [
        { More: { list: ['x', { key: 'z z' }], none: [] }, Slug: 'a', VerifyJwt: true, Version: 1 },
        { Slug: 'b "quoted"', VerifyJwt: false, Version: 2 },
      ],
    });
    expect(parseToml(renderList([], 'toml', 'functions', []))).toEqual({ functions: [] });
    expect(parseToml(renderValue({ url: 'x', 'a b': 1 }, 'toml'))).toEqual({ url: 'x', 'a b': 1 });
  });
});

test('formats that aren’t supported are rejected', () => {
  expect(listFormatOf(undefined)).toBe('pretty');
  expect(listFormatOf('toml')).toBe('toml');
  expect(() => listFormatOf('env')).toThrow('env');
});
