import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cyclesOf, type Edge } from './cycles.ts';

test('returns the nodes of each cycle', () => {
  const edges: Edge[] = [
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'a'],
    ['c', 'd'],
    ['d', 'e'],
    ['e', 'd'],
    ['f', 'a'],
    ['g', 'g'],
  ];
  expect(cyclesOf(edges).map((cycle) => cycle.toSorted())).toEqual([
    ['d', 'e'],
    ['a', 'b', 'c'],
  ]);
});

test('two nodes share a cycle if and only if each reaches the other', () => {
  const node = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  fc.assert(
    fc.property(fc.array(fc.tuple(node, node), { maxLength: 12 }), (edges) => {
      const reaches = (from: string, to: string): boolean => {
        const seen = new Set<string>();
        const visit = (each: string): boolean =>
          edges.some(([a, b]) => {
            if (a !== each) return false;
            if (b === to) return true;
            if (seen.has(b)) return false;
            seen.add(b);
            return visit(b);
          });
        return visit(from);
      };
      const cycles = cyclesOf(edges);
      for (const a of 'abcdef')
        for (const b of 'abcdef') {
          if (a === b) continue;
          const isShared = cycles.some((cycle) => cycle.includes(a) && cycle.includes(b));
          expect(isShared).toBe(reaches(a, b) && reaches(b, a));
        }
    }),
  );
});

test('a long chain doesn’t exhaust the stack', () => {
  const edges = Array.from({ length: 20_000 }, (_, i): Edge => [`${i}`, `${i + 1}`]);
  expect(cyclesOf(edges)).toEqual([]);
});
