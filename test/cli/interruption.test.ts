/** Tests that a signal that ends a command also ends the PostgreSQL server that the command started. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { processesIn } from '../../src/platform/database/embedded/lock.ts';
import { spawnPlinth } from './run-plinth.ts';

let cwd: string;
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'plinth-interruption-')));
  for (const [name, text] of Object.entries({
    'supabase/config.toml': '',
    'supabase/migrations/1_slow.sql': 'create table public.notes (id int);',
    'supabase/tests/slow.sql': 'select pg_sleep(80);',
    'types.ts': `export type Database = { public: {
      Tables: { items: { Row: { id: string }; Insert: { id?: string }; Update: { id?: string }; Relationships: [] } };
      Views: {}; Functions: {}; Enums: {}; CompositeTypes: {} } };`,
  })) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  mkdirSync(join(cwd, 'tmp'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

/**
 * Returns the process IDs of the command's PostgreSQL servers, which use the project's data folder and temporary data
 * folders.
 */
function servers(): number[] {
  const scratch = readdirSync(join(cwd, 'tmp'));
  const folders = [join(cwd, '.plinth'), ...scratch.flatMap((name) => subfolders(join(cwd, 'tmp', name)))];
  return folders.flatMap((folder) => processesIn(join(folder, 'postgres')));
}

const subfolders = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];

async function interrupted(args: string[], signal: NodeJS.Signals, isBusy: (output: string) => boolean) {
  const child = spawnPlinth(args, { cwd, env: { TMPDIR: join(cwd, 'tmp') } });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  await vi.waitFor(
    () => {
      expect(isBusy(output)).toBe(true);
      expect(servers()).not.toEqual([]);
    },
    { timeout: 60_000, interval: 10 },
  );
  child.kill(signal);
  return { status: await closed, output };
}

const always = () => true;

test.each([
  ['db baseline', ['db', 'baseline', '--from-types', 'types.ts'], 'SIGTERM', 143, always],
  ['gen types during startup', ['gen', 'types'], 'SIGTERM', 143, always],
  ['test db', ['test', 'db'], 'SIGINT', 130, (output: string) => output.includes('1_slow.sql')],
] as const)(
  'a signal during %s ends the command and its PostgreSQL',
  async (_, args, signal, expected, isBusy) => {
    const { status, output } = await interrupted([...args], signal, isBusy);
    expect(status).toBe(expected);
    expect(output).not.toMatch(/error|terminat/i);
    expect(servers()).toEqual([]);
    expect(readdirSync(join(cwd, 'tmp')).filter((name) => name.startsWith('plinth-scratch'))).toEqual([]);
    expect(existsSync(join(cwd, '.plinth', 'lock'))).toBe(false);
  },
);
