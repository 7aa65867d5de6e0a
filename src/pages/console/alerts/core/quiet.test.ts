import { expect, test } from 'vitest';
import { parseQuietHours } from '../../../../base/shared/alerts.ts';
import { endOfQuiet } from './quiet.ts';

test.each([
  ['22:00-07:00', 'UTC', '2026-01-01T21:59:59Z', '2026-01-01T21:59:59Z'],
  ['22:00-07:00', 'UTC', '2026-01-01T22:00:00Z', '2026-01-02T07:00:00Z'],
  ['22:00-07:00', 'UTC', '2026-01-02T03:10:20Z', '2026-01-02T07:00:00Z'],
  ['22:00-07:00', 'UTC', '2026-01-02T07:00:00Z', '2026-01-02T07:00:00Z'],
  ['12:00-13:00', 'UTC', '2026-01-02T12:30:00Z', '2026-01-02T13:00:00Z'],
  // 23:30 in Berlin, and 05:30 in Kathmandu, whose offset is 5:45.
  ['22:00-07:00', 'Europe/Berlin', '2026-01-01T22:30:00Z', '2026-01-02T06:00:00Z'],
  ['05:00-06:00', 'Asia/Kathmandu', '2026-01-01T23:45:00Z', '2026-01-02T00:15:00Z'],
])('quiet hours %s in %s: a message at %s is sent at %s', (text, zone, now, expected) => {
  expect(endOfQuiet(parseQuietHours(text), zone, Date.parse(now))).toBe(Date.parse(expected));
});

test('without quiet hours, a message is sent immediately', () => {
  expect(endOfQuiet(undefined, 'UTC', 42)).toBe(42);
});
