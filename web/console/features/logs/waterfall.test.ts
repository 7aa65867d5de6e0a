import { expect, test } from 'vitest';
import type { LogEntry } from './api.ts';
import { waterfallOf } from './waterfall.ts';

const request = (fields: Partial<LogEntry>): LogEntry => ({
  at: 1000,
  level: 'info',
  kind: 'request',
  service: 'rest',
  message: 'request',
  method: 'GET',
  path: '/x',
  status: 200,
  durationMs: 10,
  ...fields,
});

test('spans are listed below the request that contains them, at their time', () => {
  const outer = request({ service: 'functions', at: 1100, durationMs: 100 });
  const line = request({ kind: 'line', service: 'functions', message: 'hello', at: 1050, durationMs: 0 });
  const inner = request({
    at: 1080,
    durationMs: 20,
    statements: [{ text: 'select\n  1', startMs: 5, durationMs: 4, error: '22012' }],
  });
  const { totalMs, bars } = waterfallOf([inner, line, outer]);
  expect(totalMs).toBe(100);
  expect(
    bars.map(({ label, startMs, durationMs, depth, isFault }) => [
      label,
      startMs,
      durationMs,
      depth,
      isFault,
    ]),
  ).toEqual([
    ['GET /x', 0, 100, 0, false],
    ['hello', 50, 0, 1, false],
    ['GET /x', 60, 20, 1, false],
    ['select 1', 65, 4, 2, true],
  ]);
});

test('an entry without a duration has a visible length', () => {
  expect(waterfallOf([request({ durationMs: 0 })]).totalMs).toBeGreaterThan(0);
});
