/**
 * Tests that changes of tables with row-level security are delivered, whatever the types of the primary key are. The
 * service finds a changed row by its key.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Harness, startRealtime, until } from './harness.ts';
import { openRaw, type RawSocket } from './raw-socket.ts';
import { samples } from './type-samples.ts';

interface Keyed {
  readonly name: string;
  /** The definition of the key columns. */
  readonly columns: string;
  readonly key: string;
  /** Two lists of values. The policy shows only rows with the first one. */
  readonly values: readonly [string, string];
}

let h: Harness;
let socket: RawSocket;
let tables: readonly Keyed[];

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function keyed(name: string, type: string, values: readonly [string, string]): Keyed {
  return {
    name,
    columns: `key ${type}`,
    key: 'key',
    values: values.map((value) => literal(value)) as [string, string],
  };
}

const statements = [
  // The roles can read the tables, but they can't refer to the types by name.
  'create schema keys',
  'create schema kinds',
  'create extension citext schema extensions',
  'create extension hstore schema extensions',
  'create extension ltree schema extensions',
  `create type kinds.mood as enum ('sad', 'very happy')`,
  'create type kinds.pair as (a int, b text[])',
  'create domain kinds.id as int check (value > 0)',
  'create domain kinds.ids as int[]',
  'create domain kinds.inner_ids as kinds.ids',
  `create collation kinds.any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`,
];

const fixed: Keyed[] = [
  keyed('enum', 'kinds.mood', ['sad', 'very happy']),
  keyed('enum_list', 'kinds.mood[]', ['{sad,"very happy"}', '{}']),
  keyed('composite', 'kinds.pair', ['(1,"{a,\\"b c\\"}")', '(2,{})']),
  keyed('composite_list', 'kinds.pair[]', ['{"(1,{x})"}', '{}']),
  keyed('domain', 'kinds.id', ['1', '2']),
  keyed('domain_list', 'kinds.id[]', ['{1,2}', '{}']),
  keyed('list_domain', 'kinds.ids', ['{1,2}', '{3}']),
  keyed('inner_list_domain', 'kinds.inner_ids', ['{1,2}', '{3}']),
  keyed('bounds', 'int[]', ['[0:1]={1,2}', '{1,2}']),
  keyed('matrix', 'int[]', ['{{1,2},{3,4}}', '{1,2,3,4}']),
  keyed('citext', 'extensions.citext', ['Ab', 'c']),
  keyed('hstore', 'extensions.hstore', ['a=>1, b=>"x y"', '']),
  keyed('ltree', 'extensions.ltree', ['a.b', 'c']),
  keyed('any_case', 'text collate kinds.any_case', ['Ab', 'c']),
  {
    name: 'several',
    columns: 'a int[], b kinds.mood, c extensions.citext',
    key: 'a, b, c',
    values: [`'{1,2}', 'sad', 'X'`, `'{1,2}', 'sad', 'y'`],
  },
  {
    name: 'reversed',
    columns: 'a int, b text, c uuid',
    key: 'c, b, a',
    values: [reversed('x'), reversed('y')],
  },
  { name: 'same_types', columns: 'a int, b int', key: 'b, a', values: ['1, 2', '2, 1'] },
];

function reversed(text: string): string {
  return `1, '${text}', '00000000-0000-4000-8000-000000000001'`;
}

beforeAll(async () => {
  h = await startRealtime();
  const pool = h.database.pool('postgres');
  // A primary key requires a B-tree operator class. Arrays have one if their elements do.
  const bases = await pool.query<{ name: string; type: string }>(sql`
    select t.typname as name, format_type(t.oid, -1) as type
    from pg_catalog.pg_type t
    where t.typnamespace = 'pg_catalog'::regnamespace and t.typname = any (${Object.keys(samples)})
      and exists (
        select from pg_catalog.pg_opclass o join pg_catalog.pg_am a on a.oid = o.opcmethod and a.amname = 'btree'
        where o.opcdefault and (o.opcintype = t.oid or exists (
          select from pg_catalog.pg_cast c
          where c.castsource = t.oid and c.casttarget = o.opcintype and c.castmethod = 'b' and c.castcontext = 'i'
        ))
      )
    order by t.typname`);
  const ranges = await pool.query<{ name: string; multirange: string; element: string }>(sql`
    select rngtypid::regtype::text as name, rngmultitypid::regtype::text as multirange, t.typname as element
    from pg_catalog.pg_range join pg_catalog.pg_type t on t.oid = rngsubtype`);
  tables = [
    ...fixed,
    ...bases.flatMap(({ name, type }) => {
      const values = samples[name] as readonly [string, string];
      const list = `{${values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join()}}`;
      statements.push(
        `create domain kinds."d_${name}" as ${type}`,
        `create type kinds."c_${name}" as (v ${type})`,
      );
      return [
        keyed(name, type, values),
        keyed(`a_${name}`, `${type}[]`, [list, '{}']),
        keyed(`d_${name}`, `kinds."d_${name}"`, values),
        keyed(`c_${name}`, `kinds."c_${name}"`, [`("${values[0].replace(/["\\]/g, '$&$&')}")`, '()']),
      ];
    }),
    ...ranges.flatMap(({ name, multirange, element }) => {
      const value = (samples[element] as readonly string[])[0] as string;
      return [
        keyed(name, name, [`["${value}","${value}"]`, 'empty']),
        keyed(multirange, multirange, [`{["${value}","${value}"]}`, '{}']),
        keyed(`a_${name}`, `${name}[]`, [`{"[\\"${value}\\",\\"${value}\\"]"}`, '{}']),
      ];
    }),
  ];
  const created = tables.map(
    ({ name, columns, key }) => `
      create table keys."${name}" (${columns}, shown boolean, n int, primary key (${key}));
      alter table keys."${name}" enable row level security;
      create policy p on keys."${name}" for select to anon using (shown);
      alter publication supabase_realtime add table keys."${name}"`,
  );
  await h.sql(`${statements.join('; ')}; ${created.join('; ')};
    grant usage on schema keys to anon; grant select on all tables in schema keys to anon`);
  socket = await openRaw(h.socketUrl());
  const postgres_changes = [{ event: '*', schema: 'keys' }];
  socket.send(['1', '1', 'realtime:keys', 'phx_join', { config: { postgres_changes } }]);
  await socket.next(([, , , event, payload]) => event === 'system' && payload.status === 'ok');
});
afterAll(async () => {
  socket?.close();
  await h?.stop();
});

