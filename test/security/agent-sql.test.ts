/**
 * Attacks the read-only mode of agents: SQL through `execute_sql` and through the Management API, and SQL in the other
 * inputs of tools.
 */
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { projectRefOf } from '../../src/base/shared/project-ref.ts';
import { attackedObjects, attackedState, forbiddenSql } from '../console/forbidden-sql.ts';
import { type Backend, startWithUser } from '../console/harness.ts';
import { callTool, connectMcp } from '../console/mcp-session.ts';

let backend: Backend;
let hash: string;
const tokens: Record<string, string> = {};
const clients: Record<string, Client> = {};
const sessions = {
  'a session of an owner that didn’t ask for changes': ['owner', ''],
  'a session of a read-only operator that asks for changes': ['looker', '?read_only=false'],
} as const;

beforeAll(async () => {
  ({ backend } = await startWithUser());
  await backend.database.pool('postgres').exec(attackedObjects);
  hash = (await rows<{ hash: string }>('select encrypted_password as hash from auth.users'))[0]?.hash ?? '';
  for (const name of ['owner', 'looker'])
    tokens[name] = (await backend.operators.tokens.create(name, name, 3600)).token;
  for (const [session, [who, query]] of Object.entries(sessions))
    clients[session] = await connectMcp(backend, tokens[who] ?? '', query);
});
afterAll(async () => {
  for (const client of Object.values(clients)) await client.close();
  await backend?.stop();
});

const rows = <Row extends object>(text: string): Promise<readonly Row[]> =>
  backend.database.pool('supabase_admin').query<Row>(sql.raw(text));
const state = () => rows(attackedState);

/** Runs SQL through the Management API. */
async function query(who: string, path: string, body: object): Promise<{ status: number; text: string }> {
  const response = await backend.console.fetch(
    `/v1/projects/${projectRefOf(backend.config.project_id)}/database/${path}`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens[who]}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    },
  );
  return { status: response.status, text: await response.text() };
}

describe.each(Object.keys(sessions))('%s', (session) => {
  const client = () => clients[session] as Client;

  test('can run queries', async () => {
    const { text, isError } = await callTool(client(), 'execute_sql', {
      query: 'select title from public.tasks where id = 7',
    });
    expect([text, isError]).toEqual([expect.stringContaining('Task 7'), false]);
  });

  test.each(forbiddenSql)('can’t run %s', async (text) => {
    const before = await state();
    const result = await callTool(client(), 'execute_sql', { query: text });
    expect(result).toMatchObject({ isError: true });
    // Another error would hide that the statement isn't refused.
    expect(result.text).not.toContain('does not exist');
    expect(result.text).not.toContain(hash);
    expect(await state()).toEqual(before);
  });

  const injected = [
    `'; delete from public.tasks; --`,
    `public'); select public.tidy(); --`,
    '"; drop table x;',
  ];
  test.each([
    ...injected.flatMap((text): [string, object][] => [
      ['list_tables', { schemas: [text] }],
      ['list_tables', { schemas: ['public', text], verbose: true }],
      ['explain_access', { table: text, user: 'anon', key: { id: 1 } }],
      ['explain_access', { schema: text, table: 'tasks', user: 'anon', key: { id: 1 } }],
      ['explain_access', { table: 'tasks', user: text, key: { id: 1 } }],
      ['explain_access', { table: 'tasks', user: 'anon', key: { id: text } }],
      ['explain_access', { table: 'tasks', user: 'anon', key: { [text]: 1 } }],
      ['explain_request', { request_id: text }],
      ['query_logs', { sql: `select * from logs where source = ${text}` }],
      ['query_logs', { sql: `select ${text}` }],
      ['get_advisors', { type: text }],
      ['get_edge_function', { function_slug: text }],
    ]),
    ['query_logs', { sql: 'select * from auth.users' }],
    ['query_logs', { sql: 'insert into logs values (1)' }],
    ['execute_sql', { query: 'select 1', read_only: false }],
    ['execute_sql', { query: 'delete from public.tasks', parameters: [] }],
  ] as [string, Record<string, unknown>][])('changes and reveals nothing with %s %j', async (name, input) => {
    const before = await state();
    const { text } = await callTool(client(), name, input);
    expect(text).not.toContain(hash);
    expect(await state()).toEqual(before);
  });

  test('can’t reach the tables of auth by way of the list of tables', async () => {
    const { text } = await callTool(client(), 'list_tables', { schemas: ['auth', 'vault'], verbose: true });
    expect(text).not.toContain(hash);
    expect(text).not.toContain('ada@example.com');
  });
});

