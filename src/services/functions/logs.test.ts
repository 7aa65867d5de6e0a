import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFunctionLogs, type FunctionLogLine, type LogLevel, passes } from './logs.ts';

const bounds = { linesPerFunction: 3, charsPerLine: 5, functions: 2, linesPerSecond: 1000 };
const line = (slug: string, text: string, level: LogLevel = 'info', requestId?: string) => ({
  function: slug,
  level,
  line: text,
  requestId,
});

test('keeps the latest lines of the most recent functions, regardless of their content', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.string())), (printed) => {
      const logs = createFunctionLogs(bounds);
      for (const [slug, text] of printed) logs.add(line(slug, text), 0);
      const kept = logs.recent();
      expect(kept.length).toBeLessThanOrEqual(bounds.functions * bounds.linesPerFunction);
      expect(new Set(kept.map((each) => each.function)).size).toBeLessThanOrEqual(bounds.functions);
      expect(kept.map(({ id }) => id)).toEqual(kept.map(({ id }) => id).sort((left, right) => left - right));
      for (const { line: text } of kept)
        expect(text.length).toBeLessThanOrEqual(bounds.charsPerLine + ' …'.length);
      const last = printed.at(-1);
      if (last !== undefined) expect(kept.at(-1)).toMatchObject({ function: last[0], id: printed.length });
    }),
  );
});

test('returns the lines after a given line, and follows until it is stopped', () => {
  const logs = createFunctionLogs(bounds);
  logs.add(line('a', 'one'), 0);
  const heard: FunctionLogLine[] = [];
  const stop = logs.follow({}, (each) => heard.push(each));
  logs.add(line('b', 'two'), 0);
  logs.add(line('a', 'three'), 0);
  stop();
  logs.add(line('a', 'four'), 0);
  expect(heard.map((each) => each.line)).toEqual(['two', 'three']);
  expect(logs.recent({ function: 'a' }, 1).map((each) => each.line)).toEqual(['three', 'four']);
  expect(logs.recent({ function: 'unknown' })).toEqual([]);
});

test('limits a function’s lines per second and adds one line that reports the limit', () => {
  const logs = createFunctionLogs({ ...bounds, linesPerFunction: 100, charsPerLine: 200, linesPerSecond: 2 });
  const kept = [1000, 1001, 1002, 1003, 1999, 2000].map((at) => logs.add(line('a', `at ${at}`), at)?.line);
  expect(kept).toEqual([
    'at 1000',
    'at 1001',
    'more than 2 lines in one second, so the other lines are dropped',
    undefined,
    undefined,
    'at 2000',
  ]);
  expect(logs.add(line('b', 'quiet'), 1003)?.line).toBe('quiet');
});

test.each([
  [{}, true],
  [{ function: 'a' }, true],
  [{ function: 'b' }, false],
  [{ level: 'info' }, true],
  [{ level: 'warn' }, true],
  [{ level: 'error' }, false],
  [{ requestId: 'r1' }, true],
  [{ requestId: 'r2' }, false],
] as const)('the filter %j', (filter, expected) => {
  expect(passes(filter)({ ...line('a', 'Disk full', 'warn', 'r1'), id: 1, at: 0 })).toBe(expected);
});
