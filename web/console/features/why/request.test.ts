import { expect, test } from 'vitest';
import { printPersona } from '../../components/persona/persona.ts';
import { questionOf } from './request.ts';

const ran = (text: string) => [{ text, startMs: 0, durationMs: 1 }];
/** A write that is part of a query. */
const written = (text: string) =>
  ran(
    `with pgrst_source as (${text}) select count(_postgrest_t) as rows from (select * from pgrst_source) _postgrest_t`,
  );
const insert =
  'insert into "public"."notes" ("id", "a ""b""") select "pgrst_body"."id", "pgrst_body"."a ""b""" from json_to_recordset($1::json) as pgrst_body ("id" integer, "a ""b""" text)';
const inserted = {
  schema: 'public',
  table: 'notes',
  op: 'insert',
  key: {},
  columns: ['id', 'a "b"'],
  as: 'anon',
};

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
  [{ method: 'POST', path: '/rest/v1/notes', statements: ran(insert) }, inserted],
  [{ method: 'POST', path: '/rest/v1/notes', statements: written(`${insert} returning 1`) }, inserted],
  [
    {
      method: 'POST',
      path: '/rest/v1/notes',
      statements: ran(`${insert} returning nullif(current_setting('pgrst.inserted', true), '')::int`),
    },
    inserted,
  ],
  [
    {
      method: 'POST',
      path: '/rest/v1/notes',
      statements: ran(`${insert} returning row_to_json("public"."notes".*)`),
    },
    { ...inserted, back: true },
  ],
  [
    {
      method: 'PATCH',
      path: '/rest/v1/notes',
      query: 'id=eq.5',
      statements: written(
        'update "public"."notes" set "a ""b""" = "pgrst_body"."a ""b""", "n" = "pgrst_body"."n" from json_to_record($1::json) as pgrst_body ("a ""b""" text, "n" numeric(4,2)) where "public"."notes"."id" = $2 returning "public"."notes"."id"',
      ),
    },
    {
      schema: 'public',
      table: 'notes',
      op: 'update',
      key: { id: '5' },
      columns: ['a "b"', 'n'],
      back: true,
      as: 'anon',
    },
  ],
  [{ method: 'POST', path: '/rest/v1/rpc/add' }, undefined],
  [{ method: 'GET', path: '/auth/v1/user' }, undefined],
  [{ method: 'OPTIONS', path: '/rest/v1/notes' }, undefined],
])('a logged request becomes a question: %j', (request, expected) => {
  expect(questionOf(request)).toEqual(expected);
});
