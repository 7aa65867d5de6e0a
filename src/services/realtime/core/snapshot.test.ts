import { expect, test } from 'vitest';
import { areOver } from './snapshot.ts';

test.for<[string, number[], boolean]>([
  ['10:20:', [5, 10, 19], true],
  ['10:20:', [20], false],
  ['10:20:12,15', [11, 13], true],
  ['10:20:12,15', [11, 15], false],
  // In this test, the 32-bit counter has wrapped: 4294967290 belongs to the previous epoch.
  ['4294967290:4294967300:4294967295', [4294967290, 3], true],
  ['4294967290:4294967300:4294967295', [4294967295], false],
  ['4294967290:4294967294:', [2], false],
])('in snapshot %s, transactions %j', ([snapshot, ids, over]) => {
  expect(areOver(snapshot, ids)).toBe(over);
});
