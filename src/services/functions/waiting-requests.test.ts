import { expect, test } from 'vitest';
import { ClientShares, WaitingRequests } from './waiting-requests.ts';

const full = () => new Error('full');
const late = () => new Error('late');

test('clients take turns, and a full queue drops a request from the client with the most requests', async () => {
  const waiting = new WaitingRequests(4, full);
  const order: string[] = [];
  const wait = (name: string) =>
    waiting.wait(name[0] as string, 60_000, late).then(() => void order.push(name));
  const first = [wait('a1'), wait('a2'), wait('a3'), wait('b1')];
  await expect(wait('a4')).rejects.toThrow('full');
  const [, , a3] = first;
  const outcome = expect(a3).rejects.toThrow('full');
  const c1 = wait('c1');
  await outcome;
  waiting.wakeAll();
  await Promise.all([first[0], first[1], first[3], c1]);
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2']);
  expect(waiting.load()).toMatchObject({ waiting: 0, rejected: 2 });
});

test('a request that waits too long leaves the queue', async () => {
  const waiting = new WaitingRequests(4, full);
  await expect(waiting.wait('a', 1, late)).rejects.toThrow('late');
  expect(waiting.load()).toMatchObject({ waiting: 0, rejected: 1 });
});

test('a client has a limited share per function, and requests without a client have no limit', () => {
  const shares = new ClientShares(() => 2);
  for (let count = 0; count < 2; count++) shares.enter('hello', 'a');
  expect([
    shares.mayStart('hello', 'a'),
    shares.mayStart('hello', 'b'),
    shares.mayStart('other', 'a'),
  ]).toEqual([false, true, true]);
  shares.leave('hello', 'a');
  expect(shares.mayStart('hello', 'a')).toBe(true);
  for (let count = 0; count < 5; count++) shares.enter('hello', undefined);
  expect(shares.mayStart('hello', undefined)).toBe(true);
});
