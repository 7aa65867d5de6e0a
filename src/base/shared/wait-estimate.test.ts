import { expect, test } from 'vitest';
import { WaitEstimate } from './wait-estimate.ts';

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
