/** Tests `plinth deploy` with a second running Plinth server as its target. */
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeProject } from '../config/project-folder.ts';
import { plinth } from './run-plinth.ts';

vi.setConfig({ testTimeout: 300_000 });

type Status = Record<string, string>;

/** Starts a server without migrations and functions, and returns its status and a token of a role. */
async function startTarget(role = 'owner') {
  const cwd = makeProject({
    'supabase/config.toml':
      'project_id = "live"\n[api]\nmax_rows = 100\n[auth]\nsite_url = "https://live.example"\n',
  });
  onTestFinished(async () => {
    await plinth(['stop'], { cwd });
  });
  const { status, stdout, stderr } = await plinth(['start', '--detach', '--port', '0', '--json'], { cwd });
  expect(status, stderr).toBe(0);
  const server = JSON.parse(stdout) as Status;
  const token = await plinth(['operators', 'token', 'create', 'ci', '--role', role], { cwd });
  expect(token.status, token.stderr).toBe(0);
  const run = (...args: string[]) => plinth(args, { cwd });
  return { cwd, run, server, token: token.stdout.trim() };
}

type Target = Awaited<ReturnType<typeof startTarget>>;

/** Creates a project that is linked to a server. */
async function linkedProject(
  { server, token }: Target,
  files: Readonly<Record<string, string>>,
  url = server.STUDIO_URL ?? '',
) {
  const cwd = makeProject(files);
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    plinth(args, { cwd, env: { PLINTH_ACCESS_TOKEN: token, ...env } });
  expect(await run(['link', url])).toMatchObject({ status: 0 });
  return {
    run,
    deploy: (...args: string[]) => run(['deploy', ...args]),
    write: (path: string, text: string) => writeFileSync(join(cwd, path), text),
    remove: (path: string) => rmSync(join(cwd, path), { recursive: true }),
  };
}

const files = {
  'supabase/config.toml': [
    'project_id = "app"',
    '[api]',
    'port = 1234',
    'max_rows = 50',
    '[auth]',
    'site_url = "http://localhost:3000"',
    '[edge_runtime.secrets]',
    'WHO = "env(WHO)"',
    '[storage.buckets.images]',
    'public = true',
    'file_size_limit = "1MiB"',
    '',
  ].join('\n'),
  'supabase/plinth.toml': '[branding]\nname = "Notes"\n[server]\nhost = "0.0.0.0"\n',
  'supabase/migrations/20260101000000_notes.sql': `
    create table public.notes (id int primary key, body text);
    grant select on public.notes to anon;
    insert into public.notes values (1, 'first');`,
  'supabase/migrations/20260102000000_more.sql': `insert into public.notes values (2, 'second');`,
  'supabase/functions/_shared/greet.ts': `export const greet = (who: string) => 'Hello ' + who;`,
  'supabase/functions/hello/index.ts': `import { greet } from '../_shared/greet.ts';
    Deno.serve(() => new Response(greet(Deno.env.get('WHO') ?? 'stranger')));`,
  'supabase/seed.sql': `insert into public.notes values (3, 'seed');`,
} as const;

const rowsOf = async ({ API_URL, ANON_KEY }: Status) =>
  await (
    await fetch(`${API_URL}/rest/v1/notes?select=id,body&order=id`, { headers: { apikey: ANON_KEY ?? '' } })
  ).json();
const callHello = async ({ API_URL, ANON_KEY }: Status) =>
  await (
    await fetch(`${API_URL}/functions/v1/hello`, { headers: { authorization: `Bearer ${ANON_KEY}` } })
  ).text();

