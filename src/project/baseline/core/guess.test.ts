import { expect, test } from 'vitest';
import type { ColumnModel, ValueType } from '../../types-file/index.ts';
import { guessDefault, guessType } from './guess.ts';

const typed = (name: string, kind: ValueType['kind'], dimensions = 0) =>
  guessType({ name, type: { kind, dimensions } }).type;

test.each<[string, ValueType['kind'], string]>([
  ['id', 'string', 'uuid'],
  ['user_id', 'string', 'uuid'],
  ['teamId', 'string', 'uuid'],
  ['created_by', 'string', 'uuid'],
  ['stripe_customer_id', 'string', 'text'],
  ['session_id', 'string', 'text'],
  ['created_at', 'string', 'timestamptz'],
  ['publishedAt', 'string', 'timestamptz'],
  ['due_date', 'string', 'date'],
  ['title', 'string', 'text'],
  ['embedding', 'string', 'extensions.vector(1536)'],
  ['id', 'number', 'bigint'],
  ['sort_order', 'number', 'integer'],
  ['price', 'number', 'numeric'],
  ['is_active', 'boolean', 'boolean'],
  ['settings', 'json', 'jsonb'],
  ['ip_address', 'unknown', 'inet'],
  ['search_vector', 'unknown', 'tsvector'],
  ['anything', 'unknown', 'text'],
])('column %s with the type %s becomes %s', (name, kind, expected) =>
  expect(typed(name, kind)).toBe(expected),
);

test('the types of arrays are guessed from their elements', () => {
  expect(typed('tags', 'string', 1)).toBe('text[]');
  expect(typed('member_ids', 'string', 1)).toBe('uuid[]');
  expect(typed('grid', 'number', 2)).toBe('numeric[][]');
});

test.each<[string, string, Partial<ColumnModel>, string | undefined]>([
  ['id', 'uuid', {}, 'gen_random_uuid()'],
  ['user_id', 'uuid', {}, 'auth.uid()'],
  ['created_at', 'timestamptz', {}, 'now()'],
  ['created_at', 'timestamptz', { nullable: true }, 'now()'],
  ['seen_at', 'timestamptz', { nullable: true }, undefined],
  ['is_public', 'boolean', {}, 'false'],
  ['is_active', 'boolean', {}, 'true'],
  ['amount', 'numeric', {}, '0'],
  ['tags', 'text[]', {}, `'{}'`],
  ['title', 'text', {}, `''`],
  ['title', 'text', { optional: false }, undefined],
  ['title', 'text', { generated: true }, undefined],
])('the default of %s %s %j', (name, type, column, expected) => {
  const whole = {
    name,
    type: { kind: 'string', dimensions: 0 },
    nullable: false,
    optional: true,
    generated: false,
  } as const;
  expect(guessDefault({ ...whole, ...column }, type, { isPrimaryKey: name === 'id', enumValues: [] })).toBe(
    expected,
  );
});

test('the default of an enum is its first value', () => {
  const column = {
    name: 'role',
    type: { kind: 'enum', dimensions: 0 },
    nullable: false,
    optional: true,
    generated: false,
  } as const;
  expect(guessDefault(column, 'public.role', { isPrimaryKey: false, enumValues: ["it's", 'b'] })).toBe(
    `'it''s'`,
  );
});
