import { expect, test } from 'vitest';
import type { Vocabulary } from './api.ts';
import { changeOfFile, draftOfFile, plainName } from './import-drafts.ts';

const vocabulary: Vocabulary = {
  own_types: ['bigint', 'text', 'date'],
  schemas: ['public'],
  types: [],
  index_methods: [],
  trigger_functions: [],
};
const inferred = [
  { name: 'Nr.', type: 'bigint', unique: true, nullable: false },
  { name: 'First Name', type: 'text', unique: false, nullable: false },
  { name: 'first-name', type: 'text', unique: false, nullable: true },
] as const;

test.each([
  ['First Name (EN)', 'first_name_en'],
  ['createdAt', 'created_at'],
  ['Größe', 'gro_e'],
  ['2024', '_2024'],
  ['---', ''],
])('%s becomes %s', (text, name) => {
  expect(plainName(text)).toBe(name);
});

test('a file becomes a table with an ID column, and each column of the file keeps its position', () => {
  const draft = draftOfFile('My People.csv', 'public', inferred);
  expect(draft).toMatchObject({ name: 'my_people', rls: true, key: { kind: 'new' } });
  const { change, mapping } = changeOfFile(draft, vocabulary) ?? {};
  expect(mapping).toEqual({ 'Nr.': 'nr', 'First Name': 'first_name', 'first-name': 'first_name_2' });
  expect(change).toMatchObject({
    table: 'my_people',
    columns: [
      { name: 'id', identity: 'always', nullable: false },
      { name: 'nr', type: { name: 'bigint' } },
      { name: 'first_name', type: { name: 'text' } },
      { name: 'first_name_2', nullable: true },
    ],
    constraints: [{ kind: 'primary key', columns: ['id'] }],
  });
});

test('a unique column id is the key, and a name that is used twice is rejected', () => {
  const draft = draftOfFile('x.csv', 'public', [{ ...inferred[0], name: 'ID' }, inferred[1]]);
  expect(draft.key).toEqual({ kind: 'column', source: 'ID' });
  expect(changeOfFile(draft, vocabulary)?.change.columns[0]).toMatchObject({ name: 'id', nullable: false });
  const twice = draft.columns.map((column) => ({ ...column, name: 'same' }));
  expect(changeOfFile({ ...draft, columns: twice }, vocabulary)).toBeUndefined();
  expect(changeOfFile({ ...draft, key: { kind: 'new' } }, vocabulary)).toBeUndefined();
});
