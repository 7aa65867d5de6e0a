import { expect, test } from 'vitest';
import type { Fields, Node } from '../schema/define.ts';
import { plinthSchema, projectSchema } from '../schema/index.ts';
import { effectOf } from './applies.ts';

/** Returns the paths of all settings. In a path, `NAME` stands for any user-chosen name. */
function pathsIn(node: Node, path: readonly string[]): string[][] {
  if (node.kind === 'setting') return [[...path]];
  if (node.kind === 'names') return pathsIn(node.value, [...path, 'NAME']);
  return Object.entries(node.fields as Fields).flatMap(([key, inner]) => pathsIn(inner, [...path, key]));
}

const paths = [...pathsIn(projectSchema, []), ...pathsIn(plinthSchema, ['plinth'])];

test.each(paths.map((path) => [path.join('.'), path] as const))(
  '%s states when a change takes effect',
  (_key, path) => {
    const effect = effectOf(path);
    expect(effect).toBeDefined();
    // The reason for a restart must be usable as the end of a sentence.
    if (typeof effect === 'object') expect(effect.restart).toMatch(/^\S.*[^.\s]$/);
  },
);

test('settings with dots in their names, tables with custom names and unknown keys', () => {
  expect(effectOf(['storage', 'buckets', 'a.b', 'public'])).toBe('live');
  expect(effectOf(['functions', 'hello'])).toBe('live');
  expect(effectOf(['api', 'port'])).toEqual({ restart: 'ports are opened at startup' });
  expect(effectOf(['analytics', 'port'])).toBe('never');
  expect(effectOf(['api', 'prt'])).toBeUndefined();
  expect(effectOf(['api', 'constructor'])).toBeUndefined();
});
