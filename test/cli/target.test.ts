/** Tests the commands `link`, `functions` and `secrets` with a second running Plinth server as their target. */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeProject } from '../config/project-folder.ts';
import { plinth } from './run-plinth.ts';

vi.setConfig({ testTimeout: 300_000 });

type Status = Record<string, string>;

async function startDetached(cwd: string): Promise<Status> {
  onTestFinished(async () => {
    await plinth(['stop'], { cwd });
  });
  const { status, stdout } = await plinth(['start', '--detach', '--port', '0', '--json'], { cwd });
  expect(status).toBe(0);
  return JSON.parse(stdout) as Status;
}

const project = {
  'supabase/config.toml': [
    'project_id = "app"',
    '[functions.open]',
    'verify_jwt = false',
    'import_map = "./maps/open.json"',
    'static_files = ["./functions/open/*.txt"]',
    '[functions.off]',
    'enabled = false',
  ].join('\n'),
  'supabase/functions/_shared/greet.ts': `export const greet = (who: string) => 'Hello ' + who;`,
  'supabase/functions/hello/index.ts': `import { greet } from '../_shared/greet.ts';
    Deno.serve(() => new Response(greet(Deno.env.get('WHO') ?? 'stranger')));`,
  'supabase/functions/hello/unused.ts': 'export {};',
  'supabase/functions/open/index.ts': `import { greet } from 'greet';
    const text = Deno.readTextFileSync(new URL('./note.txt', import.meta.url));
    Deno.serve(() => new Response(greet(text)));`,
  'supabase/functions/open/note.txt': 'file',
  'supabase/maps/open.json': '{ "imports": { "greet": "../functions/_shared/greet.ts" } }',
};

