import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeLike } from '../../../../base/shared/sql/escape-like.ts';
import { bestOf, rankOf } from './rank.ts';

test('exact matches come before prefixes, words and other parts', () => {
  const names = ['my_tasks_old', 'multitasks', 'tasks_log', 'tasks', 'users'];
  expect(bestOf(names, (name) => rankOf('TASKS', name), 10)).toEqual([
    'tasks',
    'tasks_log',
    'my_tasks_old',
    'multitasks',
  ]);
});

test('escaped text contains no wildcard', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(escapeLike(text).replaceAll(/\\[\\%_]/g, '')).not.toMatch(/[\\%_]/);
    }),
  );
});
