/** Tests that the walks in docs/architecture.md are true: each function exists, and an earlier step uses it. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { walks } from '../../scripts/docs/walks.ts';

const textOf = (file: string): string => readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8');

describe.each(walks)('$title', ({ steps }) => {
  test.each(steps.map((step, index) => ({ ...step, earlier: steps.slice(0, index) })))(
    '$name in $file',
    ({ file, name, earlier }) => {
      const uses = new RegExp(`\\b${name}\\b`);
      expect(textOf(file)).toMatch(uses);
      if (earlier.length > 1) expect(earlier.some((step) => uses.test(textOf(step.file)))).toBe(true);
    },
  );
});
