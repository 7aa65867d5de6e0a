import { expect, test } from 'vitest';
import { parseQuietHours } from './alerts.ts';

test.each([
  ['22:00-07:00', { from: 1320, until: 420 }],
  [' 9:05 - 17:30 ', { from: 545, until: 1050 }],
  ['24:00-07:00', undefined],
  ['22:00-22:00', undefined],
  ['22-7', undefined],
  ['', undefined],
])('%j is read as %j', (text, expected) => {
  expect(parseQuietHours(text)).toEqual(expected);
});
