/** Tests the MCP clients that people use: upstream's server from npm with `--api-url`, and `plinth mcp`. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBackend } from '../../src/entry/testing.ts';
import type { Backend } from './harness.ts';

// The first test calls every tool of another process.
const features = 'account,database,debugging,development,functions,branching,storage';
const server = 'node_modules/@supabase/mcp-server-supabase/dist/cli.js';

let projectDir: string;
let backend: Backend;
const clients: Client[] = [];

beforeAll(async () => {
  projectDir = mkdtempSync(join(tmpdir(), 'plinth-mcp-npm-'));
  mkdirSync(join(projectDir, 'supabase'));
  backend = await createTestBackend({
    projectDir,
    config: {},
    sql: 'create table public.notes (id int primary key, body text)',
  });
  await backend.consoleLink();
  await backend.operators.createOperator('looker', 'read-only');
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await backend?.stop();
  rmSync(projectDir, { recursive: true, force: true });
});

async function connect(operator: string, more: readonly string[] = []): Promise<Client> {
  const { token } = await backend.operators.tokens.create(`npm ${clients.length}`, operator, 3600);
  const client = new Client({ name: 'test', version: '1.0.0' });
  clients.push(client);
  const args = [
    server,
    '--api-url',
    backend.console.url,
    '--access-token',
    token,
    '--features',
    features,
    ...more,
  ];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  return client;
}

async function use(client: Client, name: string, input: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: input });
  const [content] = result.content as { type: string; text: string }[];
  return { isError: result.isError === true, text: content?.text ?? '' };
}

test('every tool of the server from npm works or says why it does not', async () => {
  const client = await connect('owner');
  const names = (await client.listTools()).tools.map(({ name }) => name);
  const json = async (name: string, input?: Record<string, unknown>) => {
    names.splice(names.indexOf(name), 1);
    const { isError, text } = await use(client, name, input);
    expect(isError, `${name}: ${text}`).toBe(false);
    return JSON.parse(text);
  };
  const refused = async (name: string, input: Record<string, unknown>, message: string) => {
    names.splice(names.indexOf(name), 1);
    expect(await use(client, name, input), name).toEqual({
      isError: true,
      text: expect.stringContaining(message),
    });
  };
  const { organizations } = await json('list_organizations');
  expect(organizations).toEqual([{ id: 'plinth', slug: 'plinth', name: 'Plinth' }]);
  expect(await json('get_organization', { id: 'plinth' })).toMatchObject({ name: 'Plinth' });
  const [{ id }] = (await json('list_projects')).projects;
  const of = { project_id: id };
  expect(await json('get_project', { id })).toMatchObject({ status: 'ACTIVE_HEALTHY' });
  await json('get_cost', { type: 'branch', organization_id: 'plinth' });
  const { confirmation_id: confirmed } = await json('confirm_cost', {
    type: 'branch',
    recurrence: 'hourly',
    amount: 0.01344,
  });
  await refused(
    'create_branch',
    { ...of, name: 'x', confirm_cost_id: confirmed },
    "can't start other servers",
  );
  expect(await json('list_branches', of)).toMatchObject({ branches: [{ name: 'main' }] });
  for (const name of ['delete_branch', 'merge_branch', 'reset_branch', 'rebase_branch'])
    await refused(name, { branch_id: 'none' }, "can't start other servers");
  names.splice(names.indexOf('create_project'), 1);
  await refused('pause_project', of, "can't be paused");
  await refused('restore_project', of, "can't be paused");

  await json('apply_migration', {
    ...of,
    name: 'add_todos',
    query: 'create table public.todos (id int primary key)',
  });
  expect((await json('list_migrations', of)).migrations).toMatchObject([{ name: 'add_todos' }]);
  expect((await json('list_tables', { ...of, schemas: [] })).tables.length).toBeGreaterThan(2);
  await json('list_extensions', of);
  expect(
    (await json('execute_sql', { ...of, query: "insert into notes values (1, 'x') returning id" })).result,
  ).toContain('[{"id":1}]');
  await json('query_logs', { ...of, sql: 'select count() as n from logs' });
  const services = [
    'api',
    'postgres',
    'edge-function',
    'edge-function-runtime',
    'auth',
    'storage',
    'realtime',
    'branch-action',
  ];
  for (const service of services)
    expect((await use(client, 'get_logs', { ...of, service })).isError, service).toBe(false);
  await json('get_advisors', { ...of, type: 'performance' });
  await json('get_project_url', of);
  expect((await json('get_publishable_keys', of)).keys).toHaveLength(2);
  expect((await json('generate_typescript_types', of)).types).toContain('todos');

  const file = (content: string) => [{ name: 'index.ts', content }];
  const deployed = { ...of, name: 'hello', entrypoint_path: 'index.ts', verify_jwt: false };
  await json('deploy_edge_function', { ...deployed, files: file('Deno.serve(() => new Response("one"))') });
  await use(client, 'deploy_edge_function', {
    ...deployed,
    files: file('Deno.serve(() => new Response("two"))'),
  });
  expect((await json('list_edge_functions', of)).functions).toMatchObject([{ slug: 'hello', version: 2 }]);
  expect((await json('get_edge_function', { ...of, function_slug: 'hello' })).files).toMatchObject([
    { name: 'index.ts' },
  ]);
  expect(await (await backend.fetch('/functions/v1/hello')).text()).toBe('two');

  expect(await json('list_storage_buckets', of)).toEqual({ buckets: [] });
  const { features: storageFeatures } = await json('get_storage_config', of);
  const config = {
    fileSizeLimit: 1_048_576,
    features: {
      imageTransformation: { enabled: storageFeatures.imageTransformation.enabled },
      s3Protocol: { enabled: storageFeatures.s3Protocol.enabled },
    },
  };
  await json('update_storage_config', { ...of, config });
  // The test backend doesn't load the changed settings.
  expect(readFileSync(join(projectDir, 'supabase/config.toml'), 'utf8')).toMatch(
    /file_size_limit = .?(1MiB|1048576)/,
  );
  expect(names).toEqual([]);
});

test('a read-only token changes nothing with the server from npm', async () => {
  for (const client of [await connect('looker'), await connect('owner', ['--read-only'])]) {
    const [{ id }] = JSON.parse((await use(client, 'list_projects')).text).projects;
    const of = { project_id: id };
    expect((await use(client, 'list_tables', of)).isError).toBe(false);
    const attempts: [string, object][] = [
      ['execute_sql', { query: 'delete from notes' }],
      ['execute_sql', { query: 'select 1; commit; delete from notes' }],
      ['apply_migration', { name: 'x', query: 'drop table notes' }],
      ['deploy_edge_function', { name: 'x', files: [{ name: 'index.ts', content: '' }] }],
    ];
    for (const [name, input] of attempts)
      expect((await use(client, name, { ...of, ...input })).isError, name).toBe(true);
  }
});
