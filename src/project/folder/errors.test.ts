import { expect, test } from 'vitest';
import { markPosition, statementFailed } from './errors.ts';

test('the caret is below the character that PostgreSQL reports', () => {
  expect(markPosition('select x', 8)).toBe('select x\n       ^');
  expect(markPosition('select\n\tx,\n y', 9)).toBe('select\n\tx,\n\t^\n y');
  // PostgreSQL's positions count characters, not UTF-16 units. A terminal displays this character with a width of two
  // columns.
  expect(markPosition("select '🎉', x", 13)).toBe("select '🎉', x\n             ^");
});

test('without a position, only the statement is shown, and a long one is truncated', () => {
  expect(markPosition('select 1', undefined)).toBe('select 1');
  const long = Array.from({ length: 30 }, (_, line) => `line ${line}`).join('\n');
  expect(markPosition(long, undefined).split('\n')).toHaveLength(13);
  const marked = markPosition(long, long.indexOf('line 20') + 1).split('\n');
  expect(marked[0]).toBe('…');
  expect(marked.at(-1)).toBe('…');
  expect(marked[marked.indexOf('line 20') + 1]).toBe('^');
});

test.each(['halfvec', 'extensions.halfvec', 'public.sparsevec[]'])(
  'the type %s has a specific hint',
  (type) => {
    const statement = {
      file: 'supabase/migrations/1.sql',
      index: 0,
      line: 1,
      text: 'select 1',
      committed: false,
    };
    const cause = { code: '42704', message: `type "${type}" does not exist`, severity: 'ERROR' };
    const failed = { ...statement, isOurCall: false, reason: [], lacksExtension: false };
    const { advice } = statementFailed(failed, Object.assign(new Error(cause.message), cause));
    expect(advice[0]).toMatch(/^Hint: (halfvec|sparsevec) requires pgvector 0.7 or newer/);
    expect(advice.filter((line) => line.startsWith('Hint'))).toHaveLength(1);
  },
);
