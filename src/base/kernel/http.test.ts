import { expect, it } from 'vitest';
import { originForm } from './http.ts';

it.each([
  ['/a?b', '/a?b'],
  ['*', '*'],
  ['http://h/a?b=/c', '/a?b=/c'],
  ['HTTPS://u@h:1/a//b', '/a//b'],
  ['http://h', '/'],
  ['http://h?x=1', '/?x=1'],
  ['http://h//evil', '//evil'],
  ['ftp://h/a', 'ftp://h/a'],
  ['', ''],
])('%j is %j', (target, expected) => {
  expect(originForm(target)).toBe(expected);
});
