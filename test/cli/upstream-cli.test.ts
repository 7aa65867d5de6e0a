/** Runs the upstream CLI commands listed in docs/compatibility.md, with upstream's original program from npm. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { makeProject } from '../config/project-folder.ts';

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
    // Unlike on the local stack, the test's database isn't named postgres, so these commands need its URL.
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
    const { generateTypes } = await import('../../src/platform/database/index.ts');
    const ours = await generateTypes(backend.database.info.url, ['public']);
    const fields = (types: string) => types.match(/ComputedFields: .+/g);
    expect(fields(theirs)).toEqual(fields(ours));
  });
});

describe.skipIf(program === undefined)('the upstream CLI with an access token', () => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await createTestBackend({ config: { plinth: { auth: { saml: { enabled: true } } } } });
  });
  afterAll(async () => {
    await backend.stop();
  });

  test('deploys functions, sets secrets and runs SQL', async () => {
    const { token } = await backend.operators.tokens.create('cli', undefined, 3600);
    const cwd = makeProject({
      'supabase/config.toml': 'project_id = "app"',
      'supabase/functions/_shared/text.ts': `export const text = 'shared';`,
      'supabase/functions/hello/deno.json': '{ "imports": { "text": "../_shared/text.ts" } }',
      'supabase/functions/hello/index.ts': `import { text } from 'text';
        Deno.serve(() => new Response(text + ' ' + Deno.env.get('WHO')));`,
      'supabase/functions/other/index.ts': `Deno.serve(() => new Response('other'));`,
      'profile.yaml': [
        'name: plinth',
        `api_url: ${backend.console.url}`,
        `dashboard_url: ${backend.console.url}/console`,
        'project_host: localhost',
      ].join('\n'),
    });
    const run = async (...args: string[]): Promise<string> => {
      const { stdout } = await promisify(execFile)(program ?? '', ['--profile', 'profile.yaml', ...args], {
        cwd,
        env: {
          ...process.env,
          HOME: cwd,
          SUPABASE_ACCESS_TOKEN: token,
          DO_NOT_TRACK: '1',
          SUPABASE_TELEMETRY_DISABLED: '1',
        },
      });
      return stdout;
    };
    const call = async (slug: string) => {
      const headers = { authorization: `Bearer ${backend.keys.anonKey}` };
      const response = await backend.fetch(`/functions/v1/${slug}`, { headers });
      return `${response.status} ${await response.text()}`;
    };
    const [project] = JSON.parse(await run('projects', 'list', '-o', 'json')) as { ref: string }[];
    await run('link', '--project-ref', project?.ref ?? '');
    await run('functions', 'deploy', '--use-api', '--yes');
    await run('secrets', 'set', 'WHO=ada', '--yes');
    expect([await call('hello'), await call('other')]).toEqual(['200 shared ada', '200 other']);
    expect(JSON.parse(await run('functions', 'list', '-o', 'json'))).toMatchObject([
      { slug: 'hello', version: 1, verify_jwt: true },
      { slug: 'other', version: 1 },
    ]);
    expect(JSON.parse(await run('secrets', 'list', '-o', 'json'))).toMatchObject([{ name: 'WHO' }]);
    await run('functions', 'deploy', 'hello', '--use-api', '--no-verify-jwt', '--yes');
    expect((await backend.fetch('/functions/v1/hello')).status).toBe(200);
    await run('functions', 'download', 'hello', '--use-api', '--yes');
    await run('functions', 'delete', 'other', '--yes');
    expect((await call('other')).slice(0, 3)).toBe('404');
    await run('secrets', 'unset', 'WHO', '--yes');
    expect(await call('hello')).toBe('200 shared undefined');
    expect(JSON.parse(await run('sso', 'list', '-o', 'json'))).toEqual({ providers: [] });

    // The commands for the database that use only the API. Others connect to PostgreSQL.
    await run('db', 'query', 'create table public.notes (id int)', '--remote', '--yes');
    await run('db', 'query', 'insert into public.notes values (1)', '--remote', '--yes');
    const read = ['db', 'query', 'select id from public.notes', '--remote', '--read-only', '-o', 'json'];
    expect(await run(...read)).toContain('"id": 1');
    await expect(
      run('db', 'query', 'delete from public.notes', '--remote', '--read-only', '--yes'),
    ).rejects.toThrow('read-only');
    expect(await run('gen', 'types', '--remote')).toContain('notes: {');
    expect(await run('db', 'advisors', '--remote')).toContain('rls_disabled_in_public');
    await expect(run('db', 'push', '--remote', '--yes')).rejects.toThrow();
  }, 300_000);
});
