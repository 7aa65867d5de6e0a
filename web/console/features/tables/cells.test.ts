import { expect, test } from 'vitest';
import type { Column, Relation, RowPage } from '../../api/types.ts';
import { cutCells, editorOf, gridRows, keyText, oneLine, shortType } from './cells.ts';

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
  distribution: null,
  rls: true,
  policies: 0,
  comment: null,
  columns,
  key: { kind: 'columns', columns: ['id'] },
  foreign_keys: [],
  insert_trigger: false,
});

const notes = relation(column('id', 'bigint', { primary_key: true }), column('body'));

test('a server row is truncated for the grid as the server does', () => {
  expect(cutCells(['id', 'body'], { id: '1', body: 'x'.repeat(401) })).toEqual({
    cells: ['1', 'x'.repeat(400)],
    cut: [1],
  });
  expect(cutCells(['id', 'body'], { id: '1', body: null }).cut).toEqual([]);
});

const page = (cells: readonly (string | null)[], more: Partial<RowPage> = {}): RowPage => ({
  columns: ['id', 'body'],
  rows: [cells],
  cut: [],
  keys: null,
  first: null,
  last: null,
  more: false,
  estimate: null,
  isExact: false,
  ...more,
});

test('a row is identified by its complete key, by the server’s location, or not at all', () => {
  const keyOf = (of: Relation, data: RowPage) => gridRows(of, data)[0]?.key;
  expect(keyOf(notes, page(['1', 'a']))).toEqual({ id: '1' });
  expect(keyOf(notes, page(['1', 'a'], { cut: [[0, 0]] }))).toBeUndefined();
  expect(keyOf({ ...notes, key: { kind: 'none' } }, page(['1', 'a']))).toBeUndefined();
  const physicalKey = { ctid: '(0,1)', xmin: '7' };
  expect(keyOf({ ...notes, key: { kind: 'place' } }, page(['1', 'a'], { keys: [physicalKey] }))).toEqual(
    physicalKey,
  );
  expect(keyText({ b: '1', a: '2' })).toBe(keyText({ a: '2', b: '1' }));
});

test('a page always has the same row objects', () => {
  const data = page(['1', 'a']);
  expect(gridRows(notes, data)[0]).toBe(gridRows(notes, data)[0]);
});

test('after a table is altered, cells remain in their columns', () => {
  const altered = page(['new', 'b', '1'], { columns: ['added', 'body', 'id'], cut: [[0, 1]] });
  expect(gridRows(notes, altered)[0]).toEqual({ cells: ['1', 'b'], cut: [1], key: { id: '1' } });
  expect(gridRows(notes, page(['1'], { columns: ['id'] }))[0]?.cells).toEqual(['1', null]);
  const added = relation(...notes.columns, column('added'));
  expect(gridRows(added, altered)[0]?.cells).toEqual(['1', 'b', 'new']);
});

test.each([
  ['boolean', 'true', false, 'choice'],
  ['text', 'short', false, 'text'],
  ['text', null, false, 'text'],
  ['text', 'two\nlines', false, 'panel'],
  ['text', 'cut', true, 'panel'],
  ['jsonb', '{}', false, 'popup'],
  ['jsonb', `{"a": "${'x'.repeat(80)}"}`, false, 'popup'],
] as const)('%s with value %j (truncated: %s) opens %s', (type, value, isCut, editor) => {
  expect(editorOf(column('c', type), value, isCut)).toBe(editor);
});

test('a cell’s text has one line', () => {
  expect(oneLine('a\r\nb\nc')).toBe('a ↵ b ↵ c');
});

test('type names are abbreviated', () => {
  expect(shortType('timestamp with time zone')).toBe('timestamptz');
  expect(shortType('character varying(20)')).toBe('varchar(20)');
  expect(shortType('bigint[]')).toBe('bigint[]');
});
