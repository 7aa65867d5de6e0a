/** Tests `plinth rest` on a streaming standby, which can't receive notifications. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Client, parseConnectionString } from '../../src/platform/database/wire/index.ts';
import { availableServers, type ExternalServer, startExternalServer } from '../database/external-server.ts';
import { temporaryFolder } from '../database/helpers.ts';
import { type RestProcess, spawnRest, startRestProcess } from './standalone-harness.ts';

const folder = temporaryFolder();
let primary: ExternalServer;
let standby: ExternalServer;
let admin: Client;
let rest: RestProcess;

const environment = () => ({
  PGRST_DB_URI: standby.url('rest_login', 'postgres', 'p'),
  PGRST_DB_SCHEMAS: 'api',
  PGRST_DB_ANON_ROLE: 'rest_anon',
});

beforeAll(async () => {
  const bin = availableServers()[0]?.bin as string;
  primary = await startExternalServer(bin, folder.path, { wal_keep_size: '256MB' });
  const copy = join(folder.path, 'standby');
  mkdirSync(copy, { mode: 0o755 });
  standby = await primary.standby(copy);
  admin = await Client.connect(parseConnectionString(primary.url('admin')));
  await admin.exec(`
    create role rest_login login noinherit password 'p';
    create role rest_anon;
    grant rest_anon to rest_login;
    create schema api;
    grant usage on schema api to rest_anon;
    create table api.items (id int primary key);
    insert into api.items values (1), (2), (3);
    grant select on api.items to rest_anon`);
  const copied = await Client.connect(parseConnectionString(standby.url('admin')));
  await vi.waitFor(() => copied.exec('select from api.items'), 10_000);
  await copied.connection.close();
  rest = await startRestProcess(environment());
});
afterAll(async () => {
  await rest?.stop();
  await admin?.connection.close();
  await standby?.stop();
  await primary?.stop();
  folder.remove();
});

const status = async (path: string) => (await rest.fetch(path)).status;
const reloads = () => rest.err().split('Schema cache loaded').length - 1;
const becomes = (path: string, expected: number) =>
  expect.poll(() => status(path), { timeout: 5000, interval: 50 }).toBe(expected);

test('changes of the schema are seen without a notification, and changes of data cause no reload', async () => {
  await rest.said(/The server is a standby/);
  expect(await status('/items')).toBe(200);
  const before = reloads();
  await admin.exec('insert into api.items values (4)');
  await expect
    .poll(async () => (await (await rest.fetch('/items')).json()).length, { timeout: 5000 })
    .toBe(4);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(reloads()).toBe(before);
  const changedAt = performance.now();
  await admin.exec('create table api.more (n int); grant select on api.more to rest_anon');
  await becomes('/more', 200);
  expect(performance.now() - changedAt).toBeLessThan(3000);
  // A renamed column changes only pg_attribute.
  await admin.exec('alter table api.more rename n to renamed');
  await becomes('/more?renamed=eq.1', 200);
  await admin.exec(`create function api.two() returns int language sql stable as 'select 2'`);
  await becomes('/rpc/two', 200);
  await admin.exec('drop table api.more');
  await becomes('/more', 404);
  await admin.exec(`alter role rest_login set pgrst.db_max_rows = '2'`);
  await expect
    .poll(async () => (await (await rest.fetch('/items')).json()).length, { timeout: 5000 })
    .toBe(2);
});

test('settings of upstream still apply', async () => {
  const silent = await startRestProcess({ ...environment(), PGRST_DB_CHANNEL_ENABLED: 'false' });
  expect((await silent.fetch('/items')).status).toBe(200);
  expect(silent.err()).not.toContain('The server is a standby');
  await silent.stop();
  // A standby isn't an outage.
  const strict = spawnRest({ ...environment(), PGRST_DB_POOL_AUTOMATIC_RECOVERY: 'false' });
  await strict.said(/The server is a standby/);
  await strict.said(/API server listening/);
  expect((await strict.fetch('/items')).status).toBe(200);
  await strict.stop();
});

test('after a promotion, notifications are used', async () => {
  const promoted = await Client.connect(parseConnectionString(standby.url('admin')));
  await promoted.exec('select pg_promote()');
  await promoted.exec('create table api.late (n int); grant select on api.late to rest_anon');
  await becomes('/late', 200);
  await promoted.connection.close();
  await rest.said(/Listening for database notifications/);
});
