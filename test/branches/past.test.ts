/** Tests a branch from a backup: the database has the state of the requested time, and no keys of the project. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { startProject, type TestProject } from './project.ts';

const slow = { timeout: 120_000, interval: 200 };
const target = mkdtempSync(join(tmpdir(), 'plinth-branch-backup-'));
let project: TestProject;

beforeAll(async () => {
  project = await startProject({
    'config.toml': 'project_id = "past"\n',
    'plinth.toml': `[backup]\nto = "${target}"\nencryption_key = "${'ab'.repeat(32)}"\n`,
    'migrations/20260101000000_notes.sql': 'create table public.notes (id int primary key);',
  });
});
afterAll(async () => {
  await project?.stop();
  rmSync(target, { recursive: true, force: true, maxRetries: 5 });
});

const now = async (): Promise<string> => {
  const [row] = await project.backend.database
    .pool('postgres')
    .query<{ at: string }>(
      sql`select to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at`,
    );
  return row?.at ?? '';
};

/** Waits until the archive contains this time. */
const archived = (time: string): Promise<void> =>
  vi.waitFor(async () => {
    const backups = (await project.backend.backups?.list()) ?? [];
    expect(backups.at(-1)?.newestMs ?? 0).toBeGreaterThan(Date.parse(time));
  }, slow);

test('contains what was committed until the requested time', { timeout: 180_000 }, async () => {
  const pool = project.backend.database.pool('postgres');
  await pool.exec('truncate public.notes');
  await archived(new Date(0).toISOString());
  await pool.query(sql`insert into public.notes values (1), (2)`);
  const between = await now();
  await pool.query(sql`insert into public.notes values (3)`);
  await archived(await now());
  type Found = { readonly project_ref: string; readonly status: string; readonly problem?: string };
  const name = `past-${Date.now()}`;
  await project.backend.manage('createBranch', { branch_name: name, from_time: between });
  const branch = await vi.waitFor(async () => {
    const found = (await project.backend.manage('findBranch', { name })) as Found;
    expect(found.status).not.toBe('CREATING_PROJECT');
    return found;
  }, slow);
  expect(branch).toMatchObject({ status: 'FUNCTIONS_DEPLOYED', from_time: between, with_data: true });
  const query = { query: 'select id from public.notes order by 1' };
  const rows = await project.backend.manage('runQuery', query, { ref: branch.project_ref });
  expect(rows).toEqual([{ id: 1 }, { id: 2 }]);
  const dataDir = join(project.dir, '.plinth', 'branches', branch.project_ref, 'data');
  for (const name of ['restored-copy', 'restored-project', 'console.key', 'backup'])
    expect(existsSync(join(dataDir, name)), name).toBe(false);
});
