/** Tests "plinth test db" and "plinth test new" as scripts use these commands. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeProject } from '../config/project-folder.ts';
import { plinth } from './run-plinth.ts';

// The timeout is long, because each test starts several processes, some of which create a cluster.
test('test new creates a test, and test db runs it without a server and exits with 1 if a test fails', async () => {
  const cwd = makeProject({
    'supabase/config.toml': '[db]\nport = 54399',
    'supabase/migrations/1_a.sql': 'create table public.notes (id int)',
  });
  const made = await plinth(['test', 'new', 'todos', '--template', 'pgtap'], { cwd });
  expect([made.status, made.stdout]).toEqual([
    0,
    'Created new pgtap test at supabase/tests/todos_test.sql.\n',
  ]);
  expect((await plinth(['test', 'new', 'todos'], { cwd })).status).toBe(1);
  expect(readFileSync(join(cwd, 'supabase/tests/todos_test.sql'), 'utf8')).toContain('select plan(1);');

  const passed = await plinth(['test', 'db', '--local'], { cwd });
  expect([passed.status, passed.stdout.replace(/Tests=1, .*/, 'Tests=1')]).toEqual([
    0,
    'supabase/tests/todos_test.sql .. ok\nAll tests successful.\nFiles=1, Tests=1\nResult: PASS\n',
  ]);

  mkdirSync(join(cwd, 'supabase/tests/more'));
  writeFileSync(
    join(cwd, 'supabase/tests/more/fails.sql'),
    `begin; select plan(2); select has_table('public', 'notes', 'a'); select fail('no'); rollback;`,
  );
  const failed = await plinth(['test', 'db', 'supabase/tests/more', '--verbose'], { cwd });
  expect(failed.status).toBe(1);
  expect(failed.stdout).toContain(
    '1..2\nok 1 - a\nnot ok 2 - no\n# Failed test 2: "no"\nFailed 1/2 subtests \n',
  );
  expect(existsSync(join(cwd, '.plinth/lock'))).toBe(false);
});

test.each([
  [['test', 'db', '--linked'], 1, 'No server or database is linked.'],
  [['test', 'new'], 2, 'A name of letters'],
  [['test', 'new', '../x'], 2, 'A name of letters'],
  [['test', 'new', 'a', '-t', 'other'], 2, 'other must be pgtap'],
  [['db', 'test', '--linked'], 1, 'No server or database is linked.'],
])('%j is rejected', async (line, status, words) => {
  const result = await plinth(line, { cwd: makeProject({ 'supabase/config.toml': '' }) });
  expect(result.stderr).toContain(words);
  expect(result.status).toBe(status);
});
