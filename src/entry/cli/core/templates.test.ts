import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chosenTemplate, packageName } from './templates.ts';

test.each([
  ['1', 'react'],
  ['4', 'expo'],
  [' Next ', 'next'],
  ['5', 'ai'],
  ['6', null],
  ['', null],
  ['none', null],
  ['7', undefined],
  ['0', undefined],
  ['vue', undefined],
])('the answer %j', (answer, expected) => {
  expect(chosenTemplate(answer)).toBe(expected);
});

test('any folder name results in a valid package name', () => {
  expect(packageName('My App')).toBe('my-app');
  expect(packageName('.')).toBe('app');
  fc.assert(
    fc.property(fc.string(), (folder) => {
      expect(packageName(folder)).toMatch(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/);
    }),
  );
});
