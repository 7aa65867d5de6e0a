/**
 * Tests that Plinth's scripts and functions leave a project's transaction as they found it: with the same settings, the
 * same role and enabled event triggers. Without event triggers, `postgres` could change the tables of the services.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { migrateServices } from '../../src/entry/main.ts';
import type { Pool, Queryable } from '../../src/platform/database/index.ts';
import { createTestDatabase, type TestDatabase } from '../../src/platform/database/testing.ts';

// The timeouts are long, because starting a server can take a long time on a busy machine.
let own: TestDatabase;
let postgres: Pool;
let extensions: readonly { readonly name: string; readonly versions: readonly string[] }[];
beforeAll(async () => {
  own = await createTestDatabase('services', migrateServices);
  postgres = own.database.pool('postgres');
  // The project can't drop pg_stat_statements, which belongs to Plinth.
  extensions = await postgres.query(sql`
    select name::text, array_agg(version order by version) as versions
    from pg_available_extension_versions where name not in ('pg_stat_statements', 'plpgsql') group by name order by name`);
});
afterAll(() => own?.drop());

type Settings = Readonly<Record<string, string | null>>;

/** Returns all settings, including the role and the topic, which `pg_settings` doesn't list. */
async function settingsOf(db: Queryable): Promise<Settings> {
  const [row] = await db.query<{ settings: Settings }>(sql`
    select jsonb_object_agg(name, setting) || jsonb_build_object('user', current_user, 'role', current_setting('role'),
      'realtime.topic', nullif(current_setting('realtime.topic', true), '')) as settings
    from pg_settings`);
  return row?.settings ?? {};
}

/** Returns the names of the settings that a statement changes. Settings of a library that it loads are ignored. */
async function changesOf(tx: Queryable, statement: string): Promise<string[]> {
  const before = await settingsOf(tx);
  await tx.exec(statement);
  const after = await settingsOf(tx);
  return Object.keys(before).filter((name) => after[name] !== before[name]);
}

const rolledBack = (work: (tx: Queryable) => Promise<void>): Promise<void> =>
  postgres.transaction(work, { end: 'rollback' });

describe('extension scripts', () => {
  test('every script leaves the settings and the role of its transaction unchanged', async () => {
    const changed: string[] = [];
    for (const { name, versions } of extensions) {
      for (const version of versions) {
        const run = async (statement: string, tx: Queryable) => {
          const names = await changesOf(tx, statement);
          if (names.length > 0) changed.push(`${statement}: ${names.join()}`);
        };
        await rolledBack(async (tx) => {
          await tx.exec(`drop extension if exists "${name}" cascade`);
          await tx.exec(`set local client_min_messages = error; set local search_path = public`);
          await run(`create extension "${name}" version '${version}' cascade`, tx);
          const paths = await tx.query<{ target: string }>(sql`
            select target from pg_extension_update_paths(${name}) where source = ${version} and path is not null`);
          for (const { target } of paths) {
            await tx.exec('savepoint one');
            await run(`alter extension "${name}" update to '${target}'`, tx);
            await tx.exec('rollback to one');
          }
        });
      }
    }
    expect(extensions.length).toBeGreaterThan(40);
    expect(changed).toEqual([]);
  });

  test.each([
    ['a new extension', 'create extension cube'],
    ['an extension with dependencies', 'create extension earthdistance cascade'],
    ['an update', `create extension pg_trgm version '1.3'; alter extension pg_trgm update`],
    ['Plinth’s own extension', 'create extension pg_cron; create extension pgmq'],
    [
      'a caught error after the script',
      'do $$ begin create extension cube; perform 1/0; exception when others then end $$',
    ],
    [
      'a caught error in the script',
      `create function public.cube_in(cstring) returns int language internal as 'int4in';
       do $$ begin create extension cube schema public; exception when duplicate_function then end $$`,
    ],
    [
      'a caught error in an update',
      `create extension pg_trgm version '1.3' schema public;
       create function public.strict_word_similarity(text, text) returns real language sql as 'select 1::real';
       do $$ begin alter extension pg_trgm update; exception when duplicate_function then end $$`,
    ],
    [
      'a savepoint',
      `savepoint one; create extension cube; rollback to one; create extension seg; release one`,
    ],
    [
      'a function that sets its search path',
      `create function public.make() returns void language plpgsql set search_path = public
         as $$ begin create extension cube; end $$;
       select public.make()`,
    ],
    ['a script that saved another value', `set local plinth.event_triggers = off; create extension cube`],
  ])('%s leaves the services’ tables protected', async (_, statements) => {
    for (const attack of [
      'alter table auth.users rename column phone to phone9',
      'drop table auth.one_time_tokens',
      'alter table storage.objects owner to postgres',
      'alter table auth.users drop column phone cascade',
    ]) {
      const attempt = rolledBack((tx) => tx.exec(`${statements}; ${attack}`));
      await expect(attempt, attack).rejects.toMatchObject({ code: '42501' });
    }
  });

  test('event triggers stay off in a superuser’s own transaction', async () => {
    const admin = own.database.pool('supabase_admin');
    await admin.transaction(
      async (tx) => {
        await tx.exec('create extension cube');
        expect(await tx.query(sql`select current_setting('event_triggers') as value`)).toEqual([
          { value: 'off' },
        ]);
      },
      { end: 'rollback' },
    );
  });
});

describe('notifications of the REST service', () => {
  const channel = 'pgrst';
  let seen: string[] = [];
  beforeAll(async () => {
    await own.database.listen(channel, (payload) => seen.push(payload));
  });
  beforeEach(() => {
    seen = [];
  });

  test.each([
    [
      'a table after an extension',
      'create extension cube; create table public.later (id int)',
      'drop table public.later; drop extension cube',
    ],
    ['the functions of an extension', 'create extension seg schema public', 'drop extension seg'],
    [
      'an update of an extension',
      `create extension pg_trgm version '1.3'`,
      'drop extension pg_trgm',
      'alter extension pg_trgm update',
    ],
  ])('%s', async (_, create, drop, change?: string) => {
    await postgres.exec(`begin; ${create}; commit`);
    await expect.poll(() => seen, { timeout: 20_000 }).toContain('reload schema');
    if (change !== undefined) {
      seen = [];
      await postgres.exec(change);
      await expect.poll(() => seen, { timeout: 20_000 }).toContain('reload schema');
    }
    await postgres.exec(drop);
  });
});

describe('functions', () => {
  test.each([
    `select realtime.send('{}', 'event', 'topic', false)`,
    `select realtime.send('{}', 'event', null, null)`,
    `select realtime.send_binary('\\x00', 'event', 'topic', false)`,
    `select realtime.broadcast_changes('topic', 'INSERT', 'INSERT', 'a', 'b', row(1), row(2))`,
    `select net.http_get('http://127.0.0.1:1')`,
    `select vault.create_secret('value', 'name')`,
    `select auth.uid(), auth.jwt(), auth.role(), storage.foldername('a/b')`,
  ])('%s leaves the settings and the role unchanged', async (statement) => {
    await rolledBack(async (tx) => {
      await tx.exec(`set local realtime.topic = 'mine'`);
      expect(await changesOf(tx, statement)).toEqual([]);
    });
  });
});
