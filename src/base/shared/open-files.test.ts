import { expect, test } from 'vitest';
import { connectionsForFiles, parseOpenFiles } from './open-files.ts';

const limits = (soft: string): string =>
  [
    'Limit                     Soft Limit           Hard Limit           Units     ',
    'Max processes             95043                95043                processes ',
    `Max open files            ${soft}                20000                files     `,
  ].join('\n');

test('the soft limit applies', () => {
  expect(parseOpenFiles(limits('1024 '))).toBe(1024);
  expect(parseOpenFiles(limits('unlimited'))).toBeUndefined();
  expect(parseOpenFiles('')).toBeUndefined();
});

test('the connection limit leaves files for the process itself', () => {
  expect(connectionsForFiles(undefined)).toBe(Number.POSITIVE_INFINITY);
  expect(connectionsForFiles(65_536)).toBe(52_268);
  expect(connectionsForFiles(1024)).toBe(659);
  expect(connectionsForFiles(128)).toBe(51);
});
