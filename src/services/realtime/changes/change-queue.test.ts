import { expect, test } from 'vitest';
import { waitAfter } from './change-queue.ts';

test.for<[number, number]>([
  [0, 0],
  [0.2, 0],
  [1, 10],
  [12, 24],
  [400, 50],
])('after queries of %d ms, the next batch waits %d ms', ([checkMs, waitMs]) => {
  expect(waitAfter(checkMs)).toBe(waitMs);
});