test('a whole project is shown, deployed, and compared again', async () => {
  const target = await startTarget();
  const { server } = target;
  const { run, write, remove } = await linkedProject(target, files);
  const deploy = (...args: string[]) => run(['deploy', ...args], { WHO: 'the-secret' });

  const shown = await deploy('--check');
  expect(shown.status, shown.stderr).toBe(1);
  for (const line of [
    'Secrets\n  + WHO\n',
    'Migrations\n  + supabase/migrations/20260101000000_notes.sql\n  + supabase/migrations/20260102000000_more.sql\n',
    'Buckets\n  + images\n',
    'Functions\n  + hello\n',
    'max_rows = 50\n',
    'name = "Notes"\n',
    '(Not pushed: api.port, auth.site_url)\n',
  ])
    expect(shown.stdout).toContain(line);
  expect(shown.stdout).not.toContain('the-secret');
  expect(await deploy()).toMatchObject({ status: 1, stderr: expect.stringContaining('Canceled') });
  expect(JSON.parse((await target.run('functions', 'list', '-o', 'json')).stdout)).toEqual([]);

  const deployed = await deploy('--yes');
  expect(deployed.status, deployed.stderr).toBe(0);
  expect(await rowsOf(server)).toEqual([
    { id: 1, body: 'first' },
    { id: 2, body: 'second' },
  ]);
  expect(await callHello(server)).toBe('Hello the-secret');
  expect((await target.run('storage', 'ls')).stdout).toContain('images');
  const again = await deploy('--check');
  expect([again.status, again.stdout]).toEqual([0, expect.stringContaining('The server is up to date.')]);

  // Every part is changed.
  write('supabase/functions/_shared/greet.ts', `export const greet = (who: string) => 'Bye ' + who;`);
  write('supabase/migrations/20260103000000_third.sql', `insert into public.notes values (4, 'third');`);
  write(
    'supabase/config.toml',
    files['supabase/config.toml']
      .replace('max_rows = 50', 'max_rows = 60')
      .replace('"1MiB"', '"60MiB"\nallowed_mime_types = ["image/png"]')
      // The bucket's limit needs the new limit of all buckets.
      .concat('[storage]\nfile_size_limit = "70MiB"\n[functions.hello]\nverify_jwt = false\n'),
  );
  const changed = await run(['deploy', '--check'], { WHO: 'another' });
  expect(changed.status).toBe(1);
  for (const line of [
    '  ~ WHO (new value)\n',
    '  + supabase/migrations/20260103000000_third.sql\n',
    '  ~ images: file_size_limit 1048576 -> 62914560, allowed_mime_types none -> image/png\n',
    '  ~ hello: verify_jwt = false, supabase/functions/_shared/greet.ts\n',
    '  + max_rows = 60\n',
  ])
    expect(changed.stdout).toContain(line);
  const partly = await run(['deploy', '--yes', '--only', 'functions'], { WHO: 'another' });
  expect(partly.status, partly.stderr).toBe(0);
  expect(await callHello(server)).toBe('Bye the-secret');
  const all = await run(['deploy', '--yes', '--include-seed'], { WHO: 'another' });
  expect(all.status, all.stderr).toBe(0);
  expect(await callHello(server)).toBe('Bye another');
  expect(await rowsOf(server)).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }]);

  // A removed function is deleted only if this is requested.
  remove('supabase/functions/hello');
  write('supabase/config.toml', files['supabase/config.toml'].replace('max_rows = 50', 'max_rows = 60'));
  expect(await deploy('--check', '--only', 'functions')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Only on the server: hello'),
  });
  const pruned = await deploy('--yes', '--only', 'functions', '--prune');
  expect([pruned.status, pruned.stdout]).toEqual([0, expect.stringContaining('  - hello\n')]);
  expect(JSON.parse((await target.run('functions', 'list', '-o', 'json')).stdout)).toEqual([]);
});

