import { expect, test } from 'vitest';
import { isoTimestamp } from './timestamps.ts';

test.each([
  ['2026-11-21 04:10:36.123456+00', '2026-11-21T04:10:36.123Z'],
  ['2026-11-21 04:10:36.1+00', '2026-11-21T04:10:36.100Z'],
  ['2026-11-21 04:10:36+00', '2026-11-21T04:10:36.000Z'],
  [null, null],
  ['infinity', 'infinity'],
  ['-infinity', '-infinity'],
  ['12026-11-21 04:10:36+00', '12026-11-21 04:10:36+00'],
  ['0044-03-15 12:00:00+00 BC', '0044-03-15 12:00:00+00 BC'],
])('%j is %j', (text, requested) => {
  expect(isoTimestamp(text)).toBe(requested);
});