describe('the Management API', () => {
  const ways: [string, string, string, object][] = [
    ['the read-only path', 'owner', 'query/read-only', {}],
    ['the option read_only', 'owner', 'query', { read_only: true }],
    ['a read-only operator', 'looker', 'query', {}],
    ['a read-only operator who sends read_only: false', 'looker', 'query', { read_only: false }],
    ['the read-only path and read_only: false', 'owner', 'query/read-only', { read_only: false }],
  ];
  test.each(ways)('refuses all of these statements to %s', async (_name, who, path, body) => {
    const allowed = await query(who, path, { query: 'select 1 as one', ...body });
    expect(allowed).toMatchObject({ status: 201, text: '[{"one":1}]' });
    const before = await state();
    for (const text of forbiddenSql) {
      const answer = await query(who, path, { query: text, ...body });
      expect([text, answer.status]).toEqual([
        text,
        expect.toSatisfy((status) => status >= 400 && status < 500),
      ]);
      expect(answer.text).not.toContain(hash);
    }
    expect(await state()).toEqual(before);
  });

  test('refuses parameters that would become SQL', async () => {
    const before = await state();
    const parameters = [`'); select public.tidy(); --`];
    const answer = await query('looker', 'query', { query: 'select $1::text as a', parameters });
    expect(JSON.parse(answer.text)).toEqual([{ a: parameters[0] }]);
    expect(await state()).toEqual(before);
  });
});

test('functions’ sources are shown without secrets, and complete to sessions that can change them', async () => {
  const { serviceRoleKey, secretKey, jwtSecret, s3, anonKey } = backend.keys;
  const secrets = [serviceRoleKey, secretKey, jwtSecret, s3.secretAccessKey, `sb_secret_${'x'.repeat(31)}`];
  const source = `${[...secrets, 'postgresql://postgres:hush-hush@db/postgres', anonKey].map((secret) => `// ${secret}`).join('\n')}
    Deno.serve(() => new Response('ok'));`;
  const writing = await connectMcp(backend, tokens.owner ?? '', '?read_only=false');
  clients.writing = writing;
  const deployed = await callTool(writing, 'deploy_edge_function', {
    name: 'keyed',
    entrypoint_path: 'index.ts',
    files: [
      { name: 'index.ts', content: source },
      { name: 'lib/keys.ts', content: source },
    ],
  });
  expect(deployed, deployed.text).toMatchObject({ isError: false });
  for (const session of Object.keys(sessions)) {
    const { text } = await callTool(clients[session] as Client, 'get_edge_function', {
      function_slug: 'keyed',
    });
    const { files } = JSON.parse(text) as { files: { name: string; content: string }[] };
    expect(files.map(({ name }) => name).sort()).toEqual(['index.ts', 'lib/keys.ts']);
    for (const secret of [...secrets, 'hush-hush']) expect(text).not.toContain(secret);
    // The publishable part and the program are still readable.
    for (const { content } of files) {
      expect(content).toContain(anonKey);
      expect(content).toContain(`Deno.serve(() => new Response('ok'));`);
    }
  }
  const { text } = await callTool(writing, 'get_edge_function', { function_slug: 'keyed' });
  const { files } = JSON.parse(text) as { files: { content: string }[] };
  for (const { content } of files) expect(content).toBe(source);
});
