import { expect, it } from 'vitest';
import { Holdings, weightOf } from './holdings.ts';

it('a holder has no more than its share, and beyond the total the largest is found', () => {
  const holdings = new Holdings<string>({ maxHeldBytes: 10, maxHeldBytesInAll: 15 });
  expect(holdings.add('a', 6)).toBe(true);
  expect(holdings.add('a', 5)).toBe(false);
  holdings.add('a', -5);
  expect(holdings.add('b', 9)).toBe(true);
  expect(holdings.excess).toBeUndefined();
  expect(holdings.add('c', 1)).toBe(true);
  expect(holdings.excess).toBe('b');
  holdings.add('b', -9);
  expect(holdings.excess).toBeUndefined();
  expect(holdings.add('a', 4)).toBe(true);
});

it('many small values weigh more than their text', () => {
  expect(weightOf(Buffer.from('[[],[],[]]'))).toBeGreaterThan(90);
  expect(weightOf(Buffer.from(`"${'x'.repeat(100)}"`))).toBe(102);
});
