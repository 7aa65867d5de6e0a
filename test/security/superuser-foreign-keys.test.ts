/**
 * Tests that a foreign key check doesn't run project code if the referenced table's owner is a superuser. The check
 * runs with this owner's privileges, and could otherwise call the project's code to cast a value of a project's type.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestDatabase, type TestDatabase } from '../../src/platform/database/testing.ts';

let own: TestDatabase;
beforeAll(async () => {
  own = await createTestDatabase('foreign-keys');
  await own.database.pool('postgres').exec(`
    create table public.seen (who text not null);
    create type public.disguise as (id uuid);
    create function public.unmask(disguise) returns uuid language plpgsql as $$
      begin insert into public.seen values (current_user); return ($1).id; end $$;
    create cast (public.disguise as uuid) with function public.unmask(disguise) as implicit;
    create function public.unmask(uuid) returns public.disguise language sql as 'select row($1)::public.disguise';
    create domain public.checked as uuid check (value is distinct from '00000000-0000-0000-0000-000000000000');
    create table public.keys (name text, secret uuid references vault.secrets (id) on delete cascade);`);
});
afterAll(() => own?.drop());

const postgres = (text: string) => own.database.pool('postgres').exec(text);

test('a project’s table can reference a secret, as on the hosted service', async () => {
  const [made] = await own.database
    .pool('postgres')
    .query<{ id: string }>(sql`select vault.create_secret('s3cret', 'mine') as id`);
  const id = sql`${made?.id}`;
  await own.database.pool('postgres').query(sql`insert into public.keys values ('a', ${id}::uuid)`);
  await expect(postgres('insert into public.keys values (null, gen_random_uuid())')).rejects.toThrow(
    /foreign key/,
  );
  await postgres('delete from vault.secrets');
  await postgres(`select vault.create_secret('s3cret', 'another')`);
  expect(await own.database.pool('postgres').query(sql`select from public.keys`)).toEqual([]);
});

test.each([
  ['create table', 'create table public.evil (secret disguise references vault.secrets (id))'],
  ['create table with a domain', 'create table public.evil (secret checked references vault.secrets (id))'],
  [
    'alter table',
    'create table public.evil (secret disguise); alter table public.evil add foreign key (secret) references vault.secrets (id) not valid',
  ],
  ['alter type', 'alter table public.keys alter secret type disguise using null'],
  [
    'as a replica',
    'set local session_replication_role = replica; create table public.evil (secret disguise references vault.secrets (id))',
  ],
  [
    'alter type of a typed table',
    `create cast (uuid as public.disguise) with function public.unmask(uuid) as assignment;
     create type public.shape as (secret uuid);
     create table public.evil of public.shape;
     alter table public.evil add foreign key (secret) references vault.secrets (id);
     alter type public.shape alter attribute secret type public.disguise cascade`,
  ],
  [
    'create schema',
    'create schema evil create table evil.evil (secret public.disguise references vault.secrets (id))',
  ],
  [
    'partition',
    `create table public.whole (secret disguise, n int) partition by list (n);
     create table public.part partition of public.whole for values in (1);
     alter table public.whole add foreign key (secret) references vault.secrets (id)`,
  ],
])('with %s, a key whose check would convert a project’s type is rejected', async (_name, text) => {
  const refusal = await postgres(`begin; ${text}; commit`).then(
    () => 'made',
    (error: Error) => error.message,
  );
  await postgres('rollback').catch(() => undefined);
  const value = '(select row(id)::public.disguise from vault.secrets limit 1)';
  for (const table of [
    'public.evil (secret)',
    'evil.evil (secret)',
    'public.keys (secret)',
    'public.whole (n, secret)',
  ])
    await postgres(`insert into ${table} values (${table.includes('n,') ? '1, ' : ''}${value})`).catch(
      () => undefined,
    );
  // No project code ran as the owner of `vault.secrets`, and PostgreSQL rejected the foreign key for the expected
  // reason.
  expect(
    await own.database.pool('supabase_admin').query(sql`select who from public.seen where who <> 'postgres'`),
  ).toEqual([]);
  expect(refusal).toMatch(/permission denied for table secrets|cannot be implemented/);
  await postgres(
    `drop table if exists public.evil, public.whole cascade; drop schema if exists evil cascade`,
  );
});

test('the guard runs after every command and in every replication mode', async () => {
  const found = await own.database
    .pool('supabase_admin')
    .query<{ tags: string[] | null; enabled: string }>(sql`
    select evttags as tags, evtenabled::text as enabled from pg_event_trigger where evtname = 'plinth_guard_foreign_keys'`);
  expect(found).toEqual([{ tags: null, enabled: 'A' }]);
});
