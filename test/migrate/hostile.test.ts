/**
 * Tests a source whose owner attacks the target with code in definitions, with object names, and with a hostile server.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Backend } from '../../src/entry/main.ts';
import { checkTransfer } from '../../src/project/migrate/index.ts';
import { clientOf, createObjects, endOf, move, optionsOf, readValue, run, startServer } from './helpers.ts';

let source: Backend;
let target: Backend;
beforeAll(async () => {
  [source, target] = await Promise.all([startServer(), startServer()]);
  await run(source, attack);
  await source.database
    .pool('supabase_admin')
    .exec('create event trigger evil on ddl_command_end execute function public.on_ddl()');
  await createObjects(source, 8);
});
afterAll(async () => {
  await source?.database.pool('supabase_admin').exec('drop owned by attacker');
  await target?.database.pool('supabase_admin').exec('drop owned by attacker');
  await target?.database.pool('supabase_admin').exec('drop role if exists attacker');
  await Promise.all([source?.stop(), target?.stop()]);
});

/** Places code wherever PostgreSQL could run code while a session reads or writes. */
const attack = `
  create role attacker nologin;
  create table public.trace (who text, what text);
  grant all on public.trace to public;
  create function public.attack() returns boolean language plpgsql volatile as $$
  begin
    begin insert into public.trace values (current_user, 'ran'); exception when others then null; end;
    begin execute 'alter role attacker superuser'; exception when others then null; end;
    begin execute 'grant supabase_admin to attacker'; exception when others then null; end;
    return true;
  end $$;
  create function public.equals(text, text) returns boolean language plpgsql as $$ begin perform public.attack(); return true; end $$;
  create operator public.= (leftarg = text, rightarg = text, function = public.equals);
  create operator public.<> (leftarg = text, rightarg = text, function = public.equals);
  create function public.sha256(bytea) returns bytea language plpgsql as $$ begin perform public.attack(); return ''; end $$;
  create function public.convert_to(text, text) returns bytea language plpgsql as $$ begin perform public.attack(); return ''; end $$;
  create function public.count(integer) returns integer language plpgsql as $$ begin perform public.attack(); return 0; end $$;
  create type public.mood as enum ('good', 'bad');
  create function public.mood_text(public.mood) returns text language plpgsql as $$ begin perform public.attack(); return 'x'; end $$;
  create cast (public.mood as text) with function public.mood_text(public.mood) as implicit;
  create table public.items (id public.mood primary key, n integer check (public.attack()), secret text);
  insert into public.items values ('good', 1, 'a'), ('bad', 2, 'b');
  create view public.raising as select 1 / 0 as n;
  create view public."odd ""name; drop table items; --" as select 1 as "col""umn; select 1";
  create table public."../../etc/passwd" (id integer primary key);
  insert into public."../../etc/passwd" values (1);
  create function public.on_ddl() returns event_trigger language plpgsql as $$ begin perform public.attack(); end $$;
  truncate public.trace;
`;

test('the source’s code runs only with the project’s privileges, and all rows are transferred', async () => {
  const report = await move(source, target);
  expect(report.tables.find(({ table }) => table === 'public.items')).toMatchObject({ added: 2 });
  expect(report.notes.join('\n')).toContain('Not created: EVENT TRIGGER evil');
  expect(await readValue(target, 'select count(*)::int as value from public."../../etc/passwd"')).toBe(1);
  await run(target, `update public.items set secret = 'planted' where n = 2`);
  expect((await move(source, target)).tables.find(({ table }) => table === 'public.items')).toMatchObject({
    changed: 1,
  });
  const pool = target.database.pool('supabase_admin');
  const [role] = await pool.query(
    sql`select rolsuper, pg_has_role('attacker', 'supabase_admin', 'member') as member from pg_roles where rolname = 'attacker'`,
  );
  expect(role).toEqual({ rolsuper: false, member: false });
  const users = await pool.query<{ who: string }>(sql`select distinct who from public.trace`);
  expect(users.map(({ who }) => who).filter((who) => who !== 'postgres')).toEqual([]);
});

test('objects whose names would change the path of a request are listed but not requested', async () => {
  const names = ['../../../auth/v1/admin/users', '../x', 'a/./b', '..'];
  for (const name of names)
    await source.database
      .pool('postgres')
      .query(
        sql`insert into storage.objects (bucket_id, name, version) values ('files', ${name}, '../../x')`,
      );
  const check = await checkTransfer(optionsOf(source, target));
  for (const name of names) expect(check.notes.join('\n')).toContain(`files/${name}`);
  const report = await move(source, target);
  expect(report.complete).toBe(false);
  for (const name of names)
    expect(report.notes).toContain(
      `Object files/${name}: Its name can't be part of a URL. Rename it at the source.`,
    );
  expect(await readValue(target, 'select count(*)::int as value from storage.objects')).toBe(8);
  expect((await clientOf(target, target.keys.serviceRoleKey).auth.admin.listUsers()).data.users).toEqual([]);
});

test('a redirect from the source never receives the key', async () => {
  const seen: (string | undefined)[] = [];
  const thief = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.end('stolen');
  });
  await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve));
  const redirecting = createServer((_request, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${(thief.address() as AddressInfo).port}/` }).end();
  });
  await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
  try {
    await run(
      source,
      `update storage.objects set user_metadata = '{}', metadata = metadata || '{"size": 1}'`,
    );
    const report = await move(source, target, {
      source: {
        ...endOf(source, 'the source'),
        storage: {
          projectUrl: `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`,
          serviceKey: 'the key',
        },
      },
    });
    expect(report.complete).toBe(false);
    expect(seen).toEqual([]);
  } finally {
    thief.close();
    redirecting.close();
  }
});

test('only the service key can specify the version of an object, but never an existing one', async () => {
  const client = clientOf(target, target.keys.serviceRoleKey);
  await client.storage.createBucket('versions');
  const storage = client.storage.from('versions');
  const version = crypto.randomUUID();
  const versionOf = (name: string): Promise<string> =>
    readValue(target, `select version as value from storage.objects where name = '${name}'`);
  const upload = async (path: string, headers: Record<string, string>, method = 'POST'): Promise<void> => {
    const response = await fetch(`${target.url}/storage/v1/object/${path}`, {
      method,
      headers: { 'x-object-version': version, ...headers },
      body: 'x',
    });
    expect(response.status).toBe(200);
  };
  const { data } = await storage.createSignedUploadUrl('signed.txt');
  await upload(`upload/sign/versions/signed.txt?token=${data?.token}`, {}, 'PUT');
  expect(await versionOf('signed.txt')).not.toBe(version);
  const service = { authorization: `Bearer ${target.keys.serviceRoleKey}` };
  await upload('versions/first.txt', service);
  expect(await versionOf('first.txt')).toBe(version);
  await upload('versions/second.txt', service);
  expect(await versionOf('second.txt')).not.toBe(version);
});
