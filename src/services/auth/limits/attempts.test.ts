import { expect, test } from 'vitest';
import { QueueFullError } from '../common/work-queue.ts';
import { localAttempts } from './attempt-store.ts';
import { createAttemptLimits } from './attempts.ts';

test.each([1, 24])('guesses are possible after the clock was set back by %i hours', async (hours) => {
  const start = 10 * 365 * 24 * 3_600_000;
  let now = start;
  const limits = createAttemptLimits(localAttempts(), { now: () => now });
  const guess = async () => (await limits.verify('password', { account: 'a' }, async () => undefined)).kind;
  let kind = 'wrong';
  for (let n = 0; n < 1000 && kind === 'wrong'; n++) kind = await guess();
  expect(kind).toBe('blocked');
  now -= hours * 3_600_000;
  expect(await guess()).toBe('wrong');
});

test('an attempt doesn’t count if the server was too busy to compare the secret', async () => {
  const rules = { after: 3, firstWaitMs: 60_000, maxWaitMs: 60_000 };
  const limits = createAttemptLimits(localAttempts(), { now: () => 0 }, { lockout: () => rules });
  const guess = { account: 'a', place: { kind: 'network', id: '192.0.2.0' } } as const;
  for (let n = 0; n < 50; n++) {
    const busy = limits.verify('password', guess, () => Promise.reject(new QueueFullError(1)));
    await expect(busy).rejects.toThrow(QueueFullError);
  }
  expect(await limits.verify('password', guess, async () => 1)).toEqual({ kind: 'right', value: 1 });
});
