import { expect, test } from 'vitest';
import { typeNames } from '../../../../../src/pages/console/schema/core/type-names.ts';
import type { Column, Relation } from '../../../api/types.ts';
import type { Vocabulary } from './api.ts';
import { canReference, referencedColumn } from './reference-types.ts';

const vocabulary: Vocabulary = {
  schemas: ['public'],
  own_types: [...typeNames],
  types: [{ schema: 'public', name: 'user_id', kind: 'domain' }],
  index_methods: [],
  trigger_functions: [],
};

test.each([
  ['uuid', 'uuid', true],
  ['integer', 'bigint', true],
  ['bigint', 'smallint', true],
  ['integer', 'numeric', true],
  ['numeric', 'integer', false],
  ['text', 'uuid', false],
  ['text', 'character varying(20)', true],
  ['timestamp with time zone', 'date', true],
  ['uuid[]', 'uuid', false],
  ['integer[]', 'bigint[]', false],
  ['text[]', 'text[]', true],
  // Only PostgreSQL can compare the types that the project defines.
  ['user_id', 'uuid', true],
  ['no such type', 'uuid', true],
])('a column of the type %j can reference a column of the type %j: %j', (from, to, expected) => {
  expect(canReference(from, to, vocabulary)).toBe(expected);
});

test('the referenced column is the primary key, if the key has only one column', () => {
  const relation = (...keys: readonly string[]) =>
    ({
      columns: ['id', 'name', 'part'].map((name) => ({ name, primary_key: keys.includes(name) }) as Column),
    }) as Relation;
  expect(referencedColumn(relation('id'), '')?.name).toBe('id');
  expect(referencedColumn(relation('id'), 'name')?.name).toBe('name');
  expect(referencedColumn(relation('id', 'part'), '')).toBeUndefined();
  expect(referencedColumn(relation(), '')).toBeUndefined();
});
