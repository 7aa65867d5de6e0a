import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readScript } from './script.ts';

async function* chunksOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string, size = 7): Promise<(readonly [number, string, string?])[]> {
  const result: (readonly [number, string, string?])[] = [];
  for await (const { line, text: statement, rows } of readScript(chunksOf(text, size))) {
    if (rows === undefined) {
      result.push([line, statement]);
      continue;
    }
    const chunks: Uint8Array[] = [];
    for await (const chunk of rows) chunks.push(Buffer.from(chunk));
    result.push([line, statement, Buffer.concat(chunks).toString()]);
  }
  return result;
}

test('splits statements, function bodies and rows, with the number of the first line', async () => {
  const text = [
    '-- pg_dump',
    '\\restrict abc',
    '',
    'SELECT 1; SELECT 2;',
    'CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$',
    '  select 1;',
    '$$;',
    'CREATE FUNCTION g() RETURNS int BEGIN ATOMIC',
    '  SELECT 1;',
    'END;',
    'COPY public.t (a) FROM stdin;',
    "it's; a row",
    '\\.x',
    '\\.',
    '',
    'SELECT 3;',
    '\\unrestrict abc',
    '-- complete',
    '',
  ].join('\n');
  const expected = [
    [4, 'SELECT 1'],
    [4, 'SELECT 2'],
    [5, 'CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$\n  select 1;\n$$'],
    [8, 'CREATE FUNCTION g() RETURNS int BEGIN ATOMIC\n  SELECT 1;\nEND'],
    [11, 'COPY public.t (a) FROM stdin', "it's; a row\n\\.x\n"],
    [16, 'SELECT 3'],
  ];
  for (const size of [1, 7, 100, 10_000]) expect(await read(text, size)).toEqual(expected);
});

test('an unread row block is skipped', async () => {
  const statements: string[] = [];
  for await (const { text } of readScript(chunksOf('copy t from stdin;\n1\n2\n\\.\nselect 1;\n', 3)))
    statements.push(text);
  expect(statements).toEqual(['copy t from stdin', 'select 1']);
});

test.each([
  ['\\connect other\n', 'command_unsupported', '\\connect'],
  ['select 1;\n\\! rm\n', 'command_unsupported', 'Line 2'],
  ['  \\! rm\n', 'command_unsupported', 'Line 1 is the psql command \\!'],
  ['select 1;\nselect 2 \\g |rm\n', 'command_unsupported', 'Line 2 is the psql command \\g'],
  ['select 1\n\\! rm\n;\n', 'command_unsupported', 'Line 2'],
  ['select 1; \\! rm\n', 'command_unsupported', 'Line 1'],
  ['-- x\r\\! rm\n', 'command_unsupported', '\\!'],
  ['\ufeff\\! rm\n', 'command_unsupported', '\\!'],
  ['select 1', 'incomplete', 'line 1'],
  ["select 1;\nselect 'open;\n", 'incomplete', 'line 2'],
  ['copy t from stdin;\n1\n', 'incomplete', 'line'],
])('%j is rejected', async (text, code, message) => {
  await expect(read(text)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
});

test('rows are passed on unchanged, regardless of the chunk size', async () => {
  const row = fc.string({ unit: 'binary' }).map((text) => text.replaceAll(/[\n\r]/g, ' '));
  const property = fc.asyncProperty(fc.array(row), fc.integer({ min: 1, max: 50 }), async (rows, size) => {
    const lines = rows.filter((line) => line !== '\\.').map((line) => `${line}\n`);
    const [statement] = await read(`copy t from stdin;\n${lines.join('')}\\.\n`, size);
    expect(statement?.[2]).toBe(Buffer.from(lines.join('')).toString());
  });
  await fc.assert(property);
});

test('a backslash inside quotes and comments isn’t a command', async () => {
  const statements = ["select '\\! rm', E'\\\\', $$\\! rm$$ as \"\\x\" /* \\! */", 'select 2 -- \\! rm'];
  const statementsRead = await read(
    `${statements.map((text) => `${text}\n;`).join('\n')}\n-- \\! rm\u2028x;\n`,
  );
  expect(statementsRead.map(([, text]) => text)).toEqual(statements);
});
