import { expect, test } from 'vitest';
import { type Arrival, Dispatcher } from './dispatcher.ts';

/** Creates a clock that advances only when requests start, and an event loop whose turns are run by the test. */
function createLoop(limits: { maxWaitMs: number; maxWaiting?: number }) {
  let now = 0;
  let scheduled: (() => void) | undefined;
  let afterWork: (() => void)[] = [];
  const done: string[] = [];
  const dispatcher = new Dispatcher(
    { maxWaiting: 1000, ...limits },
    {
      now: () => now,
      nextTurn: (run) => {
        scheduled = run;
      },
      afterWork: (run) => void afterWork.push(run),
    },
  );
  const arrive = (client: string, costMs: number, more: Partial<Arrival> = {}): void => {
    const arrival = {
      client,
      isUpgrade: false,
      isGone: () => false,
      start() {
        now += costMs;
        done.push(client);
      },
      reject: (waitMs: number) => void done.push(`${client} rejected: ${waitMs}`),
      ...more,
    };
    if (dispatcher.startsNow()) arrival.start();
    else dispatcher.wait(arrival);
  };
  const turn = (otherMs = 0): string[] => {
    now += otherMs;
    const run = scheduled;
    scheduled = undefined;
    run?.();
    while (afterWork.length > 0) {
      const [next, ...others] = afterWork;
      afterWork = others;
      next?.();
    }
    return done.splice(0);
  };
  return { dispatcher, arrive, turn, done, isIdle: () => scheduled === undefined };
}

test('requests start immediately until the time slice is used up, then in turn', () => {
  const { arrive, turn, done, isIdle } = createLoop({ maxWaitMs: 1000 });
  for (let count = 0; count < 5; count++) arrive('a', 4);
  arrive('b', 4);
  expect(done.splice(0)).toEqual(['a', 'a', 'a']);
  expect(turn()).toEqual(['a', 'b', 'a']);
  expect(turn()).toEqual([]);
  expect(turn()).toEqual([]);
  expect(isIdle()).toBe(true);
});

test('cheap requests never wait', () => {
  const { arrive, turn, done, dispatcher } = createLoop({ maxWaitMs: 0 });
  for (let round = 0; round < 100; round++) {
    for (let count = 0; count < 9; count++) arrive('a', 1);
    expect(done.splice(0)).toHaveLength(9);
    turn(5);
  }
  expect(dispatcher.load()).toMatchObject({ waited: 0, rejected: 0 });
});

test('a request is rejected if the measured rate makes its wait too long', () => {
  const { arrive, turn, dispatcher } = createLoop({ maxWaitMs: 150 });
  for (let count = 0; count < 15; count++) arrive('a', 10);
  turn();
  // Each turn starts one request, which takes 10 ms, and spends another 15 ms on other work.
  for (let count = 0; count < 5; count++) turn(15);
  expect(dispatcher.load().waiting).toBe(8);
  arrive('a', 10);
  expect(turn(15)).toEqual(['a rejected: 200', 'a']);
  // A request from another client starts before the remaining requests from the first client.
  arrive('b', 10);
  expect([...turn(15), ...turn(15)]).toContain('b');
});

test('the estimate for the first burst is based on the duration of its first requests', () => {
  const { arrive, done } = createLoop({ maxWaitMs: 100 });
  for (let count = 0; count < 30; count++) arrive('a', 10);
  expect(done.filter((text) => text.startsWith('a rejected'))).toHaveLength(18);
});

test('a pause of the process doesn’t cause rejections', () => {
  const { arrive, turn, done } = createLoop({ maxWaitMs: 1000 });
  arrive('a', 3000);
  for (let count = 0; count < 20; count++) arrive('a', 3000);
  expect(done.splice(0)).toEqual(['a']);
  expect(turn(2000)).toEqual(['a']);
  for (let count = 0; count < 19; count++) arrive('a', 1);
  expect(done.splice(0)).toEqual([]);
  while (turn().length > 0);
});

test('a full queue rejects the client with the most requests', () => {
  const { arrive, done } = createLoop({ maxWaitMs: 1e9, maxWaiting: 3 });
  for (const client of ['a', 'a', 'a', 'a', 'b']) arrive(client, 10);
  expect(done).toEqual(['a', expect.stringMatching(/^a rejected/)]);
});

test('upgrades take turns with other requests, and only a full queue rejects them', () => {
  const { arrive, turn, done } = createLoop({ maxWaitMs: 100, maxWaiting: 50 });
  arrive('a', 10);
  for (let count = 0; count < 50; count++) arrive('socket', 10, { isUpgrade: true });
  expect(done.splice(0)).toEqual(['a']);
  arrive('socket', 10, { isUpgrade: true });
  expect(done.splice(0)).toEqual([expect.stringMatching(/^socket rejected/)]);
  // The waiting upgrades don't cause other requests to be rejected.
  for (let count = 0; count < 4; count++) arrive('a', 10);
  expect(done).toEqual([]);
  const order = Array.from({ length: 9 }, () => turn()).flat();
  expect(order.filter((client) => client === 'a')).toHaveLength(4);
  for (let count = 0; count < 8; count++) arrive('a', 10);
  expect(done.splice(0)).toContainEqual(expect.stringMatching(/^a rejected/));
});

test('disconnected clients are skipped, and an exception doesn’t stop the queue', () => {
  const { arrive, turn, done } = createLoop({ maxWaitMs: 1e9 });
  arrive('a', 10);
  done.length = 0;
  arrive('gone', 10, { isGone: () => true });
  arrive('throws', 10, {
    start() {
      throw new Error('on purpose');
    },
  });
  arrive('b', 10);
  expect(() => turn()).toThrow('on purpose');
  expect(turn()).toEqual(['b']);
});

test('connections are accepted first during a burst, and share the time with requests afterward', () => {
  const { dispatcher, arrive, turn } = createLoop({ maxWaitMs: 1e9 });
  const started: number[] = [];
  // In each turn, the server accepts a connection, which takes 1 ms, and receives one request, which takes 20 ms.
  for (let count = 0; count < 100; count++) {
    arrive('a', 20);
    dispatcher.accepted();
    started.push(turn(1).length);
  }
  const sum = started.reduce((total, one) => total + one, 0);
  expect(sum).toBeGreaterThan(1);
  expect(sum).toBeLessThan(5);
  const later = Array.from({ length: 1000 }, () => {
    dispatcher.accepted();
    return turn(1).length;
  });
  expect(later.reduce((total, one) => total + one, 0)).toBeGreaterThan(35);
  // If the server doesn't accept new connections, requests start without pauses.
  expect(Array.from({ length: 10 }, () => turn(1).length)).toEqual(Array<number>(10).fill(1));
});