test('functions and secrets can be deployed to a linked server, listed, downloaded and deleted', async () => {
  const server = makeProject({
    'supabase/config.toml': 'project_id = "server"',
    'supabase/functions/own/index.ts': `Deno.serve(() => new Response('own'));`,
  });
  const cwd = makeProject(project);
  const status = await startDetached(server);
  const run = (...args: string[]) => plinth(args, { cwd });
  const call = async (slug: string, authorization?: string) => {
    const response = await fetch(`${status.API_URL}/functions/v1/${slug}`, {
      headers: authorization === undefined ? {} : { authorization },
    });
    return `${response.status} ${await response.text()}`;
  };
  const key = `Bearer ${status.ANON_KEY}`;

  // No server is linked or running yet.
  expect(await run('functions', 'list')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("isn't running"),
  });
  expect(await run('functions', 'list', '--linked')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('plinth link URL'),
  });

  // The test creates an access token and links the server.
  const created = await plinth(['operators', 'token', 'create', 'ci', '--expires', '1h'], { cwd: server });
  const token = created.stdout.trim();
  expect(token).toMatch(/^sbp_[0-9a-f]{40}$/);
  expect(created.stderr).not.toContain(token);
  const url = status.STUDIO_URL ?? '';
  expect(await run('link', url, '--token', 'sbp_x')).toMatchObject({ status: 1 });
  expect(
    await run(
      'link',
      url,
      '--token',
      token.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    ),
  ).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('invalid or was revoked'),
  });
  expect(await run('link', 'http://server.example', '--token', token)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('https'),
  });
  const linked = await run('link', `${url}/console/`, '--token', token);
  expect([linked.status, linked.stdout]).toEqual([0, 'Finished link.\n']);
  const saved = join(cwd, '.plinth/remote.json');
  expect(statSync(saved).mode & 0o777).toBe(0o600);
  const { ref } = JSON.parse(readFileSync(saved, 'utf8')) as { ref: string };
  expect(linked.stderr).toContain(`server (${ref})`);

  // The server generates the types, because the token doesn't give access to the server's database.
  const types = await run('gen', 'types', '--project-id', ref);
  expect(types.stdout).toContain('export type Database');
  expect((await run('gen', 'types', '--project-id', ref, '--lang', 'go')).stdout).toContain(
    'package database',
  );

  // All functions are deployed with the modules that they import.
  const deployed = await run('functions', 'deploy', '--linked', '--use-api');
  expect([deployed.status, deployed.stdout]).toEqual([
    0,
    `Deployed Functions on project ${ref}: hello, open\nYou can inspect your deployment in the Console: ${url}/console/functions\n`,
  ]);
  expect(deployed.stderr).toContain('Skipping disabled Function: off');
  expect(deployed.stderr).toContain('Uploading asset (hello): supabase/functions/_shared/greet.ts');
  expect(deployed.stderr).not.toContain('unused.ts');
  expect(await call('hello', key)).toBe('200 Hello stranger');
  expect((await call('hello')).slice(0, 3)).toBe('401');
  expect(await call('open')).toBe('200 Hello file');

  // Windows PowerShell writes UTF-16.
  const variables = Buffer.from('\uFEFFFROM_FILE=1#2 # comment\r\nWHO=file\r\n', 'utf16le');
  writeFileSync(join(cwd, '.env.remote'), variables);
  const set = await run(
    'secrets',
    'set',
    '--linked',
    '--env-file',
    '.env.remote',
    'WHO=secret',
    'SUPABASE_X=1',
  );
  expect([set.status, set.stdout]).toEqual([0, 'Finished secrets set.\n']);
  expect(set.stderr).toContain('Env name cannot start with SUPABASE_, skipping: SUPABASE_X');
  expect(await call('hello', key)).toBe('200 Hello secret');
  const secrets = JSON.parse((await run('secrets', 'list', '--linked', '-o', 'json')).stdout);
  expect(secrets).toMatchObject([
    { name: 'FROM_FILE' },
    { name: 'WHO', value: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ]);
  expect((await run('secrets', 'list', '--linked')).stdout).toContain('FROM_FILE | ab09e003');
  expect(await run('secrets', 'set', '--linked', 'BAD')).toMatchObject({ status: 1 });
  expect(await run('secrets', 'set', '--linked')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('No arguments found'),
  });

  const list = await run('functions', 'list', `--project-ref=${ref}`, '-o', 'json');
  expect(JSON.parse(list.stdout)).toMatchObject([
    { slug: 'hello', version: 1, verify_jwt: true, source: 'deployed' },
    { slug: 'open', version: 1, verify_jwt: false, import_map: true },
    { slug: 'own', source: 'project folder' },
  ]);
  expect((await run('functions', 'list', '--linked')).stdout).toMatch(/ID +\| NAME +\| SLUG/);
  expect((await run('functions', 'list', '--linked', '-o', 'yaml')).stdout).toContain('slug: hello');
  expect((await run('functions', 'list', '--linked', '-o', 'env')).status).toBe(2);
  expect((await run('functions', 'list', '--project-ref', 'a'.repeat(20))).status).toBe(1);

  // The downloaded files are stored in their original locations.
  for (const name of ['functions/hello', 'functions/_shared'])
    rmSync(join(cwd, 'supabase', name), { recursive: true });
  expect((await run('functions', 'download', 'hello', '--linked')).status).toBe(0);
  for (const name of ['functions/hello/index.ts', 'functions/_shared/greet.ts'] as const)
    expect(readFileSync(join(cwd, 'supabase', name), 'utf8')).toBe(project[`supabase/${name}`]);
  expect((await run('functions', 'download', 'own', '--linked')).stderr).toContain('project folder');

  // A second version is deployed without token verification, and other functions are pruned.
  mkdirSync(join(cwd, 'supabase/functions/extra'));
  writeFileSync(join(cwd, 'supabase/functions/extra/index.ts'), `Deno.serve(() => new Response('extra'));`);
  expect((await run('functions', 'deploy', 'hello', 'extra', '--linked', '--no-verify-jwt')).status).toBe(0);
  expect(await call('hello')).toBe('200 Hello secret');
  rmSync(join(cwd, 'supabase/functions/extra'), { recursive: true });
  const refused = await run('functions', 'deploy', 'hello', '--linked', '--prune');
  expect([refused.status, (await call('extra')).slice(0, 3)]).toEqual([1, '200']);
  const pruned = await run('functions', 'deploy', '--linked', '--prune', '--yes');
  expect(pruned.stderr).toContain('Deleting Function: extra');
  expect((await call('extra')).slice(0, 3)).toBe('404');
  expect(await call('own', key)).toBe('200 own');

  expect((await run('functions', 'delete', 'hello', '--linked')).stdout).toBe(
    `Deleted Function hello from project ${ref}.\n`,
  );
  expect(await run('functions', 'delete', 'hello', '--linked')).toMatchObject({
    status: 1,
    stderr: 'Function not found\n',
  });
  expect((await run('functions', 'delete', '../x', '--linked')).stderr).toContain('Invalid Function name');
  expect((await run('secrets', 'unset', '--linked', '--yes')).stdout).toBe('Finished secrets unset.\n');
  expect(JSON.parse((await run('secrets', 'list', '--linked', '-o', 'json')).stdout)).toEqual([]);

  // The token is revoked and replaced with a token from the environment.
  expect((await plinth(['operators', 'token', 'list'], { cwd: server })).stdout).toMatch(
    /^ci +owner +owner/m,
  );
  expect((await plinth(['operators', 'token', 'revoke', 'ci'], { cwd: server })).status).toBe(0);
  expect((await run('secrets', 'list', '--linked')).stderr).toContain('invalid or was revoked');
  const other = await plinth(['operators', 'token', 'create', 'other'], { cwd: server });
  const env = { PLINTH_ACCESS_TOKEN: other.stdout.trim() };
  expect((await plinth(['secrets', 'list', '--linked'], { cwd, env })).status).toBe(0);
  expect((await run('unlink')).status).toBe(0);
  expect(existsSync(saved)).toBe(false);
  expect((await plinth(['link', url], { cwd, env })).status).toBe(0);
  expect(readFileSync(saved, 'utf8')).not.toContain('sbp_');

  // Without a link, commands use the server in the working directory.
  const own = await plinth(['functions', 'list', '-o', 'json'], { cwd: server });
  expect(JSON.parse(own.stdout).map(({ slug }: { slug: string }) => slug)).toEqual(['open', 'own']);
  expect((await plinth(['secrets', 'set', 'LOCAL=1'], { cwd: server })).status).toBe(0);
  expect((await plinth(['secrets', 'list'], { cwd: server })).stdout).toContain('LOCAL | ');
});
