import { describe, expect, test } from 'vitest';
import { catalogOf, column, foreignKey, OID, sqlFunction, table } from '../testing.ts';
import {
  columnFieldName,
  functionFieldName,
  isValidName,
  lowerFirst,
  relationFieldName,
  tableTypeName,
  toTypeName,
} from './names.ts';

test.each([
  ['account_holder', 'AccountHolder'],
  ['account_BY_email', 'AccountBYEmail'],
  ['AccountHolder', 'AccountHolder'],
  ['_private', 'Private'],
  ['a__b', 'AB'],
  ['with space', 'With Space'],
  ['2fa_code', '2faCode'],
  ['straße_é', 'StraßeÉ'],
  ['', ''],
])('toTypeName(%j) is %j', (name, expected) => {
  expect(toTypeName(name)).toBe(expected);
});

test('lowerFirst lowers one character', () => {
  expect(['Hello', 'ÉA', '用户', ''].map(lowerFirst)).toEqual(['hello', 'éA', '用户', '']);
});

test('valid names', () => {
  expect(['a', '_a1', '1a', 'a-b', 'é', ''].map(isValidName)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

describe('names of objects', () => {
  const objects = {
    tables: [
      table(100, 'account_holder', [column('id', OID.int4), column('full_name', OID.text)]),
      table(200, 'blog', [column('id', OID.int4), column('owner_id', OID.int4), column('ownerId', OID.int4)]),
    ],
    foreignKeys: [foreignKey([200, 'owner_id'], [100, 'id']), foreignKey([200, 'ownerId'], [100, 'id'])],
    functions: [sqlFunction(1, '_full_Name')],
  };
  const namesIn = (schemaComment: string) => {
    const catalog = catalogOf({ ...objects, schemaComment });
    const holder = catalog.tables.get(100);
    return {
      table: holder && tableTypeName(catalog, holder),
      column: holder?.columns.map((entry) => columnFieldName(catalog, entry)),
      function: catalog.functions.map((entry) => functionFieldName(catalog, entry)),
      toOne: catalog.foreignKeys.map((key) => relationFieldName(catalog, key, false)),
      toMany: catalog.foreignKeys.map((key) => relationFieldName(catalog, key, true)),
    };
  };

  test('with inflection', () => {
    expect(namesIn('@graphql({"inflect_names": true})')).toEqual({
      table: 'AccountHolder',
      column: ['id', 'fullName'],
      function: ['fullName'],
      toOne: ['owner', 'accountHolder'],
      toMany: ['blogCollection', 'blogCollection'],
    });
  });

  test('without inflection', () => {
    expect(namesIn('@graphql({})')).toEqual({
      table: 'account_holder',
      column: ['id', 'full_name'],
      function: ['full_Name'],
      toOne: ['account_holder', 'owner'],
      toMany: ['blogCollection', 'blogCollection'],
    });
  });

  test('of directives win', () => {
    const catalog = catalogOf({
      ...objects,
      tables: objects.tables.map((entry) => ({ ...entry, comment: '@graphql({"name": "Foo"})' })),
      foreignKeys: [
        foreignKey(
          [200, 'owner_id'],
          [100, 'id'],
          '@graphql({"local_name": "blogs", "foreign_name": "holder"})',
        ),
      ],
    });
    const [key] = catalog.foreignKeys;
    expect([...catalog.tables.values()].map((entry) => tableTypeName(catalog, entry))).toEqual([
      'Foo',
      'Foo',
    ]);
    expect(key && [relationFieldName(catalog, key, true), relationFieldName(catalog, key, false)]).toEqual([
      'blogs',
      'holder',
    ]);
  });
});
