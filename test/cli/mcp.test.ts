/** Tests `plinth mcp` with the official client, as agents start it. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { makeProject } from '../config/project-folder.ts';
import { bin, plinth } from './run-plinth.ts';

async function connect(cwd: string, ...args: string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [bin, 'mcp', ...args],
      cwd,
      stderr: 'inherit',
    }),
  );
  onTestFinished(() => client.close());
  return client;
}

const namesOf = async (client: Client): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);

async function use(client: Client, name: string, input: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const [first] = content as { text: string }[];
  return { text: first?.text ?? '', isError: isError === true };
}

test('an agent reads and, if allowed, changes the project of its folder', async () => {
  const cwd = makeProject({ 'supabase/config.toml': 'project_id = "mcp"' });
  const refused = await plinth(['mcp'], { cwd });
  expect([refused.status, refused.stdout]).toEqual([1, '']);
  onTestFinished(async () => {
    await plinth(['stop'], { cwd });
  });
  expect((await plinth(['start', '--detach', '--port', '0', '--json'], { cwd })).status).toBe(0);

  const reader = await connect(cwd);
  expect(await namesOf(reader)).not.toContain('apply_migration');
  expect(JSON.parse((await use(reader, 'list_tables')).text)).toEqual({ tables: [] });
  const migration = { name: 'create_notes', query: 'create table public.notes (id int primary key)' };
  expect(await use(reader, 'apply_migration', migration)).toMatchObject({ isError: true });

  const writer = await connect(cwd, '--write', '--features', 'database,docs');
  expect(await namesOf(writer)).toContain('apply_migration');
  expect(await namesOf(writer)).not.toContain('get_advisors');
  expect(await use(writer, 'apply_migration', migration)).toMatchObject({ isError: false });
  expect(readdirSync(join(cwd, 'supabase/migrations'))).toEqual([
    expect.stringMatching(/_create_notes\.sql$/),
  ]);
  expect(JSON.parse((await use(reader, 'list_tables')).text).tables).toMatchObject([
    { name: 'public.notes' },
  ]);
});
