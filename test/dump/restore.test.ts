/** Tests errors during a restore. After an error, everything is rolled back, unless failed statements are skipped. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sql } from '../../src/kernel/sql.ts';
import { createEmptyDatabase, type EmptyDatabase, restoreText } from './helpers.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let database: EmptyDatabase;
beforeEach(async () => {
  database = await createEmptyDatabase();
});
afterEach(() => database?.drop());

const tables = (): Promise<{ name: string }[]> =>
  database.run((client) =>
    client.query<{ name: string }>(
      sql`select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
    ),
  );

const script = [
  'create table public.a (id integer);',
  'copy public.a (id) from stdin;',
  '1',
  'two',
  '3',
  '\\.',
  'create table public.b (id integer);',
  'select missing;',
  'create table public.c (id integer);',
  '',
].join('\n');

test('the error of a failed restore contains the line, and everything is rolled back', async () => {
  await expect(restoreText(database.target, script)).rejects.toMatchObject({
    code: 'statement_failed',
    message: expect.stringMatching(
      /^Line 2: invalid input syntax for type integer: "two".*line 2, column id/,
    ),
  });
  expect(await tables()).toEqual([]);
});

test('the error of a restore that needs too many locks contains the setting to increase', async () => {
  const locks = 'select count(pg_advisory_xact_lock(n)) from generate_series(1, 1000000) n;\n';
  await expect(restoreText(database.target, locks)).rejects.toMatchObject({
    code: 'too_many_locks',
    message: expect.stringContaining('Line 1:'),
    hint: expect.stringContaining('max_locks_per_transaction'),
  });
});

test('--keep-going skips statements that fail and continues', async () => {
  const skipped: string[] = [];
  const report = await restoreText(database.target, script, {
    keepGoing: true,
    onSkip: (message) => skipped.push(message),
  });
  expect(report).toEqual({ statements: 3, skipped: 2 });
  expect(skipped).toEqual([
    expect.stringContaining('Line 2: invalid input'),
    expect.stringContaining('Line 8: column "missing" does not exist'),
  ]);
  expect(await tables()).toEqual([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
});

test('psql commands that a dump of one database doesn’t need are rejected', async () => {
  await expect(
    restoreText(database.target, 'create table public.a ();\n\\connect other\n'),
  ).rejects.toMatchObject({ code: 'command_unsupported' });
  expect(await tables()).toEqual([]);
});
