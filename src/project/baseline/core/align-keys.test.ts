import { expect, test } from 'vitest';
import { readTypes, type TypesModel } from '../../types-file/index.ts';
import { alignKeys } from './align-keys.ts';
import { Draft } from './draft.ts';
import { baselineStatements } from './print.ts';

const table = (name: string, column: string, target?: string) => `${name}: {
  Row: { ${column}: string } Insert: { ${column}: string } Relationships: [${
    target === undefined
      ? ''
      : `{ foreignKeyName: "${name}_fkey", columns: ["${column}"], isOneToOne: false,
           referencedRelation: "${target}", referencedColumns: ["id"] }`
  }] }`;
const types = `export type Database = { public: { Tables: {
  ${[table('users', 'id'), table('notes', 'user_id', 'users'), table('likes', 'user_id', 'users')].join('\n')} } } }`;

function aligned(needed: Readonly<Record<string, string>>): string {
  const draft = new Draft(readTypes(types) as TypesModel);
  for (const name of ['users', 'notes', 'likes'])
    draft.addTable('public', name, draft.tableModel('public', name));
  for (const [key, type] of Object.entries(needed)) draft.types.set(key, type);
  alignKeys(draft);
  return baselineStatements(draft).join('\n');
}

test('a referenced column and all other columns that reference it get the type of the referencing column', () => {
  const text = aligned({ 'public.notes.user_id': 'text' });
  expect(text.match(/(user_)?id text/g)).toEqual(['id text', 'user_id text', 'user_id text']);
  expect(text.match(/foreign key/g)).toHaveLength(2);
});

test('a foreign key is omitted if statements need different types', () => {
  const text = aligned({ 'public.notes.user_id': 'text', 'public.likes.user_id': 'uuid' });
  expect(text).toContain('notes_fkey');
  expect(text).not.toContain('likes_fkey');
});

test('compatible types are kept', () => {
  const text = aligned({ 'public.notes.user_id': 'integer', 'public.users.id': 'bigint' });
  expect(text).toMatch(/notes \(\n {2}user_id integer/);
  expect(text.match(/foreign key/g)).toHaveLength(2);
});
