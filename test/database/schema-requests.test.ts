/** Tests that a command waits until every server of a database has loaded the changed schema. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Database } from '../../src/platform/database/index.ts';
import { createTestDatabase, type TestDatabase } from '../../src/platform/database/testing.ts';

let own: TestDatabase;
beforeAll(async () => {
  own = await createTestDatabase('schema-requests');
});
afterAll(() => own?.drop());

/** Opens the database as another server, whose loads end when the test calls `finish`. */
async function serverThatLoads(): Promise<{
  database: Database;
  asked: Promise<void>;
  finish: (isLoaded: boolean) => void;
}> {
  const database = await own.another();
  const asked = Promise.withResolvers<void>();
  const loaded = Promise.withResolvers<boolean>();
  await database.answerSchemaRequests(() => {
    asked.resolve();
    return loaded.promise;
  });
  onTestFinished(() => database.stop());
  return { database, asked: asked.promise, finish: loaded.resolve };
}

test('without a server, nothing waits', async () => {
  expect(await own.database.announceSchema()).toBe(0);
});

test('waits for every server, and only for the servers of this database', async () => {
  const elsewhere = await createTestDatabase('schema-requests');
  onTestFinished(() => elsewhere.drop());
  await elsewhere.database.answerSchemaRequests(() => new Promise(() => {}));
  const servers = [await serverThatLoads(), await serverThatLoads()];
  let result: number | undefined;
  const announced = own.database.announceSchema().then((late) => {
    result = late;
  });
  await Promise.all(servers.map(({ asked }) => asked));
  servers[0]?.finish(true);
  // An announcement that didn't wait for the second server would end during this time.
  await own.database.pool('postgres').exec('select pg_sleep(0.2)');
  expect(result).toBeUndefined();
  servers[1]?.finish(true);
  await announced;
  expect(result).toBe(0);
});

test('doesn’t wait for a server that stops, or that stopped answering', async () => {
  const stopping = await serverThatLoads();
  const announced = own.database.announceSchema();
  await stopping.asked;
  await stopping.database.stop();
  expect(await announced).toBe(0);

  const answering = await own.another();
  onTestFinished(() => answering.stop());
  const stop = await answering.answerSchemaRequests(() => new Promise(() => {}));
  await stop();
  expect(await own.database.announceSchema()).toBe(0);
});

test('counts a server that can’t load the schema', async () => {
  const failing = await serverThatLoads();
  failing.finish(false);
  expect(await own.database.announceSchema()).toBe(1);
});

test('a server that lost its connection answers again', async () => {
  const server = await serverThatLoads();
  server.finish(true);
  const admin = own.database.pool('supabase_admin');
  const listeners = sql`from pg_locks where locktype = 'advisory' and mode = 'ShareLock'
    and database = (select oid from pg_database where datname = current_database())`;
  const [before] = await admin.query<{ pid: number }>(sql`select pid ${listeners}`);
  await admin.query(sql`select pg_terminate_backend(pid) ${listeners}`);
  await expect
    .poll(() => admin.query(sql`select pid <> ${before?.pid} as "isNew" ${listeners}`), { timeout: 20_000 })
    .toEqual([{ isNew: true }]);
  expect(await own.database.announceSchema()).toBe(0);
});
