/**
 * Tests that `plinth rest` sends the claims of a request in the form that Citus passes on to its workers. Only the
 * catalog entry of the extension exists here, which is how Plinth recognizes Citus.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type RestProcess,
  type StandaloneDatabase,
  startDatabase,
  startRestProcess,
} from './standalone-harness.ts';

let database: StandaloneDatabase;
let rest: RestProcess;
beforeAll(async () => {
  database = await startDatabase();
  await database.run(`
    create function api.passed_on() returns json stable language sql as
      $$ select json_build_object('propagates', current_setting('citus.propagate_set_commands', true), 'role', current_user,
           'method', current_setting('request.method', true)) $$;
    create procedure public.add_extension() language plpgsql as $$
    begin
      set local allow_system_table_mods = on;
      insert into pg_catalog.pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
        select 16000, 'citus', extowner, extnamespace, false, '13.0' from pg_catalog.pg_extension
        where extname = 'plpgsql';
    end $$`);
  rest = await startRestProcess({
    PGRST_DB_URI: database.uri,
    PGRST_DB_SCHEMAS: 'api',
    PGRST_DB_ANON_ROLE: 'rest_anon',
  });
});
afterAll(async () => {
  await rest?.stop();
  await database?.drop();
});

test('claims are passed on as soon as the database has the extension', async () => {
  const read = async () => (await rest.fetch('/rpc/passed_on')).json();
  expect(await read()).toEqual({ propagates: null, role: 'rest_anon', method: 'GET' });
  await database.run(`call public.add_extension(); notify pgrst, 'reload schema'`);
  await expect
    .poll(read, { timeout: 20_000 })
    .toEqual({ propagates: 'local', role: 'rest_anon', method: 'GET' });
});
