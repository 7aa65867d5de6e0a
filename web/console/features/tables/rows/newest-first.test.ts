import { expect, test } from 'vitest';
import type { Column } from '../../../api/types.ts';
import { newestFirst } from './newest-first.ts';

const column = (name: string, more: Partial<Column> = {}): Column => ({
  name,
  type: 'text',
  nullable: false,
  default: null,
  generated: false,
  identity: null,
  primary_key: false,
  enum_values: null,
  references: null,
  comment: null,
  ...more,
});
const id = column('id', { type: 'bigint', identity: 'always' });
const serial = column('id', { type: 'integer', default: "nextval('items_id_seq'::regclass)" });
const random = column('id', { type: 'uuid', default: 'gen_random_uuid()' });
const created = column('created', {
  type: 'timestamp with time zone',
  default: "timezone('utc'::text, now())",
});
const nothing: ReadonlySet<string> = new Set();

test('imported rows come first by a number or a time that the database assigned to them', () => {
  expect(newestFirst([created, id], nothing)).toEqual({ column: 'id', ascending: false });
  expect(newestFirst([serial], nothing)).toEqual({ column: 'id', ascending: false });
  expect(newestFirst([random, created], nothing)).toEqual({ column: 'created', ascending: false });
});

test('no order shows imported rows first if the file set the column, or if older rows can come first', () => {
  expect(newestFirst([id], new Set(['id']))).toBeUndefined();
  expect(newestFirst([random, { ...created, nullable: true }], nothing)).toBeUndefined();
});
