import { expect, test } from 'vitest';
import { LaneMemory } from './lane.ts';

/** Records runs that follow one another, the first of which starts at `startedAt`. */
function recordRuns(lane: LaneMemory, runs: readonly number[], startedAt = 0): void {
  let at = startedAt;
  for (const durationMs of runs) {
    lane.record(at, at + durationMs);
    at += durationMs;
  }
}

const after = (...runs: number[]) => {
  const lane = new LaneMemory();
  recordRuns(lane, runs);
  return lane.isQuick;
};
const times = (count: number, durationMs: number) => Array<number>(count).fill(durationMs);

test('unknown and slow shapes use separate connections, and fast ones share one', () => {
  expect(after()).toBe(false);
  expect(after(1, 1)).toBe(false);
  expect(after(1, 1, 1)).toBe(true);
  expect(after(...times(20, 80))).toBe(false);
});

test('a single slow run changes nothing, but several do', () => {
  expect(after(...times(20, 1), 100)).toBe(true);
  expect(after(...times(20, 1), 100, 100)).toBe(false);
  expect(after(...times(20, 100), ...times(20, 1))).toBe(false);
  expect(after(...times(20, 100), ...times(40, 1))).toBe(true);
});

test('overlapping slow runs count once', () => {
  const lane = new LaneMemory();
  recordRuns(lane, times(20, 1));
  for (let connection = 0; connection < 6; connection++) lane.record(20 + connection, 90 + connection);
  expect(lane.isQuick).toBe(true);
  recordRuns(lane, [60], 100);
  expect(lane.isQuick).toBe(false);
});

test('a new shape counts as blocking after one blocking run, until it has had a few other runs', () => {
  const lane = new LaneMemory();
  expect([lane.isBrief, lane.isBlocking]).toEqual([false, false]);
  lane.recordBlocking(0, 250);
  expect(lane.isBlocking).toBe(true);
  recordRuns(lane, [1], 250);
  expect(lane.isBlocking).toBe(true);
  recordRuns(lane, [1], 251);
  expect([lane.isBrief, lane.isBlocking]).toEqual([false, false]);
  recordRuns(lane, times(3, 1), 252);
  expect(lane.isBrief).toBe(true);
});

test('a shape that never blocked counts as blocking after its second blocking run, and overlapping runs count once', () => {
  const lane = new LaneMemory();
  recordRuns(lane, times(5, 1), -5);
  expect([lane.isBrief, lane.isQuick]).toEqual([true, true]);
  lane.recordBlocking(0, 250);
  lane.recordBlocking(100, 350);
  expect([lane.isBrief, lane.isBlocking]).toEqual([false, false]);
  lane.recordBlocking(260, 600);
  expect([lane.isBlocking, lane.isQuick]).toEqual([true, false]);
});
