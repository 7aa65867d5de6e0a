import { expect, test } from 'vitest';
import { newerFiles, unreleasedFiles } from './other-versions.ts';

const files = [
  { module: 'auth', version: '0001', hash: 'a' },
  { module: 'auth', version: '0012', hash: 'b' },
  { module: 'storage', version: '0006', hash: 'c' },
];

test('files with a number above the highest known one and files of unknown modules are newer', () => {
  expect(newerFiles(['auth/0001', 'auth/0012', 'storage/0006'], files)).toEqual([]);
  expect(newerFiles(['storage/0007', 'auth/0013'], files)).toEqual(['auth/0013', 'storage/0007']);
  expect(newerFiles(['billing/0001'], files)).toEqual(['billing/0001']);
  expect(newerFiles(['extensions/0002'], files)).toEqual([]);
});

test('files that were applied with different statements are unreleased', () => {
  const applied = new Map([
    ['auth/0001', 'a'],
    ['storage/0006', 'c'],
    ['extensions/0001', 'x'],
  ]);
  expect(unreleasedFiles(applied, files)).toEqual([]);
  expect(unreleasedFiles(new Map([...applied, ['storage/0006', 'other']]), files)).toEqual(['storage/0006']);
  const ofDatabase = [...files, { module: 'extensions', version: '0001', hash: 'y' }];
  expect(unreleasedFiles(applied, ofDatabase)).toEqual(['extensions/0001']);
});
