/**
 * Tests that the running server knows the new schema as soon as a command has finished. The files turn off Plinth's
 * event triggers, which otherwise notify the server, as data dumps do.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SharedProject, startSharedProject } from './shared-project.ts';

let project: SharedProject;
beforeAll(async () => {
  project = await startSharedProject({ 'supabase/config.toml': '' });
});
afterAll(() => project?.stop());

const migration = (table: string) =>
  `set session_replication_role = replica;
   create extension if not exists cube;
   create table public.${table} (id int primary key);`;

const statusOf = async (table: string): Promise<number> => {
  const { API_URL, SERVICE_ROLE_KEY } = project.status;
  const response = await fetch(`${API_URL}/rest/v1/${table}`, {
    headers: { apikey: SERVICE_ROLE_KEY ?? '', authorization: `Bearer ${SERVICE_ROLE_KEY}` },
  });
  await response.arrayBuffer();
  return response.status;
};

test('migration up', async () => {
  project.write('supabase/migrations/20260101000000_a.sql', migration('a'));
  const { status, stderr } = await project.run(['migration', 'up']);
  expect([status, stderr]).toEqual([0, expect.not.stringContaining('new schema')]);
  expect(await statusOf('a')).toBe(200);
});

test('migration up, if a later migration fails', async () => {
  project.write('supabase/migrations/20260102000000_b.sql', migration('b'));
  const failing = project.write('supabase/migrations/20260103000000_c.sql', 'select nonsense');
  expect((await project.run(['migration', 'up'])).status).toBe(1);
  expect(await statusOf('b')).toBe(200);
  project.write(failing.slice(project.cwd.length + 1), 'select 1');
});

test('db push', async () => {
  project.write('supabase/migrations/20260104000000_d.sql', migration('d'));
  const { status, stderr } = await project.run([
    'db',
    'push',
    '--db-url',
    project.status.DB_URL ?? '',
    '--yes',
  ]);
  expect([status, stderr]).toEqual([0, expect.not.stringContaining('new schema')]);
  expect(await statusOf('d')).toBe(200);
});

test('db restore', async () => {
  const { status } = await project.run(['db', 'restore', '-'], { stdin: migration('e') });
  expect(status).toBe(0);
  expect(await statusOf('e')).toBe(200);
});

test('db reset', async () => {
  project.write('supabase/migrations/20260105000000_f.sql', migration('f'));
  expect((await project.run(['db', 'reset'])).status).toBe(0);
  expect(await statusOf('f')).toBe(200);
});
