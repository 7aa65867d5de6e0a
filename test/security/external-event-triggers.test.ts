/**
 * Tests that a project's event triggers never run as a superuser on external servers, on which Plinth signs in as a
 * superuser. Before PostgreSQL 17, no setting of a superuser session turns off event triggers.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createBackend } from '../../src/entry/main.ts';
import { Client, parseConnectionString } from '../../src/platform/database/wire/index.ts';
import { availableServers, type ExternalServer, startExternalServer } from '../database/external-server.ts';
import { temporaryFolder } from '../database/helpers.ts';

// The timeouts are long, because the tests create a cluster and run all of Plinth's migrations in it.
const migrations = {
  '1_watch.sql': `
    create table public.seen (is_superuser boolean, tag text);
    grant all on public.seen to public;
    create function public.watch() returns event_trigger language plpgsql as $$ begin
      insert into public.seen
        select bool_or(rolsuper), tg_tag from pg_roles where rolname in (current_user, session_user);
    end $$;
    create event trigger watch on ddl_command_end execute function public.watch();`,
  '2_always.sql': `
    do $$ begin
      alter event trigger watch enable always;
    exception when insufficient_privilege then null;
    end $$;`,
  '3_privileged.sql': `
    create publication everything for all tables;
    create extension if not exists dblink;
    create table public.later (id int);`,
};

describe.each(availableServers())('on PostgreSQL $version', ({ bin }) => {
  const folder = temporaryFolder();
  const projectDir = join(folder.path, 'project');
  let server: ExternalServer;
  let admin: Client;
  beforeAll(async () => {
    server = await startExternalServer(bin, folder.path);
    admin = await Client.connect(parseConnectionString(server.url('admin')));
    await admin.exec('create database app');
    await admin.connection.close();
    admin = await Client.connect(parseConnectionString(server.url('admin', 'app')));
    mkdirSync(join(projectDir, 'supabase/migrations'), { recursive: true });
    writeFileSync(join(projectDir, 'supabase/config.toml'), 'project_id = "event-triggers"\n');
    for (const [name, text] of Object.entries(migrations))
      writeFileSync(join(projectDir, 'supabase/migrations', name), text);
  });
  afterAll(async () => {
    await admin?.connection.close();
    await server?.stop();
    folder.remove();
  });

  async function start(): Promise<void> {
    const backend = await createBackend({
      projectDir,
      dataDir: join(projectDir, '.plinth'),
      databaseUrl: server.url('admin', 'app'),
      ...{ port: 0, consolePort: 0, mailPort: 0 },
    });
    try {
      await backend.start();
    } finally {
      await backend.stop();
    }
  }

  const runsAsSuperuser = (): Promise<object[]> =>
    admin.query(sql`select distinct tag from public.seen where is_superuser`);

  test('they don’t run as a superuser during migrations', async () => {
    await start();
    expect(await runsAsSuperuser()).toEqual([]);
    expect(
      await admin.query(sql`select pg_catalog.to_regclass('public.later') is not null as "isThere"`),
    ).toEqual([{ isThere: true }]);
  });

  test('existing event triggers of the project don’t run as a superuser at the next start', async () => {
    await admin.exec(`
      alter role postgres superuser;
      alter event trigger watch owner to postgres;
      alter role postgres nosuperuser;
      alter event trigger watch enable always;
      truncate public.seen;`);
    await start();
    expect(await runsAsSuperuser()).toEqual([]);
    const [trigger] = await admin.query<{ enabled: string; isOwnedBySuperuser: boolean }>(sql`
      select t.evtenabled::text as enabled, r.rolsuper as "isOwnedBySuperuser"
      from pg_catalog.pg_event_trigger t join pg_catalog.pg_roles r on r.oid = t.evtowner where t.evtname = 'watch'`);
    const isOld = (
      await admin.query<{ isOld: boolean }>(
        sql`select pg_catalog.current_setting('server_version_num')::int < 170000 as "isOld"`,
      )
    )[0]?.isOld;
    expect(trigger).toEqual(
      isOld ? { enabled: 'D', isOwnedBySuperuser: true } : { enabled: 'A', isOwnedBySuperuser: false },
    );
  });
});