test('files in objects_path are uploaded if they are new or have changed', async () => {
  const target = await startTarget();
  const { deploy, run, write } = await linkedProject(target, {
    'supabase/config.toml': '[storage.buckets.images]\npublic = true\nobjects_path = "./images"\n',
    'supabase/images/a.txt': 'one',
    'supabase/images/folder/b c.txt': 'two',
    // Larger than the part size of a resumable upload.
    'supabase/images/large.bin': 'x'.repeat(7 * 1024 * 1024),
  });
  const fetched = async (path: string) =>
    (await fetch(`${target.server.API_URL}/storage/v1/object/public/images/${path}`)).text();
  const shown = await deploy('--check');
  expect([shown.status, shown.stdout]).toEqual([
    1,
    expect.stringContaining(
      'Buckets\n  + images\n  + images/a.txt\n  + images/folder/b c.txt\n  + images/large.bin\n',
    ),
  ]);
  const deployed = await deploy('--yes');
  expect(deployed.status, deployed.stderr).toBe(0);
  expect(deployed.stderr).toContain('Uploading: images/folder/b c.txt\n');
  expect([await fetched('a.txt'), await fetched('folder/b%20c.txt')]).toEqual(['one', 'two']);
  expect((await deploy('--check')).stdout).toContain('up to date');

  // Of the same size as before, and an object that only the server has.
  write('supabase/images/a.txt', 'new');
  write('supabase/images/large.bin', 'y'.repeat(7 * 1024 * 1024));
  const copied = await run([
    'storage',
    'cp',
    '--linked',
    'supabase/images/a.txt',
    'ss:///images/users/a.txt',
  ]);
  expect(copied.status, copied.stderr).toBe(0);
  const changed = await deploy('--yes', '--only', 'buckets');
  expect([changed.status, changed.stdout]).toEqual([
    0,
    expect.stringContaining('Buckets\n  ~ images/a.txt\n  ~ images/large.bin\n'),
  ]);
  expect(changed.stderr).not.toContain('folder');
  expect([await fetched('a.txt'), (await fetched('large.bin')).charAt(0)]).toEqual(['new', 'y']);

  const developer = await target.run('operators', 'token', 'create', 'dev', '--role', 'developer');
  const limited = await run(['deploy', '--check', '--only', 'buckets'], {
    PLINTH_ACCESS_TOKEN: developer.stdout.trim(),
  });
  expect([limited.status, limited.stdout]).toEqual([0, expect.stringContaining("only an owner's token")]);
});

test('a failed migration keeps the functions that work with the old schema', async () => {
  const target = await startTarget();
  const { deploy, write } = await linkedProject(target, files);
  write('supabase/migrations/20260102000000_more.sql', 'select nothing');
  const failed = await deploy('--yes');
  expect(failed.status).toBe(1);
  expect(failed.stderr).toContain('20260102000000_more.sql');
  expect(failed.stderr).toContain('stopped at "Applying migrations..."');
  expect(await rowsOf(target.server)).toEqual([{ id: 1, body: 'first' }]);
  expect(JSON.parse((await target.run('functions', 'list', '-o', 'json')).stdout)).toEqual([]);
  write('supabase/migrations/20260102000000_more.sql', files['supabase/migrations/20260102000000_more.sql']);
  const second = await deploy('--yes');
  expect(second.status, second.stderr).toBe(0);
  expect(second.stdout).not.toContain('20260101000000_notes.sql');
  expect(await rowsOf(target.server)).toMatchObject([{ id: 1 }, { id: 2 }]);
  expect((await deploy('--check')).status).toBe(0);
});

/**
 * Passes requests on to the server. The connection of each different request that changes something is closed once,
 * after the server has handled the request and before the client receives the response.
 */
async function cuttingProxy(server: Status): Promise<{ readonly url: string; readonly cuts: Set<string> }> {
  const cuts = new Set<string>();
  const proxy = createServer((incoming, reply) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const outgoing = request(
        new URL(incoming.url ?? '/', server.STUDIO_URL),
        { method: incoming.method, headers: incoming.headers },
        (response) => {
          // Uploads have a new boundary each time.
          const isJson = incoming.headers['content-type'] === 'application/json';
          const name = `${incoming.method} ${incoming.url} ${isJson ? Buffer.concat(chunks) : ''}`;
          const isCut = incoming.method !== 'GET' && !cuts.has(name);
          cuts.add(name);
          if (isCut) response.resume().once('end', () => incoming.socket.destroy());
          else response.pipe(reply.writeHead(response.statusCode ?? 500, response.headers));
        },
      );
      outgoing.end(Buffer.concat(chunks));
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, cuts };
}

