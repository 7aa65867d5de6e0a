import { expect, test } from 'vitest';
import { printPersona } from '../../components/persona.ts';
import { questionOf } from './request.ts';

test.each([
  [
    { method: 'GET', path: '/rest/v1/notes', query: 'select=*&id=eq.5&order=id.desc&limit=1' },
    { schema: 'public', table: 'notes', op: 'select', key: { id: '5' }, as: 'anon' },
  ],
  [
    {
      method: 'PATCH',
      path: '/rest/v1/a%20b',
      query: 'id=eq.a.b&gone=is.null&n=gt.4',
      userId: 'u',
      role: 'authenticated',
      schema: 'inner_rooms',
    },
    { schema: 'inner_rooms', table: 'a b', op: 'update', key: { id: 'a.b', gone: null }, as: 'user:u' },
  ],
  [
    { method: 'POST', path: '/rest/v1/notes', query: 'columns=id', role: 'service_role' },
    {
      schema: 'public',
      table: 'notes',
      op: 'insert',
      key: {},
      as: printPersona({ kind: 'claims', claims: { role: 'service_role' } }),
    },
  ],
  [{ method: 'POST', path: '/rest/v1/rpc/add' }, undefined],
  [{ method: 'GET', path: '/auth/v1/user' }, undefined],
  [{ method: 'OPTIONS', path: '/rest/v1/notes' }, undefined],
])('a logged request becomes a question: %j', (request, expected) => {
  expect(questionOf(request)).toEqual(expected);
});
