/** Tests the stream of changes from a real server. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestDatabase, type TestDatabase, testTarget } from '../../src/platform/database/testing.ts';
import { connectReplication } from '../../src/platform/database/wire/index.ts';

let db: TestDatabase;

beforeAll(async () => {
  db = await createTestDatabase('wire');
});

afterAll(async () => {
  await db?.drop();
});

test('commands return results, changes arrive, and destroying the stream ends the connection', async () => {
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
      // An insert message contains the relation's OID, `N`, the number of columns, `t`, the length of the text, and the
      // text.
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
  // The server detects the end of the connection with a delay, and the database can't be dropped until then.
  const left = sql`select from pg_replication_slots where database = ${db.name}`;
  for (let gone = false; !gone; ) gone = (await writer.query(left)).length === 0;
});

test('a paused WAL stream keeps reporting its position, so the server doesn’t time out', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const replication = await connectReplication(testTarget(db, 'supabase_replication_admin'));
  try {
    const slot = `paused_${db.name}`;
    await replication.command(`CREATE_REPLICATION_SLOT ${slot} TEMPORARY PHYSICAL RESERVE_WAL`);
    const admin = db.database.pool('supabase_admin');
    const [reserved] = await admin.query<{ pid: number; lsn: string }>(
      sql`select active_pid as pid, restart_lsn::text as lsn from pg_replication_slots where slot_name = ${slot}`,
    );
    const pid = reserved?.pid ?? 0;
    const { ended } = replication.streamWal(`START_REPLICATION SLOT ${slot} PHYSICAL ${reserved?.lsn}`, () =>
      replication.pause(),
    );
    const replies = () =>
      admin.query(sql`select from pg_stat_replication where pid = ${pid} and reply_time is not null`);
    await expect
      .poll(() => admin.query(sql`select state from pg_stat_replication where pid = ${pid}`))
      .toEqual([{ state: 'streaming' }]);
    expect(await replies()).toEqual([]);
    vi.advanceTimersByTime(10_000);
    await expect.poll(async () => (await replies()).length).toBe(1);
    replication.destroy();
    await ended;
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    replication.destroy();
    vi.useRealTimers();
  }
});
