import { expect, test } from 'vitest';
import { newerFiles } from './future.ts';

const files = [
  { module: 'auth', version: '0001' },
  { module: 'auth', version: '0012' },
  { module: 'storage', version: '0006' },
];

test('files with a number above the highest known one and files of unknown modules are newer', () => {
  expect(newerFiles(['auth/0001', 'auth/0012', 'storage/0006'], files)).toEqual([]);
  // An unknown number below the highest known number may belong to a file that was removed from this version.
  expect(newerFiles(['auth/0007'], files)).toEqual([]);
  expect(newerFiles(['storage/0007', 'auth/0013'], files)).toEqual(['auth/0013', 'storage/0007']);
  expect(newerFiles(['billing/0001'], files)).toEqual(['billing/0001']);
  expect(newerFiles(['extensions/0002'], files)).toEqual([]);
});
