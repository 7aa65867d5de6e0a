import { expect, test } from 'vitest';
import { LaneMemory } from './lane.ts';

const after = (...runs: number[]) => {
  const lane = new LaneMemory();
  for (const durationMs of runs) lane.record(durationMs);
  return lane.isQuick;
};
const times = (count: number, durationMs: number) => Array<number>(count).fill(durationMs);

test('unknown and slow shapes go alone, quick ones share', () => {
  expect(after()).toBe(false);
  expect(after(1, 1)).toBe(false);
  expect(after(1, 1, 1)).toBe(true);
  expect(after(...times(20, 80))).toBe(false);
});

test('a single stall changes nothing, a change of habit does', () => {
  expect(after(...times(20, 1), 100)).toBe(true);
  expect(after(...times(20, 1), 100, 100)).toBe(false);
  expect(after(...times(20, 100), ...times(20, 1))).toBe(false);
  expect(after(...times(20, 100), ...times(40, 1))).toBe(true);
});
