/** Runs the upstream CLI commands that docs/compatibility.md lists, with upstream's original program from npm. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Backend } from '../../src/main.ts';
import { createTestBackend } from '../../src/testing.ts';
import { makeProject } from '../config/project-folder.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const page = readFileSync(new URL('../../docs/compatibility.md', import.meta.url), 'utf8');
const commands = [...page.matchAll(/^- `supabase (.+?)`/gm)].map(([, command = '']) => command);
const program = process.env.SUPABASE_CLI;

test('the page lists commands', () => {
  expect(commands.length).toBeGreaterThan(8);
});

describe.skipIf(program === undefined)('the upstream CLI', () => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await createTestBackend();
  });
  afterAll(async () => {
    await backend.stop();
  });

  const supabase = async (command: string): Promise<string> => {
    const url = backend.database.info.url;
    const cwd = makeProject({
      'supabase/config.toml': `[api]\nport = ${new URL(backend.url).port}\n[db]\nport = ${new URL(url).port}\n`,
      'supabase/migrations/20240101000000_a.sql': 'create table if not exists public.pushed (id int);',
    });
    const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    // The test's database isn't named postgres, unlike the local stack's.
    const isOfDatabase = /^(migration|inspect|db (push|query|advisors))/.test(command);
    const args = words.map((word) => word.replace('$DB_URL', url));
    if (isOfDatabase) args.push(`--remote=${url}`);
    const { stdout } = await promisify(execFile)(program ?? '', args, {
      cwd,
      env: { ...process.env, HOME: cwd, DO_NOT_TRACK: '1', SUPABASE_TELEMETRY_DISABLED: '1' },
    });
    return stdout;
  };

  test.each(commands)('supabase %s works', async (command) => {
    await supabase(command);
  });

  test('its advisors report nothing about Plinth’s own schemas', async () => {
    const found = JSON.parse(await supabase('db advisors')) as {
      detail: string;
      metadata: { schema: string };
    }[];
    const ours = found.filter(({ metadata }) => metadata.schema !== 'public');
    expect(ours.map(({ detail }) => detail)).toEqual([]);
  });

  test('its types have the same computed fields as Plinth’s', async () => {
    await backend.database.pool('postgres').exec(`
      create table public.people (id int primary key, first text);
      create function public.shout(people) returns text language sql as $$ select upper($1.first) $$`);
    const theirs = await supabase('gen types --remote=$DB_URL');
    const { generateTypes } = await import('../../src/database/index.ts');
    const ours = await generateTypes(backend.database.info.url, ['public']);
    const fields = (types: string) => types.match(/ComputedFields: .+/g);
    expect(fields(theirs)).toEqual(fields(ours));
  });
});
