/** Tests `supabase` as a second name for the program, so that a project's scripts run unchanged. */
import { exec } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeProject } from '../config/project-folder.ts';

// The timeout is long, because each test starts several processes, some of which create a cluster.
vi.setConfig({ testTimeout: 120_000 });

const root = new URL('../../', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  bin: Record<string, string>;
};

test('a script can start, reset, read from and stop a project', async () => {
  const cwd = makeProject({
    'supabase/config.toml': '',
    'supabase/migrations/001_init.sql': 'create table public.notes (id int primary key);',
  });
  const program = `"${process.execPath}" "${fileURLToPath(new URL(manifest.bin.supabase ?? '', root))}"`;
  const run = async (script: string) =>
    await promisify(exec)(script.replaceAll('supabase ', `${program} `), { cwd });
  onTestFinished(async () => {
    await run('supabase stop').catch(() => undefined);
  });
  const { stdout } = await run(
    'supabase link --project-ref abc && supabase start --port 0 && supabase status -o env && supabase db reset --local' +
      ' && supabase gen types typescript --local && supabase stop --no-backup',
  );
  expect(stdout).toMatch(/^API_URL="http:\/\/127\.0\.0\.1:\d+"$/m);
  expect(stdout).toContain('      notes: {');
});
