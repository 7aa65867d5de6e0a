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

const failed = {
  ...{ file: 'supabase/migrations/1.sql', index: 0, line: 1, text: 'select 1' },
  ...{ committed: false, isOurCall: false, reason: [], lacksExtension: false },
};
const adviceFor = (cause: { code: string; message: string; where?: string }): readonly string[] =>
  statementFailed(failed, Object.assign(new Error(cause.message), { severity: 'ERROR' }, cause)).advice;

test('a type without a schema has a hint', () => {
  const adviceOf = (type: string) => adviceFor({ code: '42704', message: `type "${type}" does not exist` });
  expect(adviceOf('halfvec')[0]).toBe(
    'Hint: if an extension defines this type, include its schema: extensions.halfvec',
  );
  expect(adviceOf('extensions.halfvec').join()).not.toContain('Hint');
});

test('the context doesn’t contain the script in which Plinth requests an extension pack', () => {
  const script = `PL/pgSQL function inline_code_block line 19 at RAISE
SQL statement "do $plinth$
declare
  folder text;
begin
end
$plinth$"
extension script file "vector--0.8.6.sql", near line 1`;
  const outer =
    'SQL statement "create extension vector"\nPL/pgSQL function inline_code_block line 3 at EXECUTE';
  const contextOf = (where: string) =>
    adviceFor({ code: '0A000', message: 'x', where }).find((line) => line.startsWith('Where'));
  expect(contextOf(script)).toBe('Where: extension script file "vector--0.8.6.sql", near line 1');
  expect(contextOf(`${script}\n${outer}`)).toBe(
    `Where: extension script file "vector--0.8.6.sql", near line 1\n${outer}`,
  );
  expect(contextOf(outer)).toBe(`Where: ${outer}`);
});
