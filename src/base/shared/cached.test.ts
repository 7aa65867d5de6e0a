import { expect, test } from 'vitest';
import { cached } from './cached.ts';

test('a result is reused until it expires, and calls at the same time share it', async () => {
  let [time, calls] = [0, 0];
  const read = cached(
    100,
    async () => ++calls,
    () => time,
  );
  expect(await Promise.all([read(), read()])).toEqual([1, 1]);
  time = 99;
  expect(await read()).toBe(1);
  time = 100;
  expect(await read()).toBe(2);
});

test('errors are not cached', async () => {
  let calls = 0;
  const read = cached(100, async () => {
    if (++calls === 1) throw new Error('first');
    return calls;
  });
  await expect(read()).rejects.toThrow('first');
  expect(await read()).toBe(2);
});
