/**
 * Tests that backups, restores and verifications don't run a project's code as a superuser, because superusers can
 * start programs. Also tests that a project's rows and a damaged target don't prevent a restore, and that an
 * interrupted check removes its copy.
 */
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, expect, it } from 'vitest';
import { interrupt, makeProject, processesBelow, readAll, run, startServer, startWriter } from './server.ts';

const target = mkdtempSync(join(tmpdir(), 'plinth-target-'));
/**
 * The folder in which each trap creates a file if it runs as a superuser. All users can write to the folder, because
 * PostgreSQL may run as a different user.
 */
const marks = mkdtempSync(join(tmpdir(), 'plinth-marks-'));
chmodSync(marks, 0o777);
const project = makeProject(target);
afterAll(() => {
  project.remove();
  for (const folder of [target, marks]) rmSync(folder, { recursive: true, force: true });
});

/**
 * The traps in the project's database. For example, PostgreSQL runs an index predicate when it plans a query, and a
 * cast when a query converts a row.
 */
const traps = `
create function public.mark(name text) returns void language plpgsql volatile as $$
begin
  execute format('copy (select 1) to program %L', 'touch ${marks}/' || name);
exception when others then null;
end $$;
create function public.trap(name text) returns int language plpgsql immutable as $$
begin
  perform public.mark(name);
  return 1;
end $$;
create index on storage.objects (id) where public.trap('objects') = 1;
create index on public.notes (n) where public.trap('notes') = 1;
create table public.casted (n int);
insert into public.casted values (1);
create function public.to_text(public.casted) returns text language sql as $$ select public.trap('cast')::text $$;
create cast (public.casted as text) with function public.to_text(public.casted);
create function public.hidden() returns boolean language sql as $$ select public.trap('policy') = 0 $$;
alter table public.notes enable row level security;
alter table public.notes force row level security;
create policy hidden on public.notes using (public.hidden());
`;

it('backup, restore and check don’t run project code as a superuser, and report damage', async () => {
  writeFileSync(join(project.dir, 'supabase', 'migrations', '20260102000000_traps.sql'), traps);
  const server = await startServer(project);
  const writer = startWriter(server, { rowsPerSecond: 20, uploadsPerSecond: 5 });
  await expect
    .poll(() => writer.uploads.filter(({ ackedAtMs }) => ackedAtMs !== undefined).length, { timeout: 20_000 })
    .toBeGreaterThan(3);
  await writer.stop();
  const postgres = new pg.Client(server.DB_URL);
  await postgres.connect();
  await postgres.query(`insert into storage.objects (bucket_id, name, version, metadata)
    select bucket_id, 'twin', version, metadata from storage.objects where name = '0.bin'`);
  const { rows } = await postgres.query("select version from storage.objects where name = 'twin'");
  const version: string = rows[0].version;
  await postgres.end();
  expect(await run(project, ['backup'])).toMatchObject({ status: 0, stderr: '' });
  const before = await readAll(server);
  await server.stop();
  expect(readdirSync(marks)).toEqual([]);

  const verified = await run(project, ['backup', 'verify', '--json']);
  expect(verified, verified.stderr).toMatchObject({ status: 0 });
  const report = JSON.parse(verified.stdout);
  // Two rows refer to the same version, so the number of versions is one less than the number of objects.
  expect(report).toMatchObject({ problems: [], objects: before.objects.size - 1 });
  // The check reads all rows, regardless of policies.
  expect(report.rows).toBeGreaterThan(before.rows.size);
  expect(readdirSync(marks)).toEqual([]);

  const dataDir = join(project.dir, 'restored');
  expect(await run(project, ['restore', '--data-dir', dataDir])).toMatchObject({ status: 0 });
  expect(readdirSync(marks)).toEqual([]);
  // In the copy, the project's subscriptions and event triggers are turned off.
  const settings = readFileSync(join(dataDir, 'postgres', 'postgresql.conf'), 'utf8');
  expect(settings).toContain("max_logical_replication_workers = '0'");
  expect(settings).toContain('event_triggers = off');

  truncateSync(join(target, 'bodies', version.slice(0, 2), version), 500);
  const other = join(project.dir, 'damaged');
  const restored = await run(project, ['restore', '--data-dir', other]);
  expect(restored, restored.stderr).toMatchObject({ status: 1 });
  expect(restored.stdout).toContain('Object versions that are damaged in the backup: 1 (');
  const checked = await run(project, ['backup', 'verify']);
  expect(checked).toMatchObject({ status: 1 });
  expect(checked.stdout).toContain('the bytes are damaged');

  // The target contains later WAL of the timeline, but the WAL before this part is missing.
  writeFileSync(join(target, 'wal', '00000001', '00000000f0000000-00000000f0001000-1999999999999'), '');
  const incomplete = join(project.dir, 'incomplete');
  const args = ['restore', '--data-dir', incomplete];
  expect(await run(project, args)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('--allow-gap'),
  });
  const allowed = await run(project, [...args, '--allow-gap']);
  expect(allowed.stdout, allowed.stderr).toContain('Restored base backup');
  expect((await run(project, ['backup', 'verify'])).stdout).toContain('PROBLEM WAL is missing after');
});

it.each([/Restoring base/, /Recovering/, /Restoring objects/, /Reading every/])(
  'an interrupted check (%s) removes its copy and stops its server',
  async (progress) => {
    const work = mkdtempSync(join(tmpdir(), 'plinth-work-'));
    try {
      expect(await interrupt(project, ['backup', 'verify', '--work-dir', work], progress)).toBe(143);
      expect(readdirSync(work)).toEqual([]);
      expect(processesBelow(work)).toEqual([]);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  },
  60_000,
);