test('a deployment whose connection is lost continues, and applies nothing twice', async () => {
  const target = await startTarget();
  const { url, cuts } = await cuttingProxy(target.server);
  const { run } = await linkedProject(target, files, url);
  let attempts = 0;
  for (let status: number | null = 1; status !== 0 && attempts < 20; attempts++)
    ({ status } = await run(['deploy', '--yes', '--include-seed'], { WHO: 'Ada' }));
  expect(attempts).toBeGreaterThan(1);
  expect((await run(['deploy', '--check', '--include-seed'], { WHO: 'Ada' })).status).toBe(0);
  const changing = [...cuts].filter((name) => !name.startsWith('GET'));
  for (const part of ['secrets', 'migrations', 'seeds', 'functions', 'buckets', 'config'])
    expect(changing.join('\n')).toMatch(new RegExp(`/${part}\\b`));
  // A migration that ran twice would have failed, because the rows would exist.
  expect(await rowsOf(target.server)).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3 }]);
  expect(await callHello(target.server)).toBe('Hello Ada');
  const { stdout } = await target.run('migration', 'list');
  for (const version of ['20260101000000', '20260102000000'])
    expect(stdout.split(version).length - 1, stdout).toBeGreaterThan(0);
});

test('roles: a developer’s token deploys everything except settings, and a read-only token compares', async () => {
  const target = await startTarget('developer');
  const { deploy, run, write } = await linkedProject(target, files);
  const refused = await deploy('--yes');
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain("the role developer doesn't allow this");
  expect(refused.stderr).toContain('use --only secrets,migrations,buckets,functions');
  expect(await rowsOf(target.server)).toMatchObject({ code: 'PGRST205' });
  const others = await deploy('--yes', '--only', 'secrets,migrations,buckets,functions');
  expect(others.status, others.stderr).toBe(0);
  expect(await callHello(target.server)).toBe('Hello stranger');

  // A token that can only read compares, and can't change anything.
  const readOnly = await target.run('operators', 'token', 'create', 'look', '--role', 'read-only');
  const env = { PLINTH_ACCESS_TOKEN: readOnly.stdout.trim() };
  write('supabase/functions/hello/index.ts', `Deno.serve(() => new Response('new'));`);
  const looked = await run(['deploy', '--check', '--only', 'migrations,buckets,functions'], env);
  expect([looked.status, looked.stdout]).toEqual([
    1,
    expect.stringContaining('~ hello: supabase/functions/'),
  ]);
  const forbidden = await run(['deploy', '--yes', '--only', 'functions'], env);
  expect([forbidden.status, forbidden.stderr]).toEqual([1, expect.stringContaining('role read-only')]);
  expect(await callHello(target.server)).toBe('Hello stranger');
});

test('[remotes.NAME] contains the settings of one server', async () => {
  const target = await startTarget();
  const project = await linkedProject(target, { 'supabase/config.toml': '' });
  const { stdout } = await project.deploy('--check');
  const [, ref = ''] = /\(([a-z]{20})\)/.exec(stdout) ?? [];
  project.write(
    'supabase/config.toml',
    `[auth]\nsite_url = "https://shared.example"\n[remotes.live]\nproject_id = "${ref}"\nauth.site_url = "https://remote.example"\n`,
  );
  const shown = await project.deploy('--check', '--only', 'settings');
  expect(shown.stdout).toContain('+ site_url = "https://remote.example"');
  expect(shown.stdout).not.toContain('shared.example');
});