/** Returns the tables of the received changes, up to the change of the table `last`. */
async function receivedTables(type: string): Promise<string[]> {
  const found: string[] = [];
  await until(() => {
    for (const [, , , event, payload] of socket.frames.splice(0))
      if (event === 'postgres_changes' && payload.data.type === type)
        found.push(`${payload.data.table}${payload.data.record.shown === false ? ' (hidden row)' : ''}`);
    return found.includes('last');
  });
  return found.filter((name) => name !== 'last').sort();
}

test('a key of any type identifies the row', async () => {
  const names = tables.map(({ name }) => name).sort();
  await h.sql(`create table keys.last (id int primary key, n int); grant select on keys.last to anon;
    alter publication supabase_realtime add table keys.last`);
  const inserts = tables.map(
    ({ name, values }) =>
      `insert into keys."${name}" values (${values[0]}, true, 1), (${values[1]}, false, 1)`,
  );
  await h.sql(`${inserts.join('; ')}; insert into keys.last values (1, 1)`);
  expect(await receivedTables('INSERT')).toEqual(names);
  const updates = tables.map(({ name }) => `update keys."${name}" set n = 2`);
  await h.sql(`${updates.join('; ')}; update keys.last set n = 2`);
  expect(await receivedTables('UPDATE')).toEqual(names);
});

test('a key that is replaced with an equal one identifies the row in both forms', async () => {
  await h.sql(`create table keys.later (id int primary key, n int); grant select on keys.later to anon;
    alter publication supabase_realtime add table keys.later`);
  const forms = [
    ['numeric', '1.0', '1.00'],
    ['float8', '0', '-0'],
    ['any_case', 'x', 'X'],
    ['citext', 'x', 'X'],
    ['interval', '24:00:00', '1 day'],
  ] as const;
  const statements = forms.map(
    ([
      name,
      one,
      other,
    ]) => `delete from keys."${name}"; insert into keys."${name}" values (${literal(one)}, true, 1);
      update keys."${name}" set key = ${literal(other)}`,
  );
  await h.sql(`begin; ${statements.join('; ')}; insert into keys.later values (1, 1); commit`);
  const changes: string[] = [];
  await until(() => {
    for (const [, , , event, payload] of socket.frames.splice(0))
      if (event === 'postgres_changes') changes.push(`${payload.data.table} ${payload.data.type}`);
    return changes.includes('later INSERT');
  });
  const updates = changes.filter((change) => change.endsWith('UPDATE'));
  expect(updates.sort()).toEqual(forms.map(([name]) => `${name} UPDATE`).sort());
});

test.each([
  ['enum', 'key=eq.sad', 'key=eq.very happy'],
  ['enum', 'key=in.("very happy",sad)', 'key=in.("very happy")'],
  ['domain', 'key=lt.2', 'key=gt.1'],
  ['composite', 'key=eq.(1,"{a,\\"b c\\"}")', 'key=eq.(2,{})'],
  ['d_timestamptz', 'key=gt.2000-01-01', 'key=lt.2000-01-01'],
])(
  'a filter on %s compares values of a type that clients can name, but the service’s role can’t: %s',
  async (name, hit, miss) => {
    const values = tables.find((table) => table.name === name)?.values[0] ?? '';
    await h.sql('grant usage on schema kinds to anon');
    const own = await openRaw(h.socketUrl());
    try {
      const postgres_changes = [hit, miss].map((filter) => ({
        event: 'INSERT',
        schema: 'keys',
        table: name,
        filter,
      }));
      own.send(['1', '1', 'realtime:filters', 'phx_join', { config: { postgres_changes } }]);
      const [, , , , joined] = await own.next(([, , , event]) => event === 'phx_reply');
      const [, , , , ready] = await own.next(([, , , event]) => event === 'system');
      expect(ready).toMatchObject({ status: 'ok' });
      await h.sql(`delete from keys."${name}"; insert into keys."${name}" values (${values}, true, 1)`);
      const [, , , , { ids }] = await own.next(([, , , event]) => event === 'postgres_changes');
      expect(ids).toEqual([joined.response.postgres_changes[0].id]);
    } finally {
      own.close();
    }
  },
);
