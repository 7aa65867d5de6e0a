import { expect, test } from 'vitest';
import type { Column } from '../../../api/types.ts';
import type { Vocabulary } from './api.ts';
import { alterationOf, definitionOf, draftOf, emptyColumn, suggestedName, typeOf } from './drafts.ts';

const vocabulary: Vocabulary = {
  schemas: ['public'],
  own_types: ['text', 'numeric', 'integer', 'timestamptz', 'varchar', 'double precision', 'bigint'],
  types: [
    { schema: 'public', name: 'mood', kind: 'enum' },
    { schema: 'other', name: 'Odd Type', kind: 'domain' },
  ],
  index_methods: [],
  trigger_functions: [],
};

test.each([
  ['text', { name: 'text' }],
  ['  TEXT ', { name: 'text' }],
  ['numeric(10, 2)', { name: 'numeric', modifiers: [10, 2] }],
  ['int4[]', { name: 'integer', array: true }],
  ['character varying(20)', { name: 'varchar', modifiers: [20] }],
  ['timestamp(3) with time zone', { name: 'timestamptz', modifiers: [3] }],
  ['double  precision', { name: 'double precision' }],
  ['mood', { schema: 'public', name: 'mood' }],
  ['public.mood[]', { schema: 'public', name: 'mood', array: true }],
  ['"Odd Type"', { schema: 'other', name: 'Odd Type' }],
  ['nothing', undefined],
  ['', undefined],
  ['text; drop table x', undefined],
])('the type %j is parsed', (text, type) => {
  expect(typeOf(text, vocabulary)).toEqual(type);
});

const column: Column = {
  name: 'size',
  type: 'integer',
  nullable: true,
  default: '1',
  generated: false,
  identity: null,
  primary_key: false,
  enum_values: null,
  references: null,
  comment: null,
};
const at = { schema: 'public', table: 'things' };

test('an alteration contains only the differences', () => {
  const draft = draftOf(column);
  expect(alterationOf(at, column, { draft, using: '' }, vocabulary)).toBeUndefined();
  expect(
    alterationOf(
      at,
      column,
      { draft: { ...draft, type: 'bigint', value: 'none' }, using: 'size::bigint' },
      vocabulary,
    ),
  ).toEqual({
    kind: 'alter_column',
    ...at,
    column: 'size',
    type: { to: { name: 'bigint' }, using: 'size::bigint' },
    default: null,
  });
  expect(
    alterationOf(
      at,
      { ...column, identity: 'always', default: null },
      { draft: { ...draft, value: 'none' }, using: '' },
      vocabulary,
    ),
  ).toMatchObject({ identity: { action: 'drop' } });
});

test('a new column can have a reference', () => {
  const draft = {
    ...emptyColumn,
    name: 'owner',
    target: 'auth.users',
    targetColumn: 'id',
    onDelete: 'cascade' as const,
  };
  expect(definitionOf(draft, vocabulary)).toMatchObject({
    name: 'owner',
    references: { schema: 'auth', table: 'users', columns: ['id'], onDelete: 'cascade' },
  });
  expect(definitionOf({ ...draft, type: 'nope' }, vocabulary)).toBeUndefined();
});

test('a migration is named after its changes', () => {
  expect(suggestedName([{ kind: 'drop_column', ...at, column: 'Größe x', cascade: false }])).toBe(
    'drop_column_things_gr_e_x',
  );
});
