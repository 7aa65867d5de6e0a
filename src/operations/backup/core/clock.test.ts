import { expect, test } from 'vitest';
import { archiveLagMs, repeatDelayMs } from './clock.ts';

test('failed base backups are retried at increasing intervals', () => {
  expect([1, 2, 3, 6, 9, 10, 100].map((failures) => repeatDelayMs(failures) / 60_000)).toEqual([
    0.5, 1, 2, 16, 128, 240, 240,
  ]);
});

test('an archive more than a minute behind is late', () => {
  const sinceMs = 1_000_000;
  const lag = (nowMs: number, newestMs?: number) => archiveLagMs({ nowMs, sinceMs, newestMs });
  expect(lag(sinceMs + 60_000)).toBeUndefined();
  expect(lag(sinceMs + 60_001)).toBe(60_001);
  expect(lag(sinceMs + 500_000, sinceMs + 450_000)).toBeUndefined();
  expect(lag(sinceMs + 500_000, sinceMs + 400_000)).toBe(100_000);
  // After archiving has started, the archive has a minute to catch up, even if the server was stopped for a day.
  expect(lag(sinceMs + 1_000, sinceMs - 86_400_000)).toBeUndefined();
  expect(archiveLagMs({ nowMs: sinceMs, sinceMs: undefined, newestMs: 0 })).toBeUndefined();
});
