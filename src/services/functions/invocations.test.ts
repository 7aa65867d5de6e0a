import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createInvocations } from './invocations.ts';

const bounds = { perFunction: 3, functions: 2, charsPerPath: 5 };
const one = (slug: string, path: string) => ({
  at: 0,
  function: slug,
  requestId: 'r',
  method: 'POST',
  path,
  status: 200,
  code: undefined,
  durationMs: 1,
  bootMs: undefined,
  cpuMs: 1,
  memoryBytes: 1,
});

test('keeps the latest invocations of the most recent functions, newest first', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.string())), (calls) => {
      const invocations = createInvocations(bounds);
      for (const [slug, path] of calls) invocations.add(one(slug, path));
      const kept = ['a', 'b', 'c'].map((slug) => invocations.recent(slug, 10));
      expect(kept.filter((ring) => ring.length > 0).length).toBeLessThanOrEqual(bounds.functions);
      for (const ring of kept) {
        expect(ring.length).toBeLessThanOrEqual(bounds.perFunction);
        expect(ring.map(({ id }) => id)).toEqual(
          ring.map(({ id }) => id).sort((left, right) => right - left),
        );
        for (const { path } of ring) expect(path.length).toBeLessThanOrEqual(bounds.charsPerPath);
      }
      const last = calls.at(-1);
      if (last !== undefined) expect(invocations.recent(last[0], 1)[0]?.id).toBe(calls.length);
    }),
  );
});
