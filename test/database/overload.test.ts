/**
 * Tests the request path under overload with a real server: which requests start, in which order they start, and which
 * requests are rejected.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PathRequest, RequestPath } from '../../src/platform/database/types.ts';
import { LaneMemory } from '../../src/services/rest/core/lane.ts';
import { type Fixture, request, startFixture, texts } from './path-fixture.ts';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture();
});

afterAll(async () => {
  await fixture?.close();
});

const unlimited = { maxWaiting: Number.POSITIVE_INFINITY, maxWaitMs: Number.POSITIVE_INFINITY };
const sizes = { sharedConnections: 1, aloneConnections: 3, slowConnections: 2, slowAfterMs: 50 };
const open = (options: Parameters<Fixture['open']>[0] = {}) => fixture.open({ ...sizes, ...options });

const anonymous = (key: string) => ({ key, isAnonymous: true });

/** A call that runs until its signal is aborted. */
function sleeping(speed: LaneMemory, client: PathRequest['client'], lane: PathRequest['lane'] = 'alone') {
  const controller = new AbortController();
  const call = request(undefined, 'select pg_sleep(600)', {
    lane,
    speed,
    client,
    signal: controller.signal,
  } as Partial<PathRequest>);
  return { call, wake: () => controller.abort(new Error('woken')) };
}

const reading = (speed: LaneMemory, client: PathRequest['client'], lane: PathRequest['lane'] = 'alone') =>
  request(undefined, 'select 1', { lane, speed, client } as Partial<PathRequest>);

const load = (path: RequestPath, name: string) => path.loads().find((one) => one.name === name);

test('many calls of a new slow function leave connections for others, and move to separate connections', async () => {
  const path = open();
  const speed = new LaneMemory();
  const sleepers = Array.from({ length: 20 }, (_, index) => sleeping(speed, anonymous(`client ${index}`)));
  const calls = sleepers.map(({ call }) => path.execute(call));
  const settled = Promise.allSettled(calls);
  // The speed of the following requests isn't known yet. The client `other` doesn't have waiting requests, but the
  // clients 3 and 19 do.
  for (const key of ['other', 'client 3', 'client 19'])
    expect(texts(await path.execute(reading(new LaneMemory(), anonymous(key))))).toEqual([['1']]);
  await expect.poll(() => load(path, 'slow'), { timeout: 20_000 }).toMatchObject({ busy: 1, waiting: 18 });
  expect(speed.isBlocking).toBe(true);
  // All waiting clients are anonymous, so one of the two connections is reserved for clients that are signed in.
  const signedIn = path.execute({ ...reading(speed, { key: 'user', isAnonymous: false }) });
  expect(texts(await signedIn)).toEqual([['1']]);
  expect(texts(await path.execute(reading(new LaneMemory(), anonymous('other'))))).toEqual([['1']]);
  for (const { wake } of sleepers) wake();
  expect((await settled).every(({ status }) => status === 'rejected')).toBe(true);
});

test('one client can’t occupy all connections with calls of different shapes', async () => {
  const path = open({ slowAfterMs: 600_000 });
  const sleepers = Array.from({ length: 6 }, () =>
    sleeping(new LaneMemory(), { key: 'a', isAnonymous: false }),
  );
  const settled = Promise.allSettled(sleepers.map(({ call }) => path.execute(call)));
  await expect
    .poll(() => load(path, 'exclusive'), { timeout: 20_000 })
    .toMatchObject({ busy: 2, waiting: 4 });
  const other = path.execute(reading(new LaneMemory(), { key: 'b', isAnonymous: false }));
  // Calls of unknown speed occupy two of three connections, so the last connection is only for fast calls.
  const brief = new LaneMemory();
  for (let run = 0; run < 3; run++) brief.record(run, run + 1);
  expect(texts(await path.execute(reading(brief, { key: 'a', isAnonymous: false })))).toEqual([['1']]);
  await expect.poll(() => load(path, 'exclusive')).toMatchObject({ busy: 2, waiting: 5 });
  for (const { wake } of sleepers) wake();
  await settled;
  expect(texts(await other)).toEqual([['1']]);
});

test('a fast read that becomes slow and blocks a shared connection is repeated on a different connection', async () => {
  const path = open();
  const speed = new LaneMemory();
  for (let run = 0; run < 20; run++) speed.record(run, run + 1);
  await path.execute(reading(speed, anonymous('a'), 'shared'));
  const { call, wake } = sleeping(speed, anonymous('a'), 'shared');
  const slow = path.execute(call);
  const behind = path.execute(reading(new LaneMemory(), anonymous('b'), 'shared'));
  expect(texts(await behind)).toEqual([['1']]);
  await expect.poll(() => load(path, 'slow')?.busy, { timeout: 20_000 }).toBe(1);
  expect(load(path, 'shared')?.busy).toBe(0);
  wake();
  await expect(slow).rejects.toThrow('woken');
});

