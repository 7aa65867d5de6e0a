import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  enumDirectives,
  functionDirectives,
  parseDirective,
  schemaDirectives,
  tableDirectives,
} from './directives.ts';
import { GraphqlError } from './error.ts';

describe('parseDirective', () => {
  test.each([
    ['no directive', {}],
    ['@graphql({"name": "A"})', { name: 'A' }],
    ['The accounts. @graphql({"name": "A"}) See below.', { name: 'A' }],
    ['@graphql({\n"name": "A (old)"\n})', { name: 'A (old)' }],
    ['@graphql(7)', {}],
    ['@graphql([])', {}],
    ['@graphql()', {}],
    ['@graphql(', {}],
    [') @graphql(', {}],
  ])('reads %j', (comment, expected) => {
    expect(parseDirective(comment)).toEqual(expected);
  });

  test('text that is not JSON is an error with the message of PostgreSQL', () => {
    expect(() => parseDirective('@graphql({name: "A"})')).toThrow('invalid input syntax for type json');
  });

  test('any comment gives a directive or a GraphqlError', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (inner) => {
        try {
          tableDirectives(`@graphql(${inner})`);
          enumDirectives(`@graphql(${inner})`);
        } catch (error) {
          expect(error).toBeInstanceOf(GraphqlError);
        }
      }),
    );
  });
});

describe('directives of schemas', () => {
  test('defaults', () => {
    expect(schemaDirectives(null)).toEqual({ inflectNames: false, maxRows: 30, introspection: false });
  });
  test('only the JSON value true turns inflection and introspection on', () => {
    expect(
      schemaDirectives('@graphql({"inflect_names": "true", "introspection": 1, "max_rows": "7"})'),
    ).toEqual({
      inflectNames: false,
      maxRows: 7,
      introspection: false,
    });
  });
  test.each([
    ['"many"', 'invalid input syntax for type integer: "many"'],
    ['1.5', 'invalid input syntax for type integer: "1.5"'],
    ['3000000000', 'value "3000000000" is out of range for type integer'],
    ['-1', 'Error while loading schema, check comment directives. invalid value: integer `-1`, expected u64'],
  ])('max_rows %s is an error', (value, message) => {
    expect(() => schemaDirectives(`@graphql({"max_rows": ${value}})`)).toThrow(new GraphqlError(message));
  });
});

describe('directives of tables', () => {
  test('all of them', () => {
    const comment = `@graphql({"name": "Person", "description": "A person", "totalCount": {"enabled": true},
      "aggregate": {"enabled": "true"}, "primary_key_columns": ["id"], "max_rows": 5,
      "foreign_keys": [{"local_columns": ["a"], "foreign_schema": "public", "foreign_table": "b",
        "foreign_columns": ["id"], "local_name": "as"}]})`;
    expect(tableDirectives(comment)).toEqual({
      name: 'Person',
      description: 'A person',
      totalCount: true,
      aggregate: true,
      primaryKeyColumns: ['id'],
      maxRows: 5,
      foreignKeys: [
        {
          localName: 'as',
          localColumns: ['a'],
          foreignName: null,
          foreignSchema: 'public',
          foreignTable: 'b',
          foreignColumns: ['id'],
        },
      ],
    });
  });
  test.each([
    ['"description": 7', 'invalid type: integer `7`, expected a string'],
    ['"primary_key_columns": "id"', 'invalid type: string "id", expected a sequence'],
    ['"primary_key_columns": [null]', 'invalid type: null, expected a string'],
    ['"foreign_keys": {}', 'invalid type: map, expected a sequence'],
    ['"foreign_keys": [true]', 'invalid type: boolean `true`, expected struct TableDirectiveForeignKey'],
    ['"foreign_keys": [{}]', 'missing field `local_columns`'],
  ])('%s is an error', (member, detail) => {
    expect(() => tableDirectives(`@graphql({${member}})`)).toThrow(
      new GraphqlError(`Error while loading schema, check comment directives. ${detail}`),
    );
  });
});

test('names that are not strings are shown as JSON', () => {
  expect(functionDirectives('@graphql({"name": 7, "description": ["a"]})')).toEqual({
    name: '7',
    description: '["a"]',
  });
});

test('of two labels with the same name, only the last has it', () => {
  const { mappings } = enumDirectives('@graphql({"mappings": {"b": "X", "a": "X", "c": "Y"}})');
  expect([...mappings]).toEqual([
    ['b', 'X'],
    ['c', 'Y'],
  ]);
});
