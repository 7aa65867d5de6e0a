import { expect, test } from 'vitest';
import { markPosition } from './errors.ts';

test('the caret stands below the character that PostgreSQL means', () => {
  expect(markPosition('select x', 8)).toBe('select x\n       ^');
  expect(markPosition('select\n\tx,\n y', 9)).toBe('select\n\tx,\n\t^\n y');
  // Positions count characters, not UTF-16 units; a terminal shows this one two columns wide.
  expect(markPosition("select '🎉', x", 13)).toBe("select '🎉', x\n             ^");
});

test('without a position the statement stands alone, a long one is cut', () => {
  expect(markPosition('select 1', undefined)).toBe('select 1');
  const long = Array.from({ length: 30 }, (_, line) => `line ${line}`).join('\n');
  expect(markPosition(long, undefined).split('\n')).toHaveLength(13);
  const marked = markPosition(long, long.indexOf('line 20') + 1).split('\n');
  expect(marked[0]).toBe('…');
  expect(marked.at(-1)).toBe('…');
  expect(marked[marked.indexOf('line 20') + 1]).toBe('^');
});