test('email templates are shown, pushed, and used without a restart', async () => {
  const target = await startTarget();
  const { server } = target;
  const settings = (name = 'confirm') =>
    `[auth.email]\nenable_confirmations = true\n[auth.email.template.confirmation]\nsubject = "Welcome"\ncontent_path = "${name}"\n`;
  const project = await linkedProject(target, {
    'supabase/config.toml': settings('./supabase/mails/confirm.html'),
    'supabase/mails/confirm.html': '<h1>Hello</h1>\n<p>{{ .Token }}</p>\n',
    'outside.html': 'no HTML',
  });
  const deploy = (...args: string[]) => project.deploy('--only', 'settings', ...args);
  const mailTo = async (email: string): Promise<{ subject: string; html: string }> => {
    const signUp = await fetch(`${server.API_URL}/auth/v1/signup`, {
      method: 'POST',
      headers: { apikey: server.ANON_KEY ?? '', 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: 'a-Good-password-1' }),
    });
    expect(signUp.status, await signUp.text()).toBe(200);
    const find = `${server.MAILPIT_URL}/api/v1/search?query=${encodeURIComponent(`to:${email}`)}`;
    const { messages } = (await (await fetch(find)).json()) as { messages: { ID: string }[] };
    const mail = await fetch(`${server.MAILPIT_URL}/api/v1/message/${messages[0]?.ID}`);
    const { Subject: subject, HTML: html } = (await mail.json()) as { Subject: string; HTML: string };
    return { subject, html };
  };

  const shown = await deploy('--check');
  expect(shown.status, shown.stderr).toBe(1);
  for (const line of [
    '+ subject = "Welcome"\n',
    '+ content_path = "./supabase/templates/confirmation.html"\n',
    '  supabase/templates/confirmation.html\n  + <h1>Hello</h1>\n  + <p>{{ .Token }}</p>\n',
  ])
    expect(shown.stdout).toContain(line);
  expect(shown.stdout).not.toContain('Not pushed');
  const first = await deploy('--yes');
  expect([first.status, first.stderr]).toEqual([
    0,
    expect.stringContaining('auth.email.template.confirmation.content_path'),
  ]);
  expect(await mailTo('ada@example.com')).toEqual({
    subject: 'Welcome',
    html: expect.stringMatching(/^<h1>Hello<\/h1>\n<p>\d{6}<\/p>\n$/),
  });
  expect(await deploy('--check')).toMatchObject({ status: 0 });

  // Only the file has changed.
  project.write('supabase/mails/confirm.html', '<h1>Good day</h1>\n<p>{{ .Token }}</p>\n');
  const pushed = await project.run(['config', 'push', '--linked', '--yes']);
  expect(pushed.stderr.split('\n')).toEqual([
    'supabase/templates/confirmation.html',
    '- <h1>Hello</h1>',
    '+ <h1>Good day</h1>',
    '  <p>{{ .Token }}</p>',
    'Applied: auth.email.template.confirmation.content_path',
    '',
  ]);
  expect((await mailTo('bob@example.com')).html).toContain('<h1>Good day</h1>');
  expect(await project.run(['config', 'push', '--linked', '--yes'])).toMatchObject({
    status: 0,
    stderr: 'Remote config is up to date.\n',
  });

  for (const [text, problem] of [
    ['{{ if }}', 'The template is invalid'],
    ['', 'supabase/mails/confirm.html is empty.'],
    ['\n'.repeat(2000), 'can have up to 2000 lines'],
    ['x'.repeat(100_001), 'can have up to 100000 characters'],
    ['x'.repeat(400_001), 'is too large'],
  ] as const) {
    project.write('supabase/mails/confirm.html', text);
    const failed = await project.run(['config', 'push', '--linked', '--yes']);
    expect([failed.status, failed.stderr]).toEqual([1, expect.stringContaining(problem)]);
  }
  project.remove('supabase/mails/confirm.html');
  const missing = await deploy('--check');
  expect(missing.status).not.toBe(0);
  expect(missing.stdout + missing.stderr).toContain(
    "auth.email.template.confirmation.content_path: supabase/mails/confirm.html doesn't exist.",
  );
  project.write('supabase/config.toml', settings('/etc/hostname'));
  const outside = await deploy('--check');
  expect([outside.status, outside.stdout + outside.stderr]).toEqual([
    1,
    expect.stringContaining('is outside the project folder'),
  ]);
  expect((await mailTo('eve@example.com')).html).toContain('<h1>Good day</h1>');

  project.write('supabase/config.toml', settings(''));
  expect((await deploy('--check')).stdout).toContain(
    '- content_path = "./supabase/templates/confirmation.html"',
  );
  expect(await deploy('--yes')).toMatchObject({ status: 0 });
  const standard = await mailTo('joe@example.com');
  expect(standard.subject).toBe('Welcome');
  expect(standard.html).not.toContain('Good day');
  expect(await deploy('--check')).toMatchObject({ status: 0 });
});

test('unusable command lines change nothing', async () => {
  const cwd = makeProject({ 'supabase/config.toml': '' });
  const run = (...args: string[]) => plinth(['deploy', ...args], { cwd });
  expect(await run()).toMatchObject({ status: 1, stderr: expect.stringContaining('plinth link URL') });
  expect(await run('--only', 'tables')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("tables isn't one of secrets, migrations"),
  });
  expect((await run('--check', '--yes')).status).toBe(2);
});
