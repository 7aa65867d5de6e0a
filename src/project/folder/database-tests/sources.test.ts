import { expect, test } from 'vitest';
import { collectTest, isRolledBack, sentSources, type TestSources } from './sources.ts';

/** Returns the sources of files that are given by name. */
const inMemory = (texts: Readonly<Record<string, string>>): TestSources => ({
  read: (path) => texts[path] ?? '',
  find: (_from, name) => (name in texts ? name : undefined),
});

const wrapped = (text: string): string => `begin;\n${text}\nrollback;`;

test.each([
  [{ a: wrapped('select 1;') }, true],
  [{ a: wrapped('savepoint s; rollback to s;') }, true],
  [{ a: wrapped('\\i b'), b: 'select 1;' }, true],
  [{ a: '\\i b\nselect 1;\nrollback;', b: 'begin;' }, true],
  [{ a: 'select 1;' }, false],
  [{ a: wrapped('commit;') }, false],
  [{ a: wrapped('\\i b'), b: 'commit;' }, false],
  [{ a: wrapped('\\i b'), b: '\\i c', c: 'commit;' }, false],
  [{ a: wrapped('commit \\g') }, false],
  [{ a: wrapped('\\i missing') }, false],
  [{ a: wrapped('\\i :name') }, false],
  [{ a: wrapped('\\i a') }, false],
] as const)('%j: %s', (texts, expected) => {
  const sources = inMemory(texts);
  expect(isRolledBack(sources, 'a')).toBe(expected);
  const sent = collectTest({ path: 'a', shownPath: 'a' }, sources);
  expect(isRolledBack(sentSources(sent), '0')).toBe(expected);
});

test('a file that includes too many files is rejected', () => {
  const texts: Record<string, string> = { '40': 'select 1;' };
  for (let level = 0; level < 40; level++) texts[level] = `\\i ${level + 1}\n\\i ${level + 1}\n`;
  expect(isRolledBack(inMemory(texts), '0')).toBe(false);
});

test('collects each included file once', () => {
  const sent = collectTest(
    { path: 'a', shownPath: 'supabase/tests/a.sql' },
    inMemory({ a: '\\i b\n\\ir c\n', b: '\\include c\n', c: 'select 1;' }),
  );
  expect(sent).toEqual({
    shownPath: 'supabase/tests/a.sql',
    texts: ['\\i b\n\\ir c\n', '\\include c\n', 'select 1;'],
    includes: [
      { from: 1, name: 'c', to: 2 },
      { from: 0, name: 'b', to: 1 },
      { from: 0, name: 'c', to: 2 },
    ],
  });
});
