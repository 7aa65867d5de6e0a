/** Tests a database whose owner tries to make the session that compares schemas call the owner's functions. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { Client } from '../../src/platform/database/wire/index.ts';
import { compareSnapshots, readSnapshot } from '../../src/project/diff/index.ts';
import {
  type ComparedDatabase,
  catalogs,
  createDatabase,
  createOwner,
  diffOf,
  dropOwner,
} from './helpers.ts';

let hostile: ComparedDatabase;
let plain: ComparedDatabase;
beforeAll(async () => {
  await createOwner();
  [hostile, plain] = [await createDatabase(), await createDatabase()];
  const objects = 'create schema app; create table app.notes (id integer primary key, text varchar(20))';
  await plain.run((client) => client.exec(objects));
  await hostile.run(async (client) => {
    await client.exec(objects);
    await client.exec(`
      create schema evil;
      create table evil.calls (what text);
      create function evil.trap() returns event_trigger language plpgsql as
        $$ begin insert into evil.calls values ('login'); end $$;
      create function evil.same(oid, oid) returns boolean language plpgsql as
        $$ begin insert into evil.calls values ('operator'); return true; end $$;
      create operator evil.= (leftarg = oid, rightarg = oid, function = evil.same);
      create function evil.obj_description(oid, name) returns text language plpgsql as
        $$ begin insert into evil.calls values ('function'); return 'evil'; end $$;
      create table evil.pg_class (like pg_catalog.pg_class);
      alter database "${hostile.name}" set search_path = evil, pg_catalog;
      alter database "${hostile.name}" set quote_all_identifiers = on;
      create event trigger trap on login execute function evil.trap();
      alter event trigger trap enable always`);
  });
});
afterAll(async () => {
  for (const database of [hostile, plain]) await database?.drop();
  await dropOwner();
});

const calls = () => hostile.run((client) => client.query<{ what: string }>(sql`select what from evil.calls`));

test('the database’s functions aren’t called, and its settings have no effect', async () => {
  const target = { ...hostile.target, parameters: { event_triggers: 'on' } };
  const ordinary = await Client.connect(target);
  await ordinary.connection.close();
  expect(await calls()).toEqual([{ what: 'login' }]);
  const { statements } = compareSnapshots(await readSnapshot(plain.target), await readSnapshot(target));
  expect(statements.map(({ text }) => text).filter((text) => !/evil|trap|check_function/.test(text))).toEqual(
    [],
  );
  expect(await calls()).toEqual([{ what: 'login' }]);
});

test('the compared database isn’t changed', async () => {
  const before = await catalogs(hostile);
  await diffOf(hostile, plain);
  expect(await catalogs(hostile)).toEqual(before);
});
