/**
 * Calls every tool with the command-line interface of the MCP inspector, `@modelcontextprotocol/inspector` from npm
 * (2.12). MCP_INSPECTOR is the path to its program `mcp-inspector`.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createTestBackend } from '../../src/entry/testing.ts';
import type { Backend } from './harness.ts';

// Each call starts a process.
vi.setConfig({ testTimeout: 600_000 });

const program = process.env.MCP_INSPECTOR;
const features = 'docs,database,debugging,development,functions,branching,storage';

describe.skipIf(program === undefined)('the MCP inspector', () => {
  let backend: Backend;
  let projectDir: string;
  let token: string;

  beforeAll(async () => {
    projectDir = mkdtempSync(join(tmpdir(), 'plinth-inspector-'));
    mkdirSync(join(projectDir, 'supabase/tests'), { recursive: true });
    writeFileSync(
      join(projectDir, 'supabase/tests/notes_test.sql'),
      `begin; select plan(1); select has_table('public', 'notes', 'notes exist'); select * from finish(); rollback;`,
    );
    backend = await createTestBackend({
      projectDir,
      config: {},
      sql: `create table public.notes (id int primary key, body text);
            alter table public.notes enable row level security;
            create policy everyone on public.notes for select to anon using (true);
            insert into public.notes values (1, 'Buy milk');`,
    });
    await backend.consoleLink();
    ({ token } = await backend.operators.tokens.create('inspector', 'owner', 3600));
  });
  afterAll(async () => {
    await backend?.stop();
    rmSync(projectDir, { recursive: true, force: true });
  });

  /** Runs the program, and returns what it prints. It exits with an error if a tool reports one. */
  const inspect = (...args: string[]): Promise<string> =>
    new Promise((resolve) => {
      const url = `${backend.console.url}/mcp?read_only=false&features=${features}`;
      const options = ['--cli', url, '--header', `Authorization: Bearer ${token}`, ...args];
      const env = { ...process.env, HOME: projectDir };
      execFile(program ?? '', options, { env }, (_error, stdout, stderr) => resolve(stdout || stderr));
    });

  test('lists and calls every tool', async () => {
    const response = await backend.fetch('/rest/v1/notes', { headers: { apikey: backend.keys.anonKey } });
    const requestId = response.headers.get('x-request-id') ?? '';
    const { tools } = JSON.parse(await inspect('--method', 'tools/list')) as { tools: { name: string }[] };
    /** The arguments of each tool, and a text in its result. */
    const calls: Record<string, [args: object, text: string]> = {
      list_tables: [{ schemas: ['public'] }, 'public.notes'],
      list_extensions: [{}, 'pgcrypto'],
      apply_migration: [{ name: 'added', query: 'create table public.added (id int)' }, 'success'],
      list_migrations: [{}, 'added'],
      execute_sql: [{ query: 'select body from notes' }, 'Buy milk'],
      query_logs: [{ sql: 'select count() as n from logs' }, 'untrusted-data'],
      get_advisors: [{ type: 'security' }, 'rls_disabled_in_public'],
      explain_access: [{ table: 'notes', user: 'anon', key: { id: 1 } }, 'allowed'],
      explain_request: [{ request_id: requestId }, '/rest/v1/notes'],
      test_policy: [{ table: 'notes', sql: 'drop policy everyone on notes' }, 'loses'],
      get_project_url: [{}, backend.url],
      get_publishable_keys: [{}, backend.keys.publishableKey],
      generate_typescript_types: [{}, 'notes: {'],
      read_inbox: [{}, 'messages'],
      run_tests: [{}, 'notes_test.sql'],
      deploy_edge_function: [
        {
          name: 'hello',
          entrypoint_path: 'index.ts',
          verify_jwt: false,
          files: [{ name: 'index.ts', content: 'Deno.serve(() => new Response("hello"));' }],
        },
        'hello',
      ],
      list_edge_functions: [{}, 'hello'],
      get_edge_function: [{ function_slug: 'hello' }, 'Deno.serve'],
      list_branches: [{}, 'main'],
      // A backend in a test has no branches.
      create_branch: [{ name: 'x' }, "can't start other servers"],
      delete_branch: [{ branch_id: 'x' }, "can't start other servers"],
      merge_branch: [{ branch_id: 'x' }, "can't start other servers"],
      reset_branch: [{ branch_id: 'x' }, "can't start other servers"],
      rebase_branch: [{ branch_id: 'x' }, "can't start other servers"],
      list_storage_buckets: [{}, 'buckets'],
      get_storage_config: [{}, 'fileSizeLimit'],
      update_storage_config: [
        {
          config: {
            fileSizeLimit: 1_048_576,
            features: { imageTransformation: { enabled: true }, s3Protocol: { enabled: true } },
          },
        },
        'success',
      ],
      search_docs: [{ graphql_query: '{ searchDocs(query: "backup") { nodes { title } } }' }, 'Backup'],
    };
    expect(tools.map(({ name }) => name).sort()).toEqual(Object.keys(calls).sort());
    for (const [name, [args, text]] of Object.entries(calls)) {
      const pairs = Object.entries(args).map(
        ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
      );
      const printed = await inspect(
        '--method',
        'tools/call',
        '--tool-name',
        name,
        ...pairs.flatMap((pair) => ['--tool-arg', pair]),
      );
      expect(printed, name).toContain(text);
    }
  });
});
