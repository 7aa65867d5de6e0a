import { expect, it } from 'vitest';
import { MemoryUse, weightOf } from './socket-limits.ts';

it('a holder can’t exceed its share, and above the total the largest holder is found', () => {
  const memoryUse = new MemoryUse<string>(() => ({ maxHeldBytes: 10, maxHeldBytesInAll: 15 }));
  expect(memoryUse.add('a', 6)).toBe(true);
  expect(memoryUse.add('a', 5)).toBe(false);
  memoryUse.add('a', -5);
  expect(memoryUse.add('b', 9)).toBe(true);
  expect(memoryUse.excess).toBeUndefined();
  expect(memoryUse.add('c', 1)).toBe(true);
  expect(memoryUse.excess).toBe('b');
  memoryUse.add('b', -9);
  expect(memoryUse.excess).toBeUndefined();
  expect(memoryUse.add('a', 4)).toBe(true);
});

it('many small values need more memory than their text', () => {
  expect(weightOf(Buffer.from('[[],[],[]]'))).toBeGreaterThan(90);
  expect(weightOf(Buffer.from(`"${'x'.repeat(100)}"`))).toBe(102);
});
