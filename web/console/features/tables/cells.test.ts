import { expect, test } from 'vitest';
import type { Column, Relation } from '../../api/types.ts';
import { editorOf, gridRow, keyOf, keyText, oneLine, shortType } from './cells.ts';

const column = (name: string, type = 'text', more: Partial<Column> = {}): Column => ({
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

const relation = (...columns: Column[]): Relation => ({
  schema: 'public',
  name: 'notes',
  kind: 'table',
  estimated_rows: null,
  rls: true,
  policies: 0,
  comment: null,
  columns,
});

const notes = relation(column('id', 'bigint', { primary_key: true }), column('body'));

test('a row of the server is cut for the grid as the server cuts', () => {
  expect(gridRow(notes, { id: '1', body: 'x'.repeat(401) })).toEqual({
    cells: ['1', 'x'.repeat(400)],
    cut: [1],
  });
  expect(gridRow(notes, { id: '1', body: null }).cut).toEqual([]);
});

test('a key needs every column of the primary key, whole', () => {
  expect(keyOf(notes, { cells: ['1', 'a'], cut: [] })).toEqual({ id: '1' });
  expect(keyOf(notes, { cells: ['1', 'a'], cut: [0] })).toBeUndefined();
  expect(keyOf(relation(column('body')), { cells: ['a'], cut: [] })).toBeUndefined();
  expect(keyText({ b: '1', a: '2' })).toBe(keyText({ a: '2', b: '1' }));
});

test.each([
  ['boolean', 'true', false, 'choice'],
  ['text', 'short', false, 'text'],
  ['text', null, false, 'text'],
  ['text', 'two\nlines', false, 'panel'],
  ['text', 'cut', true, 'panel'],
  ['jsonb', '{}', false, 'text'],
  ['jsonb', `{"a": "${'x'.repeat(80)}"}`, false, 'panel'],
] as const)('%s holding %j (cut: %s) opens %s', (type, value, isCut, editor) => {
  expect(editorOf(column('c', type), value, isCut)).toBe(editor);
});

test('what a cell shows has one line', () => {
  expect(oneLine('a\r\nb\nc')).toBe('a ↵ b ↵ c');
});

test('types are short', () => {
  expect(shortType('timestamp with time zone')).toBe('timestamptz');
  expect(shortType('character varying(20)')).toBe('varchar(20)');
  expect(shortType('bigint[]')).toBe('bigint[]');
});
