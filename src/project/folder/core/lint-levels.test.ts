import { expect, test } from 'vitest';
import { atLevel, hasLevel, type LintResult } from './lint-levels.ts';

const warning = { level: 'warning', message: 'w' } as const;
const error = { level: 'error', message: 'e' } as const;
const results: LintResult[] = [
  { function: 'public.a', issues: [warning] },
  { function: 'public.b', issues: [warning, error] },
];

test('a level hides less severe findings, and functions without findings', () => {
  expect(atLevel(results, 'warning')).toEqual(results);
  expect(atLevel(results, 'error')).toEqual([{ function: 'public.b', issues: [error] }]);
  expect(atLevel([], 'error')).toEqual([]);
});

test('an error also counts as a warning', () => {
  expect([hasLevel(results, 'error'), hasLevel(results, 'warning')]).toEqual([true, true]);
  expect([hasLevel(results.slice(0, 1), 'error'), hasLevel([], 'warning')]).toEqual([false, false]);
});
