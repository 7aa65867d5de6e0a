/** Runs every command of docs/operate.md in a temporary project, in the order of the page. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase } from '../../src/platform/database/testing.ts';
import { makeProject, type RunningServer, run, startServer } from '../backup/server.ts';
import { blocksOf, commandLines, readPage, wordsOf } from './pages.ts';

const page = readPage('operate');
const lines = commandLines(page);

/** The commands that this test doesn't run, with the test that covers each. */
const elsewhere: Readonly<Record<string, string>> = {
  'npm run build': 'runs before every test',
  'npm run serve -- --workdir project': 'the server of this test, without the build',
  'git pull': 'Git',
  "zstdcat .plinth/logs/plinth-*.log.zst | jq 'select(.status >= 500)'":
    'src/platform/telemetry/history/history.test.ts',
  'plinth serve --workers auto': 'test/cli/workers.test.ts',
  'export PLINTH_SECRET=…': 'test/group/nodes.test.ts',
  'export PLINTH_DATABASE_URL=postgresql://app:…@db.internal/app': 'test/group/nodes.test.ts',
  'plinth serve': 'test/group/nodes.test.ts',
  'plinth serve --database-url postgresql://app@db.internal/app': 'test/database/external-backend.test.ts',
};

const target = mkdtempSync(join(tmpdir(), 'plinth-target-'));
const project = makeProject(target);
const otherProject = makeProject(undefined);
let server: RunningServer;
let other: RunningServer;
/** A point in time to which the server can be restored. */
let recoverable = '';

beforeAll(async () => {
  // The dump must be restored into an empty project.
  rmSync(join(otherProject.dir, 'supabase', 'migrations'), { recursive: true });
  writeFileSync(join(otherProject.dir, 'supabase', 'config.toml'), 'project_id = "other"\n');
  [server, other] = await Promise.all([startServer(project, undefined, 'serve'), startServer(otherProject)]);
});
afterAll(async () => {
  await server?.stop();
  await other?.stop();
  for (const { remove } of [project, otherProject]) remove();
  rmSync(target, { recursive: true, force: true });
});

it('every command is run here or covered elsewhere', () => {
  const isOurs = (line: string): boolean => line.startsWith('plinth ');
  expect(lines.filter((line) => !isOurs(line) && elsewhere[line] === undefined)).toEqual([]);
  expect(Object.keys(elsewhere).filter((line) => !lines.includes(line))).toEqual([]);
});

/** Returns a command's arguments, with the page's addresses and files replaced by those of this test. */
function substituted(line: string): string[] {
  const restored = join(project.dir, 'restored');
  return wordsOf(line)
    .slice(1)
    .map((word) => {
      if (word.startsWith('s3://')) return target;
      if (word === '2026-11-24T10:15:00Z') return recoverable;
      if (word === 'restored') return restored;
      if (word === 'dump.sql') return join(project.dir, 'dump.sql');
      return word.startsWith('postgresql://') ? other.DB_URL : word;
    });
}

it.each(lines.filter((line) => line.startsWith('plinth ') && elsewhere[line] === undefined))(
  '%s runs',
  async (line) => {
    if (line.startsWith('plinth restore')) {
      const listed = JSON.parse((await run(project, ['backup', 'list', '--json'])).stdout);
      recoverable = listed.at(-1).newest_recoverable;
    }
    const args = substituted(line);
    const result = await run(project, args);
    // `doctor` may fail, because the test's database lacks features that it checks.
    const allowed = args[0] === 'doctor' ? [0, 1] : [0];
    expect(allowed, `${result.stdout}\n${result.stderr}`).toContain(result.status);
    expect(result.stdout + result.stderr).not.toBe('');
  },
  120_000,
);

it('the SQL for an external server runs', async () => {
  const { database, drop } = await createTestDatabase('operate');
  const admin = database.pool('supabase_admin');
  try {
    const statements = blocksOf(page, 'sql')
      .flatMap((code) => code.trim().split(/;\s*/))
      .filter((text) => text !== '');
    expect(statements.length).toBeGreaterThan(1);
    for (const statement of statements) await admin.exec(statement);
  } finally {
    await admin.exec('drop database if exists app');
    await admin.exec('drop role if exists app');
    await drop();
  }
});
