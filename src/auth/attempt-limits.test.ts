import { expect, test } from 'vitest';
import { createAttemptLimits, localAttempts } from './attempt-limits.ts';

test.each([1, 24])('guesses are possible after the clock was set back by %i hours', async (hours) => {
  const start = 10 * 365 * 24 * 3_600_000;
  let now = start;
  const limits = createAttemptLimits(localAttempts(), { now: () => now }, () => true);
  const guess = async () => (await limits.verify('password', { account: 'a' }, async () => undefined)).kind;
  let kind = 'wrong';
  for (let n = 0; n < 1000 && kind === 'wrong'; n++) kind = await guess();
  expect(kind).toBe('blocked');
  now -= hours * 3_600_000;
  expect(await guess()).toBe('wrong');
});
