/** Tests changes that are sent together on a connection: their transactions, failures, locks and disconnected clients. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { PathRequest, ShapeSpeed } from '../../src/platform/database/types.ts';
import { type Fixture, request, startFixture, texts } from './path-fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
  await fixture.db.database.pool('postgres').exec(`
    create table public.counters (id int primary key, value int not null check (value >= 0), transaction xid8);
    insert into public.counters select i, 0 from generate_series(1, 20) i;
    grant all on public.counters to authenticated`);
});
afterAll(() => fixture?.close());

const sizes = { sharedConnections: 1, aloneConnections: 1, slowConnections: 1, slowAfterMs: 10_000 };
const speed: ShapeSpeed = { isBrief: true, isBlocking: false, record() {}, recordBlocking() {} };

const change = (text: string, more: Partial<PathRequest> = {}): PathRequest =>
  request('user1', text, { lane: 'batched', access: 'read write', speed, ...more });
const add = (id: number, value = 1) =>
  change(
    `update counters set value = value + ${value}, transaction = pg_current_xact_id() where id = ${id}
     returning value, pg_backend_pid()`,
  );
const valuesOf = async (ids: readonly number[]) => {
  const rows = await fixture.db.database
    .pool('postgres')
    .query<{ value: number; transaction: string }>(
      sql`select value, transaction::text from counters where id = any (${ids}) order by id`,
    );
  return {
    values: rows.map(({ value }) => value),
    transactions: new Set(rows.map(({ transaction }) => transaction)).size,
  };
};

test('changes that wait for a connection run in one session, each in its own transaction', async () => {
  const path = fixture.open(sizes);
  const blocker = path.execute(change('select pg_sleep(0.1)'));
  const changes = [1, 2, 3, 4, 5].map((id) => path.execute(add(id)));
  await blocker;
  const results = await Promise.all(changes);
  expect(results.map((result) => texts(result)[0]?.[0])).toEqual(['1', '1', '1', '1', '1']);
  expect(await valuesOf([1, 2, 3, 4, 5])).toEqual({ values: [1, 1, 1, 1, 1], transactions: 5 });
});

test('a change that fails doesn’t affect those that were sent with it', async () => {
  const path = fixture.open(sizes);
  const blocker = path.execute(change('select pg_sleep(0.1)'));
  const changes = Promise.allSettled([add(6), add(7, -1), add(8)].map((one) => path.execute(one)));
  await blocker;
  const [first, second, third] = await changes;
  expect([first?.status, second?.status, third?.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect((second as PromiseRejectedResult).reason).toMatchObject({ code: '23514' });
  expect((await valuesOf([6, 7, 8])).values).toEqual([1, 0, 1]);
});

test('a change that waits for a lock doesn’t delay those behind it, and is made once', async () => {
  const path = fixture.open(sizes);
  const locked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const holder = fixture.db.database.pool('postgres').transaction(async (tx) => {
    await tx.query(sql`select from counters where id = 9 for update`);
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  const blocker = path.execute(change('select pg_sleep(0.05)'));
  const waiting = path.execute(add(9));
  const behind = [10, 11].map((id) => path.execute(add(id)));
  await blocker;
  await Promise.all(behind);
  expect((await valuesOf([9, 10, 11])).values).toEqual([0, 1, 1]);
  release.resolve();
  await holder;
  expect(texts(await waiting)[0]?.[0]).toBe('1');
  expect((await valuesOf([9])).values).toEqual([1]);
});

test('a change whose client has disconnected is sent neither alone nor with others', async () => {
  const path = fixture.open(sizes);
  const blocker = path.execute(change('select pg_sleep(0.1)'));
  const signal = { aborted: false, reason: new Error('disconnected') };
  const gone = path.execute({ ...add(12), signal });
  const others = [13, 14].map((id) => path.execute(add(id)));
  signal.aborted = true;
  await expect(gone).rejects.toThrow('disconnected');
  await Promise.all([blocker, ...others]);
  expect((await valuesOf([12, 13, 14])).values).toEqual([0, 1, 1]);
});

test('if the connection is lost, changes that may have been made fail, and the others are made once', async () => {
  const path = fixture.open(sizes);
  await path.execute(add(15));
  const blocker = path.execute(change('select pg_sleep(0.1)'));
  const changes = Promise.allSettled([16, 17, 18].map((id) => path.execute(add(id))));
  const asleep = Promise.allSettled([path.execute(change('select pg_sleep(5)'))]);
  await blocker;
  await fixture.asleep();
  await fixture.terminate();
  expect(await asleep).toMatchObject([{ status: 'rejected' }]);
  const outcomes = await changes;
  const { values } = await valuesOf([16, 17, 18]);
  // A change whose result arrived has been made, and none is made twice.
  outcomes.forEach(({ status }, index) => {
    if (status === 'fulfilled') expect(values[index]).toBe(1);
    else expect(values[index]).toBeLessThanOrEqual(1);
  });
});

test('changes are made exactly once while others wait for the same rows', async () => {
  const path = fixture.open({ ...sizes, aloneConnections: 3, slowConnections: 2 });
  const rounds = 200;
  const changes = Array.from({ length: rounds }, (_, index) => path.execute(add(19 + (index % 2))));
  await Promise.all(changes);
  expect((await valuesOf([19, 20])).values).toEqual([rounds / 2, rounds / 2]);
});
