/** Tests `db query` with a running project and with another database. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SharedProject, startSharedProject } from './shared-project.ts';

let project: SharedProject;
beforeAll(async () => {
  project = await startSharedProject({
    'supabase/config.toml': '',
    'supabase/migrations/1_init.sql': [
      'create table notes (id bigint primary key, title text, tags text[], data jsonb);',
      `insert into notes values (1, 'one', '{a,b}', '{"x": 1}'), (2, null, null, null);`,
    ].join('\n'),
  });
});
afterAll(() => project?.stop());

const query = (...args: string[]) => project.run(['db', 'query', ...args]);

test('prints a table, JSON and CSV', async () => {
  const table = await query('select id, title from notes order by id');
  expect([table.status, table.stderr]).toEqual([0, '']);
  expect(table.stdout).toBe(
    [
      '┌────┬───────┐',
      '│ id │ title │',
      '├────┼───────┤',
      '│ 1  │ one   │',
      '│ 2  │ NULL  │',
      '└────┴───────┘',
      '',
    ].join('\n'),
  );
  const json = await query('select * from notes order by id', '-o', 'json');
  expect(JSON.parse(json.stdout)).toEqual([
    { id: 1, title: 'one', tags: '{a,b}', data: { x: 1 } },
    { id: 2, title: null, tags: null, data: null },
  ]);
  const csv = await query('select id, tags from notes order by id', '--output', 'csv');
  expect(csv.stdout).toBe('id,tags\n1,"{a,b}"\n2,NULL\n');
  const agent = await query('select 1 as n', '--agent', 'yes');
  expect(JSON.parse(agent.stdout)).toMatchObject({ boundary: expect.any(String), rows: [{ n: 1 }] });
});

test('text from the database doesn’t control the terminal, and another program receives it unchanged', async () => {
  const hostile = 'a\u001b]0;x\u0007\u009b2Jb\u202ec\r\\!';
  const literal = `U&'${[...hostile].map((char) => `\\${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}'`;
  const shown = 'a\ufffd]0;x\ufffd\ufffd2Jb\ufffdc\ufffd\\!';
  const table = await query(`select ${literal} as x`);
  expect(table.stdout).toContain(`│ ${shown} │`);
  const json = await query(`select ${literal} as x`, '-o', 'json');
  expect(JSON.parse(json.stdout)).toEqual([{ x: hostile }]);
  expect(json.stdout).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
  expect((await query(`select ${literal} as x`, '-o', 'csv')).stdout).toBe(`x\n"${hostile}"\n`);
  for (const level of ['notice', 'exception']) {
    const raised = await query(`do $do$ begin raise ${level} using message = ${literal}; end $do$`);
    expect(raised.stderr).toContain(shown);
    expect(raised.stderr).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
  }
});

test('a dump doesn’t let psql run commands, with a new key each time', async () => {
  const keys = new Set<string>();
  for (const flags of [['--schema-only'], ['--data-only'], ['--roles-only']]) {
    const { stdout, status } = await project.run(['db', 'dump', ...flags]);
    expect(status).toBe(0);
    const key = /^\\restrict ([0-9a-f]{64})$/m.exec(stdout)?.[1] ?? '';
    expect(stdout.indexOf('\\restrict')).toBeLessThan(stdout.indexOf('SET '));
    expect(stdout).toMatch(new RegExp(`\\n\\\\unrestrict ${key}\\n$`));
    keys.add(key);
  }
  expect(keys.size).toBe(3);
});

test('runs a file or stdin, and prints what each statement did', async () => {
  writeFileSync(
    join(project.cwd, 'change.sql'),
    "begin;\nupdate notes set title = 'two' where id = 2;\nrollback;\nselect 7 as n",
  );
  const file = await query('-f', 'change.sql');
  expect([file.status, file.stdout.split('\n').slice(0, 3)]).toEqual([0, ['BEGIN', 'UPDATE 1', 'ROLLBACK']]);
  const piped = await project.run(['db', 'query', '-o', 'json'], { stdin: 'select 1 as a; select 2 as b' });
  expect([piped.status, JSON.parse(piped.stdout), piped.stderr]).toEqual([
    0,
    [{ b: 2 }],
    'Printing the last of 2 results.\n',
  ]);
});

test('explains a failing statement once, with its position, and rolls everything back', async () => {
  writeFileSync(join(project.cwd, 'bad.sql'), 'insert into notes values (3);\n\nselect titel from notes;\n');
  const failed = await query('-f', 'bad.sql');
  expect([failed.status, failed.stdout]).toEqual([1, '']);
  expect(failed.stderr).toContain('bad.sql:3: column "titel" does not exist (SQLSTATE 42703)\n');
  expect(failed.stderr).toContain('select titel from notes;\n       ^');
  expect(failed.stderr).not.toContain('    at ');
  expect((await query('select count(*) from notes', '-o', 'csv')).stdout).toBe('count\n2\n');
  const typed = await query('select 1 from nowhere');
  expect([typed.status, typed.stderr.split('\n')[0]]).toEqual([
    1,
    'Line 1: relation "nowhere" does not exist (SQLSTATE 42P01)',
  ]);
});

test('uses another database, and the linked one', async () => {
  const { DB_URL = '' } = project.status;
  const other = new URL(DB_URL);
  other.pathname = '/template1';
  const named = await query('select current_database() as name', '--db-url', other.href, '-o', 'csv');
  expect(named.stdout).toBe('name\ntemplate1\n');
  expect((await project.run(['link', '--db-url', other.href])).status).toBe(0);
  const linked = await query('select current_database() as name', '--linked', '-o', 'csv');
  expect(linked.stdout).toBe('name\ntemplate1\n');
  await project.run(['unlink']);
  other.password = 'wrong';
  other.username = 'unknown_role';
  const rejected = await query('select 1', '--db-url', other.href);
  expect(rejected.status).toBe(1);
  expect(rejected.stderr).toContain('The database rejected the connection: ');
  expect(rejected.stderr).not.toContain('    at ');
});

test.each([
  [['select 1', '-f', 'x.sql'], "SQL and --file can't be used together"],
  [['select 1', '-o', 'xml'], '--output: xml must be one of table, json, csv'],
  [['  '], 'The SQL is empty'],
  [['select 1', '--local', '--linked'], "--linked and --local can't be used together"],
])('%j is rejected', async (args, reason) => {
  const failed = await query(...args);
  expect([failed.status, failed.stderr]).toEqual([2, expect.stringContaining(reason)]);
});

test('with --read-only, statements that write are rejected', async () => {
  const rejected = await query('delete from notes', '--read-only');
  expect([rejected.status, rejected.stderr]).toEqual([1, expect.stringContaining('read-only transaction')]);
  const read = await query('select count(*) as n from notes', '--read-only', '-o', 'json');
  expect(JSON.parse(read.stdout)).toEqual([{ n: 2 }]);
});

test('inspect report writes a file for each report', async () => {
  const { status, stdout } = await project.run(['inspect', 'report', '--output-dir', 'reports']);
  expect(status).toBe(0);
  const folder = stdout.replace('Reports saved to ', '').trim();
  expect(folder).toMatch(/reports\/\d{4}-\d{2}-\d{2}$/);
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(['locks.csv', 'sizes.csv', 'slow.csv']));
  expect(readFileSync(join(folder, 'sizes.csv'), 'utf8')).toContain('notes');
});
