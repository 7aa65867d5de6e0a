import { describe, expect, test } from 'vitest';
import { findColumn, findTable, isLocallyUnique, maxRowsOf } from './catalog.ts';
import { catalogOf, column, foreignKey, OID, PUBLIC, sqlFunction, table } from './testing.ts';

const accounts = table(100, 'account', [column('id', OID.int4, 'n'), column('email', OID.text)]);
const posts = table(200, 'post', [column('id', OID.int4, 'ns'), column('author_id', OID.int4, 'n')]);

describe('tables', () => {
  const catalog = catalogOf({ tables: [accounts, posts] });

  test('are found by name', () => {
    const post = findTable(catalog, 'public', 'post');
    expect(post?.oid).toBe(200);
    expect(post && findColumn(post, 'author_id')).toMatchObject({ number: 2, notNull: true, serial: false });
    expect(findTable(catalog, 'other', 'post')).toBeUndefined();
  });

  test('have the page size of their directive or their schema', () => {
    const limited = catalogOf({
      schemaComment: '@graphql({"max_rows": 7})',
      tables: [accounts, { ...posts, comment: '@graphql({"max_rows": 3})' }],
    });
    expect([...limited.tables.values()].map((entry) => maxRowsOf(limited, entry))).toEqual([7, 3]);
  });
});

describe('primary keys', () => {
  const keyOf = (comment: string | null, indexes: typeof accounts.indexes) => {
    const catalog = catalogOf({ tables: [{ ...accounts, kind: 'v', comment, indexes }] });
    return catalog.tables.get(100)?.primaryKey.map(({ name }) => name);
  };
  test('come from a directive for views', () => {
    expect(keyOf('@graphql({"primary_key_columns": ["email", "id"]})', null)).toEqual(['email', 'id']);
  });
  test('of a constraint win', () => {
    expect(keyOf('@graphql({"primary_key_columns": ["email"]})', accounts.indexes)).toEqual(['id']);
  });
  test('with an unknown column are ignored', () => {
    expect(keyOf('@graphql({"primary_key_columns": ["id", "nope"]})', null)).toEqual([]);
  });
});

describe('foreign keys', () => {
  test('need privileges on the columns of both sides', () => {
    const hidden = table(300, 'hidden', [column('id', OID.int4, 'n', { privileges: '' })]);
    const catalog = catalogOf({
      tables: [accounts, posts, hidden],
      foreignKeys: [
        foreignKey([200, 'author_id'], [100, 'id']),
        foreignKey([200, 'author_id'], [300, 'id']),
        foreignKey([200, 'author_id'], [999, 'id']),
      ],
    });
    expect(catalog.foreignKeys.map(({ referenced }) => referenced.tableOid)).toEqual([100]);
  });

  test('can be declared by a directive', () => {
    const comment = `@graphql({"foreign_keys": [
      {"local_columns": ["author_id"], "local_name": "posts", "foreign_name": "author",
       "foreign_schema": "public", "foreign_table": "account", "foreign_columns": ["id"]},
      {"local_columns": ["author_id"], "foreign_schema": "public", "foreign_table": "nope", "foreign_columns": ["id"]},
      {"local_columns": ["nope"], "foreign_schema": "public", "foreign_table": "account", "foreign_columns": ["id"]}]})`;
    const catalog = catalogOf({ tables: [accounts, { ...posts, comment }] });
    expect(catalog.foreignKeys).toEqual([
      {
        local: { tableOid: 200, columns: ['author_id'], rlsEnabled: false },
        referenced: { tableOid: 100, columns: ['id'], rlsEnabled: false },
        localName: 'posts',
        foreignName: 'author',
      },
    ]);
  });

  test.each([
    ['a unique index on the column', [{ columns: ['author_id'], unique: true, primary: false }], true],
    ['a partial unique index', [{ columns: ['author_id'], unique: false, primary: false }], false],
    [
      'a unique index on more columns',
      [{ columns: ['author_id', 'id'], unique: true, primary: false }],
      false,
    ],
    ['a unique index on an expression', [{ columns: null, unique: true, primary: false }], false],
  ])('with %s', (_name, indexes, unique) => {
    const catalog = catalogOf({
      tables: [accounts, { ...posts, indexes }],
      foreignKeys: [foreignKey([200, 'author_id'], [100, 'id'])],
    });
    const [key] = catalog.foreignKeys;
    expect(key && isLocallyUnique(catalog, key)).toBe(unique);
  });
});

test('functions of one row belong to its table', () => {
  const row = { name: null, type: accounts.rowType, typeName: 'public.account', default: null };
  const catalog = catalogOf({
    tables: [accounts],
    functions: [
      sqlFunction(1, 'initials', { arguments: [row] }),
      sqlFunction(2, 'both', { arguments: [row, row] }),
      sqlFunction(3, 'none'),
    ],
  });
  expect(catalog.tables.get(100)?.functions.map(({ name }) => name)).toEqual(['initials']);
  expect(catalog.functions[0]).toMatchObject({ schema: 'public', schemaOid: PUBLIC, volatility: 'stable' });
});
