import { expect, test } from 'vitest';
import type { Column, Relation } from '../../../api/types.ts';
import { insertsOf, jsonOf } from './row-text.ts';

const column = (name: string, type: string, more: Partial<Column> = {}): Column => ({
  name,
  type,
  nullable: true,
  default: null,
  generated: false,
  identity: null,
  primary_key: false,
  enum_values: null,
  references: null,
  comment: null,
  ...more,
});
const columns = [
  column('id', 'bigint', { identity: 'always' }),
  column('it"s', 'text'),
  column('ok', 'boolean'),
  column('doc', 'jsonb'),
  column('tags', 'integer[]'),
  column('sum', 'bigint', { generated: true }),
];
const row = ['9007199254740993', 'it\'s \\ "q"', 'true', '{"n": 1.10}', '{1,NULL}', '3'];
const relation = { schema: 'public', name: 'a"b', columns } as unknown as Relation;

test('a row is printed as JSON with the types of its columns', () => {
  const text = jsonOf(columns, [row]);
  expect(text).toContain('"id": 9007199254740993');
  expect(text).toContain('"doc": {"n": 1.10}');
  expect(JSON.parse(text)).toMatchObject({ 'it"s': 'it\'s \\ "q"', ok: true, tags: [1, null], sum: 3 });
  expect(JSON.parse(jsonOf(columns, [row, [null, null, null, null, null, null]]))).toHaveLength(2);
  expect(jsonOf([column('n', 'numeric')], [['NaN']])).toContain('"n": "NaN"');
});

test('a row is printed as an INSERT statement that restores it', () => {
  expect(insertsOf(relation, columns, [row])).toBe(
    `insert into "public"."a""b" ("id", "it""s", "ok", "doc", "tags") overriding system value ` +
      `values (9007199254740993, E'it''s \\\\ "q"', true, '{"n": 1.10}', '{1,NULL}');`,
  );
  expect(insertsOf(relation, [column('a', 'text')], [[null], ['']])).toBe(
    `insert into "public"."a""b" ("a") values (null);\ninsert into "public"."a""b" ("a") values ('');`,
  );
});
