import { expect, test } from 'vitest';
import { nearest } from './fuzzy.ts';

test.each([
  [['films', 'actors'], 'film', undefined, 'films'],
  [['roles', 'directors'], 'role', undefined, 'roles'],
  [['films'], 'noclosealternative', undefined, undefined],
  [['test', 'another'], 'testt', 0.75, 'test'],
  [['test'], 'other', 0.75, undefined],
  [['(name, param, val)', '(attr, id)'], '(id)', undefined, '(attr, id)'],
  [[], 'x', undefined, undefined],
  [['Films'], 'films', undefined, 'Films'],
])('among %j, the closest to %s (at least %s) is %s', (names, text, minScore, expected) => {
  expect(nearest(names, text, minScore)).toBe(expected);
});
