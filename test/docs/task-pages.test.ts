/**
 * Runs the code on the pages about single tasks: the SQL as a migration, the settings, the functions, and the TypeScript
 * with the output that its comments promise. test/package/package.test.ts runs the test on the page about testing.
 */
import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { organizationsMigration } from '../../src/entry/cli/organizations.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { plinth } from '../cli/run-plinth.ts';
import { makeProject } from '../config/project-folder.ts';
import { codeBlocks, joined, promised, readPage, root } from './pages.ts';
import { typeErrors } from './typecheck.ts';

const run = promisify(execFile);

/** Creates a project from the settings, the SQL and the files on a page. */
function projectOf(name: string): string {
  const blocks = codeBlocks(readPage(name));
  const files = blocks.flatMap(({ path, code }) => (path === undefined ? [] : [[path, code] as const]));
  return makeProject({
    'supabase/config.toml': joined(blocks, 'toml'),
    'supabase/migrations/20260101000000_page.sql': joined(blocks, 'sql'),
    ...Object.fromEntries(files),
  });
}

async function startPage(name: string) {
  const backend = await createTestBackend({ projectDir: projectOf(name) });
  onTestFinished(() => backend.stop());
  return backend;
}

/** Runs the page's script, and returns what it printed. */
async function outputOf(name: string, url: string): Promise<string[]> {
  const code = joined(codeBlocks(readPage(name)), 'ts').replaceAll('http://127.0.0.1:54321', url);
  expect(code).toContain(url);
  // Realtime keeps its connection open.
  const script = `${code}\nprocess.exit();`;
  const { stdout } = await run(process.execPath, ['--input-type=module-typescript', '--eval', script], {
    cwd: root,
  });
  return stdout.trim().split('\n');
}

test.each(['start', 'row-level-security', 'realtime', 'storage', 'functions'])(
  'the script on the page %s prints the output in its comments',
  async (name) => {
    const code = joined(codeBlocks(readPage(name)), 'ts');
    expect(promised(code).length).toBeGreaterThan(0);
    expect(typeErrors({ 'page.ts': code })).toBe('');
    const backend = await startPage(name);
    expect(await outputOf(name, backend.url)).toEqual(promised(code));
  },
);

test('the page about functions describes how browsers and webhooks call them', async () => {
  const backend = await startPage('functions');
  const preflight = await backend.fetch('/functions/v1/hello', {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example', 'access-control-request-headers': 'apikey,content-type' },
  });
  expect(preflight.status).toBe(200);
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  expect(preflight.headers.get('access-control-allow-headers')).toContain('content-type');
  const unsigned = await backend.fetch('/functions/v1/webhook', { method: 'POST', body: 'x' });
  expect([unsigned.status, await unsigned.text()]).toEqual([500, 'WEBHOOK_SECRET is missing.']);
});

test('the webhook on the page about functions accepts a valid signature', async () => {
  const projectDir = projectOf('functions');
  writeFileSync(join(projectDir, 'supabase/functions/.env'), 'WEBHOOK_SECRET=secret\n');
  const backend = await createTestBackend({ projectDir });
  onTestFinished(() => backend.stop());
  const signature = createHmac('sha256', 'secret').update('x').digest('hex');
  const send = async (body: string, sent: string) => {
    const init = { method: 'POST', body, headers: { 'x-signature': sent } };
    return (await backend.fetch('/functions/v1/webhook', init)).status;
  };
  expect(await send('x', signature)).toBe(204);
  expect(await send('y', signature)).toBe(401);
  expect(await send('x', 'x')).toBe(401);
});

test('the policies for teams, roles and columns work as the page describes', async () => {
  const backend = await startPage('row-level-security');
  const { createClient } = await import('@supabase/supabase-js');
  const admin = createClient(backend.url, backend.keys.secretKey);
  const signUp = async (email: string, role?: string) => {
    const password = 'correct horse';
    const created = await admin.auth.admin.createUser({
      email,
      password,
      email_confirm: true,
      ...(role === undefined ? {} : { app_metadata: { role } }),
    });
    const client = createClient(backend.url, backend.keys.publishableKey);
    await client.auth.signInWithPassword({ email, password });
    return { client, id: created.data.user?.id };
  };
  const [ada, bob, eve] = [
    await signUp('ada@example.com'),
    await signUp('bob@example.com'),
    await signUp('eve@example.com', 'moderator'),
  ];
  await admin.from('teams').insert({ name: 'Analysts' });
  await admin.from('members').insert([
    { team_id: 1, user_id: ada.id, role: 'admin' },
    { team_id: 1, user_id: bob.id, role: 'member' },
  ]);
  const countOf = async ({ client }: typeof ada, table: string) =>
    (await client.from(table).select()).data?.length;
  expect([await countOf(ada, 'teams'), await countOf(bob, 'members'), await countOf(eve, 'teams')]).toEqual([
    1, 2, 0,
  ]);
  const invited = { team_id: 1, user_id: eve.id };
  expect((await bob.client.from('members').insert(invited)).error?.code).toBe('42501');
  expect((await ada.client.from('members').insert(invited)).error).toBeNull();
  // Without a second factor, members don't see documents.
  await admin.from('documents').insert({ team_id: 1, text: 'Plan' });
  expect(await countOf(ada, 'documents')).toBe(0);

  await ada.client.from('articles').insert({ title: 'Draft' });
  const moved = await ada.client.from('articles').update({ author_id: bob.id }).eq('title', 'Draft');
  expect(moved.error?.code).toBe('42501');
  expect((await bob.client.from('articles').delete().eq('title', 'Draft').select()).data).toEqual([]);
  expect((await eve.client.from('articles').delete().eq('title', 'Draft').select()).data).toHaveLength(1);
});

test('the pgTAP test on the page about testing passes', async () => {
  const cwd = projectOf('testing');
  const { status, stdout, stderr } = await plinth(['test', 'db'], { cwd });
  expect([status, stdout], stderr).toEqual([0, expect.stringContaining('PASS')]);
});

test('the script on the page about organizations prints the output in its comments', async () => {
  const blocks = codeBlocks(readPage('organizations'));
  const code = joined(blocks, 'ts');
  expect(promised(code).length).toBeGreaterThan(0);
  expect(typeErrors({ 'page.ts': code })).toBe('');
  const projectDir = makeProject({
    'supabase/plinth.toml': '[account]\norganizations = true\n',
    'supabase/migrations/20260101000000_organizations.sql': organizationsMigration(),
    'supabase/migrations/20260101000001_page.sql': joined(blocks, 'sql'),
  });
  const backend = await createTestBackend({ projectDir });
  onTestFinished(() => backend.stop());
  expect(await outputOf('organizations', backend.url)).toEqual(promised(code));
});
