import { expect, test } from 'vitest';
import { FairQueue, WaitEstimate } from './fair-queue.ts';

interface Item {
  readonly client: string;
  readonly id: number;
}

function fill(limit: number | undefined, clients: string) {
  const queue = new FairQueue<Item>(limit);
  const left = [...clients].map((client, id) => queue.push({ client, id })?.id);
  return { queue, left };
}

function order(queue: FairQueue<Item>): string {
  let text = '';
  for (let item = queue.next(); item !== undefined; item = queue.next()) {
    queue.start(item);
    text += `${item.client}${item.id} `;
  }
  return text.trim();
}

test('clients take turns, and each client’s items stay in order', () => {
  const { queue } = fill(undefined, 'aaaabbc');
  expect(order(queue)).toBe('a0 b4 c6 a1 b5 a2 a3');
  expect(queue.size).toBe(0);
});

test('items that can’t start aren’t counted among the items ahead', () => {
  const { queue } = fill(undefined, 'aabbbc');
  expect(queue.ahead('d')).toBe(3);
  expect(queue.ahead('b')).toBe(6);
  const judge = ({ client, id }: Item) => (client === 'a' ? 'skip client' : id === 2 ? 'skip' : 'start');
  expect(queue.ahead('d', judge)).toBe(2);
  expect(queue.ahead('b', judge)).toBe(3);
});

test('a full queue removes the newest item of the client with the most items', () => {
  const { queue, left } = fill(4, 'aaaabba');
  expect(left).toEqual([undefined, undefined, undefined, undefined, 3, 2, 6]);
  expect(order(queue)).toBe('a0 b4 a1 b5');
});

test('a full queue rejects the new item if no other client has more', () => {
  expect(fill(2, 'abc').left).toEqual([undefined, undefined, 2]);
  expect(fill(0, 'a').left).toEqual([0]);
});

test('items that can’t start are skipped, alone or with their client', () => {
  const { queue } = fill(undefined, 'aab');
  expect(queue.next(({ id }) => (id === 0 ? 'skip' : 'start'))?.id).toBe(1);
  expect(queue.next(({ client }) => (client === 'a' ? 'skip client' : 'start'))?.id).toBe(2);
  expect(queue.next(() => 'skip')).toBeUndefined();
});

test('the items that start before a new one are counted', () => {
  const { queue } = fill(undefined, 'aaaaab');
  expect(queue.ahead('a')).toBe(6);
  expect(queue.ahead('b')).toBe(4);
  expect(queue.ahead('c')).toBe(2);
});

test('removed items are neither returned nor counted', () => {
  const { queue } = fill(undefined, 'ab');
  const first = queue.next() as Item;
  expect([queue.remove(first), queue.remove(first)]).toEqual([true, false]);
  expect(queue.clear().map(({ id }) => id)).toEqual([1]);
  expect(queue.size).toBe(0);
});

test('without a measurement, the expected wait is zero', () => {
  expect(new WaitEstimate().waitMs(100, 4)).toBe(0);
});

test('the wait grows with the queue and shrinks with the connections', () => {
  const estimate = new WaitEstimate();
  estimate.record(20);
  expect(estimate.waitMs(10, 4)).toBe(50);
  expect(estimate.waitMs(10, 2)).toBe(100);
  expect(estimate.waitMs(10, 2, 200)).toBe(1000);
});

test('a single outlier barely changes the estimate', () => {
  const estimate = new WaitEstimate();
  for (let run = 0; run < 50; run++) estimate.record(10);
  estimate.record(100);
  expect(estimate.waitMs(1, 1)).toBeCloseTo(19);
});

test('the times of pipelined requests are averaged over several groups of results', () => {
  const estimate = new WaitEstimate();
  for (let at = 100; at <= 2000; at += 100) {
    estimate.recordPipelined(100, at);
    for (let rest = 0; rest < 9; rest++) estimate.recordPipelined(0, at);
  }
  expect(estimate.waitMs(1, 1)).toBeCloseTo(10);
});
