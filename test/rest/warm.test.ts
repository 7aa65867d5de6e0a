/** Tests a REST service that reads the schema before the server's start is complete. */
import { afterEach, expect, test } from 'vitest';
import { silentLogger } from '../../src/base/kernel/log.ts';
import { configFrom, createLiveConfig } from '../../src/platform/config/index.ts';
import { createTestDatabase } from '../../src/platform/database/testing.ts';
import type { Database } from '../../src/platform/database/types.ts';
import { createKeys } from '../../src/platform/keys/index.ts';
import { createGateway } from '../../src/server/gateway/index.ts';
import { createRest } from '../../src/services/rest/index.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/**
 * Changes the database after the service has read the schema, and then starts the service. Returns the status of a
 * request for a new table.
 */
async function statusAfter(options: { hasChanged: boolean }, change: (database: Database) => Promise<void>) {
  const { database, drop } = await createTestDatabase('rest-warm', async (template) => {
    await template.pool('postgres').exec('create table old (id int); grant select on old to anon');
  });
  ends.push(drop);
  const config = configFrom({ api: { schemas: ['public'] } }, '/nowhere');
  const keys = createKeys({ mode: 'development', config, supabaseDir: '/nowhere', dataDir: '/nowhere' });
  const rest = createRest({
    database,
    keys,
    config: createLiveConfig(config),
    dataDir: '/nowhere',
    log: silentLogger,
    permissionHints: 'off',
  });
  ends.push(async () => rest.stop?.());
  rest.warm?.();
  await rest.prepared?.();
  await change(database);
  await rest.start?.(options);
  const gateway = createGateway({ services: [rest], keys, log: silentLogger });
  ends.push(() => gateway.close(1000));
  await rest.prepared?.();
  expect(rest.health?.()).toBeUndefined();
  const statusOf = async (table: string) => (await gateway.fetch(`/rest/v1/${table}`)).status;
  expect(await statusOf('old')).toBe(200);
  return { statusOf: () => statusOf('added'), database };
}

const add = 'create table public.added (id int); grant select on public.added to anon';

test('reads the schema again if the start has changed it', async () => {
  const { statusOf } = await statusAfter({ hasChanged: true }, async (database) => {
    // No notification is sent, so only startup can cause a reload.
    await database.pool('supabase_admin').exec(`set event_triggers = off; ${add}; reset event_triggers`);
  });
  expect(await statusOf()).toBe(200);
});

test('detects changes after the start', async () => {
  const { statusOf, database } = await statusAfter({ hasChanged: false }, async () => {});
  expect(await statusOf()).toBe(404);
  await database.pool('postgres').exec(add);
  await expect.poll(statusOf).toBe(200);
});
