import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFunctionLogs, type FunctionLogLine } from './logs.ts';

const bounds = { linesPerFunction: 3, charsPerLine: 5, functions: 2 };
const line = (slug: string, text: string) =>
  ({ at: 0, function: slug, level: 'info', line: text, requestId: undefined }) as const;

test('keeps the latest lines of the latest functions, whatever is printed', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.string())), (printed) => {
      const logs = createFunctionLogs(bounds);
      for (const [slug, text] of printed) logs.add(line(slug, text));
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

test('tells what came behind a line, and follows until it is told to stop', () => {
  const logs = createFunctionLogs(bounds);
  logs.add(line('a', 'one'));
  const heard: FunctionLogLine[] = [];
  const stop = logs.follow((each) => heard.push(each));
  logs.add(line('b', 'two'));
  logs.add(line('a', 'three'));
  stop();
  logs.add(line('a', 'four'));
  expect(heard.map((each) => each.line)).toEqual(['two', 'three']);
  expect(logs.recent({ function: 'a', afterId: 1 }).map((each) => each.line)).toEqual(['three', 'four']);
  expect(logs.recent({ function: 'nobody' })).toEqual([]);
});
