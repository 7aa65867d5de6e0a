import { expect, test } from 'vitest';
import { versionAfter } from './new-files.ts';

const now = Date.UTC(2026, 10, 22, 3, 4, 5);

test.each([
  [[], '20261122030405'],
  [['20240101000000'], '20261122030405'],
  [['20261122030405'], '20261122030406'],
  [['20261231235959'], '20270101000000'],
  [['0001', 'odd'], '20261122030405'],
])('after %j comes %s', (versions, version) => {
  expect(versionAfter(versions, now)).toBe(version);
});
