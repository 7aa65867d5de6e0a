import { expect, test, vi } from 'vitest';
import { createReachability, proofAgeMs, signInIntervalMs } from './reachability.ts';

function start() {
  let time = 100_000;
  let answeredAt = 0;
  const signIn = vi.fn(async () => {});
  const ping = vi.fn(async () => {});
  const reachability = createReachability({ signIn, ping, answeredAt: () => answeredAt, now: () => time });
  return {
    ...{ signIn, ping, reachability },
    pass(ms: number) {
      time += ms;
    },
    answer() {
      answeredAt = time;
    },
    counts: () => [signIn.mock.calls.length, ping.mock.calls.length],
  };
}

test('signs in once per interval, and otherwise runs one statement per check', async () => {
  const { reachability, pass, counts } = start();
  for (let second = 0; second < 60; second++) {
    await reachability.check();
    pass(1000);
  }
  expect(counts()).toEqual([(60 * 1000) / signInIntervalMs, 58]);
});

test('a recent response replaces the statement', async () => {
  const { reachability, pass, answer, counts } = start();
  await reachability.check();
  answer();
  pass(proofAgeMs - 1);
  await reachability.check();
  expect(counts()).toEqual([1, 0]);
  pass(1);
  await reachability.check();
  expect(counts()).toEqual([1, 1]);
});

test('after a failure, each check signs in until it succeeds', async () => {
  const { reachability, signIn, ping, pass, counts } = start();
  await reachability.check();
  pass(1000);
  ping.mockRejectedValueOnce(new Error('gone'));
  await expect(reachability.check()).rejects.toThrow('gone');
  signIn.mockRejectedValueOnce(new Error('still gone'));
  await expect(reachability.check()).rejects.toThrow('still gone');
  await reachability.check();
  expect(counts()).toEqual([3, 1]);
  pass(1000);
  await reachability.check();
  expect(counts()).toEqual([3, 2]);
});

test('if a connection can’t be opened, the next check signs in although there are responses', async () => {
  const { reachability, answer, counts } = start();
  await reachability.check();
  answer();
  reachability.suspect();
  await reachability.check();
  expect(counts()).toEqual([2, 0]);
});
