/** Tests errors during a restore. After an error, everything is rolled back, unless failed statements are skipped. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { lex } from '../../src/base/shared/sql/lex.ts';
import { createEmptyDatabase, dumpText, type EmptyDatabase, restoreText } from './helpers.ts';

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

/** Returns the commands that psql would run: psql finds them anywhere outside of quotes, comments and rows. */
function psqlCommands(text: string): string[] {
  const sqlText = text.replaceAll(/(FROM stdin;\n)[\s\S]*?^\\\.$/gm, '$1');
  return [...lex(sqlText)]
    .filter(({ kind, start }) => kind === 'symbol' && sqlText[start] === '\\')
    .map(({ start }) => sqlText.slice(start).split('\n')[0] ?? '');
}

test('psql runs no command that a name, a value or a comment of the dumped database contains', async () => {
  const breaks = ['\n', '\r', '\r\n', '\u0085', '\u2028'];
  for (const [index, lineBreak] of breaks.entries()) {
    const bad = `x${index}${lineBreak}\\! touch x #`;
    const [name, text] = [`"${bad}"`, `E'${bad.replaceAll('\\', '\\\\')}'`];
    await database.run((client) =>
      client.exec(`
        create schema ${name}; comment on schema ${name} is ${text};
        create type ${name};
        create function in_${index}(cstring) returns ${name} language internal strict as 'int4in';
        create function out_${index}(${name}) returns cstring language internal strict as 'int4out';
        create type ${name} (input = in_${index}, output = out_${index}, like = int4);
        create type ${name}.kind as enum (${text});
        create table ${name}.${name} (${name} text default ${text}, check (${name} <> ${text}));
        alter table ${name}.${name} enable row level security;
        create policy ${name} on ${name}.${name} using (${name} = ${text});
        insert into ${name}.${name} values (${text} || 'a')`),
    );
  }
  const text = await dumpText(database.target, { restrictKey: 'abc123' });
  expect(text.match(/^-- Not included/gm)).toHaveLength(breaks.length);
  expect(psqlCommands(text)).toEqual(['\\restrict abc123', '\\unrestrict abc123']);
  const inserts = await dumpText(database.target, { restrictKey: 'abc123', inserts: true });
  expect(psqlCommands(inserts)).toHaveLength(2);
  const copy = await createEmptyDatabase();
  try {
    await restoreText(copy.target, text, { keepGoing: true });
    expect(psqlCommands(await dumpText(copy.target))).toEqual([]);
  } finally {
    await copy.drop();
  }
});