test('fast reads use separate connections while shared ones are blocked, but don’t wait for them', async () => {
  const path = open({ sharedConnections: 1, aloneConnections: 1, slowAfterMs: 600_000, slowMs: 0 });
  const fast = (client: string) => path.execute(reading(new LaneMemory(), anonymous(client), 'shared'));
  const shared = sleeping(new LaneMemory(), anonymous('x'), 'shared');
  const separate = sleeping(new LaneMemory(), anonymous('x'));
  const blocked = Promise.allSettled([path.execute(shared.call), path.execute(separate.call)]);
  await expect.poll(() => path.loads().map(({ busy }) => busy), { timeout: 20_000 }).toEqual([1, 1, 0]);
  const [first, second] = [fast('a'), fast('b')];
  await expect.poll(() => load(path, 'shared')?.waiting, { timeout: 20_000 }).toBe(2);
  expect(load(path, 'exclusive')).toMatchObject({ busy: 1, waiting: 0 });
  separate.wake();
  expect([texts(await first), texts(await second)]).toEqual([[['1']], [['1']]]);
  expect(load(path, 'shared')).toMatchObject({ busy: 1, waiting: 0 });
  shared.wake();
  await blocked;
});

test('clients take turns, and a full queue rejects the client with the most requests', async () => {
  const path = open({ aloneConnections: 1, slowConnections: 0, queue: { ...unlimited, maxWaiting: 3 } });
  const blocker = sleeping(new LaneMemory(), anonymous('x'));
  const blocked = path.execute(blocker.call);
  const order: string[] = [];
  const run = async (key: string) => {
    await path.execute(reading(new LaneMemory(), anonymous(key)));
    order.push(key);
  };
  await fixture.asleep();
  const [first, second, third] = [run('a'), run('a'), run('a')];
  const other = run('b');
  await expect(third).rejects.toMatchObject({ code: 'pool_full', retryAfterSeconds: 1 });
  expect(load(path, 'exclusive')).toMatchObject({ waiting: 3, rejected: 1 });
  blocker.wake();
  await expect(blocked).rejects.toThrow('woken');
  await Promise.all([first, second, other]);
  expect(order).toEqual(['a', 'b', 'a']);
});

test('a request that would have to wait too long is rejected immediately', async () => {
  const path = open({ slowConnections: 1, slowQueue: { ...unlimited, maxWaitMs: 1 } });
  const speed = new LaneMemory();
  speed.recordBlocking(0, 1);
  const blocker = sleeping(speed, anonymous('x'));
  const blocked = path.execute(blocker.call);
  await fixture.asleep();
  const waiting = path.execute(reading(speed, anonymous('a')));
  await expect(waiting).rejects.toMatchObject({ code: 'pool_full' });
  expect(load(path, 'slow')).toMatchObject({ busy: 1, waiting: 0, rejected: 1 });
  expect(texts(await path.execute(reading(new LaneMemory(), anonymous('a'))))).toEqual([['1']]);
  blocker.wake();
  await expect(blocked).rejects.toThrow('woken');
});

test('a new call is considered slow before slow_after if many others wait for it', async () => {
  const path = open({
    slowAfterMs: 600_000,
    queue: { ...unlimited, maxWaitMs: 1000 },
    slowQueue: { ...unlimited, maxWaiting: 5 },
  });
  const speed = new LaneMemory();
  const sleepers = Array.from({ length: 40 }, () => sleeping(speed, anonymous('a')));
  const calls = sleepers.map(({ call }) => path.execute(call));
  const settled = Promise.allSettled(calls);
  await expect(Promise.race(calls)).rejects.toMatchObject({ code: 'pool_full' });
  expect(speed.isBlocking).toBe(true);
  for (const { wake } of sleepers) wake();
  await settled;
});

test('the estimated wait counts only the connections that anonymous clients can use', async () => {
  const path = open({ slowQueue: { ...unlimited, maxWaitMs: 500 } });
  const speed = new LaneMemory();
  speed.recordBlocking(0, 1);
  // A slow call is assumed to take 200 ms, and anonymous clients can use one of the two connections.
  const sleepers = Array.from({ length: 6 }, () => sleeping(speed, anonymous('a')));
  const settled = Promise.allSettled(sleepers.map(({ call }) => path.execute(call)));
  expect(load(path, 'slow')).toMatchObject({ waiting: 3, rejected: 3 });
  for (const { wake } of sleepers) wake();
  await settled;
});

test('a call that stays slow keeps its connections', async () => {
  const path = open({ slowAfterMs: 20 });
  const speed = new LaneMemory();
  speed.recordBlocking(0, 1);
  const call = request(undefined, 'select pg_sleep(0.05)', { lane: 'alone', speed });
  for (let run = 0; run < 4; run++) await path.execute(call);
  expect(load(path, 'exclusive')?.open).toBe(0);
  expect(speed.isBlocking).toBe(true);
});
