/** The stream of changes from a real server. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase, testTarget } from '../../src/database/testing.ts';
import { connectReplication } from '../../src/database/wire/index.ts';
import { sql } from '../../src/kernel/sql.ts';

let db: TestDatabase;

beforeAll(async () => {
  db = await createTestDatabase('wire');
});

afterAll(async () => {
  await db?.drop();
});

test('commands answer, changes arrive, acknowledgements are heard, destroying ends it', async () => {
  const writer = db.database.pool('supabase_admin');
  await writer.exec(
    'create table public.streamed (a text primary key); create publication streamed for table public.streamed',
  );
  const replication = await connectReplication(testTarget(db, 'supabase_replication_admin'));
  const [system] = await replication.command('IDENTIFY_SYSTEM');
  expect(system).toMatchObject({ dbname: db.name, xlogpos: expect.stringMatching(/^[0-9A-F]+\/[0-9A-F]+$/) });
  await expect(replication.command('NONSENSE')).rejects.toMatchObject({ code: '42601' });
  const slot = `streamed_${db.name}`;
  await replication.command(
    `CREATE_REPLICATION_SLOT ${slot} TEMPORARY LOGICAL pgoutput (SNAPSHOT 'nothing')`,
  );

  const inserted: string[] = [];
  let last = 0n;
  const arrived = Promise.withResolvers<void>();
  const before = BigInt(Date.now() - 60_000) * 1000n;
  const { ended } = replication.stream(
    `START_REPLICATION SLOT ${slot} LOGICAL 0/0 (proto_version '1', publication_names 'streamed')`,
    (payload, walStart, serverTimeMicros) => {
      if (serverTimeMicros < before) arrived.reject(new Error('The time of the server is wrong.'));
      if (walStart > last) last = walStart;
      replication.acknowledge(walStart);
      // An insert: relation OID, N, number of columns, t, length, text.
      if (payload[0] === 0x49) inserted.push(payload.toString('utf8', 13));
      if (inserted.length === 500) arrived.resolve();
    },
  );
  for (let turn = 0; turn < 5; turn++) {
    await writer.exec(
      `insert into public.streamed select 'row ' || ${turn} || ' ' || i from generate_series(1, 100) i`,
    );
  }
  await arrived.promise;
  expect(inserted[0]).toBe('row 0 1');
  expect(inserted[499]).toBe('row 4 100');
  expect(last).toBeGreaterThan(0n);
  replication.destroy();
  await ended;
  // The server detects this a moment later, and the database can't be dropped before.
  const left = sql`select from pg_replication_slots where database = ${db.name}`;
  for (let gone = false; !gone; ) gone = (await writer.query(left)).length === 0;
});
