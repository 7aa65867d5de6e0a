/** Compares the splitter with the server's lexer. If PostgreSQL accepts a text, both must split it in the same way. */
import fc from 'fast-check';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../src/platform/database/testing.ts';
import { splitStatements } from '../../src/project/folder/core/split.ts';

const soup = fc.string({
  unit: fc.constantFrom(
    "'",
    "''",
    '\\',
    ';',
    '\n',
    ' ',
    '--',
    '/*',
    '*/',
    '$$',
    '$a$',
    '"',
    'a',
    '\r',
    '\u00a0',
  ),
  maxLength: 7,
});

/** Generates values with arbitrary content, in every form that SQL allows. */
const literal = fc
  .tuple(
    fc.constantFrom(
      ["'", "'"],
      ["E'", "'"],
      ["U&'", "'"],
      ["N'", "'"],
      ["B'", "'"],
      ['$$', '$$'],
      ['$a$', '$a$'],
      ['1 as "', '"'],
      ['/*', '*/ 1'],
      ['1 --', '\n'],
      ["'a'\n'", "'"],
      ["E'a' -- b\n '", "'"],
    ),
    soup,
  )
  .map(([[open, close], inner]) => `select ${open}${inner}${close}`);

const body = fc
  .array(
    fc.constantFrom('select 1', 'select case when true then 1 end', "select ';end'", 'select 1 as case'),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map((parts) => `create or replace function pg_temp.f() returns int begin atomic ${parts.join('; ')}; end`);

const script = fc
  .array(fc.oneof({ weight: 5, arbitrary: literal }, { weight: 1, arbitrary: body }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((parts) => parts.join(';'));

interface Result {
  readonly rows: readonly unknown[];
}

test.each(['on', 'off'])(
  'statements are split as in PostgreSQL with standard_conforming_strings = %s',
  async (setting) => {
    const { database, drop } = await createTestDatabase('bare', async () => {});
    const client = new Client({ connectionString: database.info.url });
    await client.connect();
    const set = `set standard_conforming_strings = ${setting}; set escape_string_warning = off;`;
    await client.query(set);
    const run = async (text: string): Promise<Result[]> =>
      [(await client.query(text)) as Result | Result[]].flat();
    let accepted = 0;
    try {
      await fc.assert(
        fc.asyncProperty(script, async (text) => {
          const whole = await run(text).catch(() => undefined);
          if (whole === undefined) return;
          accepted++;
          const statements = splitStatements(`${set}${text}`).slice(2);
          const alone: Result[] = [];
          for (const statement of statements) {
            if (statement.words.length > 0) alone.push(...(await run(statement.text)));
          }
          expect(alone.map(({ rows }) => rows)).toEqual(whole.map(({ rows }) => rows));
        }),
        { numRuns: 2000 },
      );
      expect(accepted).toBeGreaterThan(300);
    } finally {
      await client.end();
      await drop();
    }
  },
);
