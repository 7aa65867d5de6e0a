/** Tests `storage ls`, `cp`, `mv` and `rm` with a running project. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeProject } from '../config/project-folder.ts';
import { plinth } from './run-plinth.ts';
import { type SharedProject, startSharedProject } from './shared-project.ts';

let project: SharedProject;

beforeAll(async () => {
  project = await startSharedProject({
    'supabase/config.toml': [
      '[storage.buckets.photos]',
      'public = true',
      'allowed_mime_types = ["application/json"]',
    ].join('\n'),
    'site/index.html': '<p>hello</p>',
    'site/css/site.css': 'p {}',
    'note.txt': 'a note',
    'data.json': '{}',
  });
});
afterAll(() => project?.stop());

const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
  const { API_URL, SERVICE_ROLE_KEY = '' } = project.status;
  return await fetch(`${API_URL}/storage/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${SERVICE_ROLE_KEY}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
};
const info = async (path: string) =>
  (await (await call('GET', `/object/info/${path}`)).json()) as Record<string, unknown>;
const put = async (path: string, text: string) => {
  const created = await call('POST', `/object/${path}`, text, { 'x-upsert': 'true' });
  expect(created.status).toBe(200);
};
const listed = async (...args: string[]) =>
  (await project.run(['storage', 'ls', ...args])).stdout.split('\n').slice(0, -1);

/** Every test has an empty bucket. */
beforeEach(async () => {
  await call('POST', '/bucket/team/empty');
  await call('DELETE', '/bucket/team');
  for (const bucket of ['made', 'site']) {
    await call('POST', `/bucket/${bucket}/empty`);
    await call('DELETE', `/bucket/${bucket}`);
  }
  expect((await call('POST', '/bucket', { name: 'team' })).status).toBe(200);
});

describe('ls', () => {
  test('lists buckets, folders and objects by prefix', async () => {
    for (const key of ['read.md', 'readme/a.txt', 'docs/x/1.txt', 'docs/2.txt', 'Docs/3.txt'])
      await put(`team/${key}`, key);
    expect(await listed()).toEqual(['photos/', 'team/']);
    expect(await listed('ss:///te')).toEqual(['team/']);
    expect(await listed('ss:///team/')).toEqual(['Docs/', 'docs/', 'read.md', 'readme/']);
    expect(await listed('ss:///team/read')).toEqual(['read.md', 'readme/']);
    expect(await listed('ss:///team/docs/')).toEqual(['2.txt', 'x/']);
    expect(await listed('-r', 'ss:///team/docs')).toEqual(['/team/docs/2.txt', '/team/docs/x/1.txt']);
    expect(await listed('--recursive')).toEqual([
      'photos/',
      '/team/Docs/3.txt',
      '/team/docs/2.txt',
      '/team/docs/x/1.txt',
      '/team/read.md',
      '/team/readme/a.txt',
    ]);
  });

  test('explains a missing bucket and a wrong URL', async () => {
    const wrong = await project.run(['storage', 'ls', 'team/x']);
    expect([wrong.status, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('the URL must match the pattern ss:///bucket/[prefix]'),
    ]);
    const stopped = await plinth(['storage', 'ls'], { cwd: makeProject({ 'supabase/config.toml': '' }) });
    expect([stopped.status, stopped.stderr]).toEqual([1, expect.stringContaining("Plinth isn't running")]);
  });
});

describe('cp to storage', () => {
  test('uploads a file with its type and headers, and never replaces one', async () => {
    const first = await project.run(['storage', 'cp', 'note.txt', 'ss:///team/notes/1.txt']);
    expect([first.status, first.stdout, first.stderr]).toEqual([
      0,
      '',
      'Uploading: note.txt => /team/notes/1.txt\n',
    ]);
    expect(await info('team/notes/1.txt')).toMatchObject({
      content_type: 'text/plain; charset=utf-8',
      cache_control: 'max-age=3600',
      size: 6,
    });
    const again = await project.run(['storage', 'cp', 'note.txt', 'ss:///team/notes/1.txt']);
    expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('The resource already exists')]);

    const flags = ['--content-type', 'text/x-note', '--cache-control', 'no-store'];
    expect((await project.run(['storage', 'cp', 'note.txt', 'ss:///team/', ...flags])).status).toBe(0);
    expect(await info('team/note.txt')).toMatchObject({
      content_type: 'text/x-note',
      cache_control: 'no-store',
    });
  });

  test('uploads a folder as cp does, creates the bucket, and replaces objects', async () => {
    expect((await project.run(['storage', 'cp', '-r', 'site', 'ss:///team/www', '-j', '2'])).status).toBe(0);
    expect(await listed('-r', 'ss:///team/')).toEqual(['/team/www/css/site.css', '/team/www/index.html']);
    expect(await info('team/www/index.html')).toMatchObject({ content_type: 'text/html; charset=utf-8' });
    expect((await project.run(['storage', 'cp', '-r', 'site', 'ss:///team/www'])).status).toBe(0);
    expect(await listed('ss:///team/www/')).toEqual(['css/', 'index.html', 'site/']);
    expect((await project.run(['storage', 'cp', '-r', 'site', 'ss:///'])).status).toBe(0);
    expect(await listed('-r', 'ss:///site/')).toEqual(['/site/css/site.css', '/site/index.html']);
    expect((await project.run(['storage', 'cp', '-r', 'site', 'ss:///made'])).status).toBe(0);
    expect((await project.run(['storage', 'cp', '-r', 'note.txt', 'ss:///made/index.html'])).status).toBe(0);
    expect(await info('made/index.html')).toMatchObject({ size: 6 });
  });

  test('creates a bucket in config.toml with its settings', async () => {
    await call('DELETE', '/bucket/photos');
    expect((await project.run(['storage', 'cp', '-r', 'data.json', 'ss:///photos/'])).status).toBe(0);
    expect(await (await call('GET', '/bucket/photos')).json()).toMatchObject({
      public: true,
      allowed_mime_types: ['application/json'],
    });
    const refused = await project.run(['storage', 'cp', '-r', 'site', 'ss:///photos/']);
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('mime type text/css')]);
    await call('POST', '/bucket/photos/empty');
  });

  test('uploads a large file in parts, and the download is identical', async () => {
    const bytes = Buffer.alloc(14 * 1024 * 1024 + 5, 'plinth ');
    project.write('large.bin', bytes);
    const up = await project.run(['storage', 'cp', 'large.bin', 'ss:///team/large.bin']);
    expect([up.status, up.stderr]).toEqual([0, 'Uploading: large.bin => /team/large.bin\n']);
    expect(await info('team/large.bin')).toMatchObject({ size: bytes.length, cache_control: 'max-age=3600' });
    const again = await project.run(['storage', 'cp', 'large.bin', 'ss:///team/large.bin']);
    expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('already exists')]);
    const streamed = ['storage', 'cp', 'large.bin', 'ss:///team/s.bin', '--cache-control', 'no-store'];
    expect((await project.run(streamed)).status).toBe(0);
    for (const name of ['large.bin', 's.bin']) {
      const file = join(project.cwd, `back-${name}`);
      expect((await project.run(['storage', 'cp', `ss:///team/${name}`, file])).status).toBe(0);
      expect(readFileSync(file).equals(bytes)).toBe(true);
    }
  });

  test.each([
    [['note.txt', 'other.txt'], 2, 'One of the paths must be in storage'],
    [['ss:///team/a', 'ss:///team/b'], 2, 'Copying between buckets is not supported'],
    [['missing.txt', 'ss:///team/a'], 1, "missing.txt doesn't exist"],
    [['site', 'ss:///team/a'], 1, 'To upload a folder, use --recursive.'],
    [['note.txt', 'ss:///team/../a'], 1, '"." and ".." can\'t be part of the path'],
    [['note.txt', 'ss:///team/a', '--jobs', '0'], 2, '--jobs: 0 must be a number from 1 to 64'],
    [['note.txt', 'ss:///nowhere/a'], 1, 'Bucket not found'],
  ])('%j fails with a reason', async (args, status, reason) => {
    const failed = await project.run(['storage', 'cp', ...args]);
    expect([failed.status, failed.stderr]).toEqual([status, expect.stringContaining(reason)]);
  });
});

describe('cp from storage', () => {
  test('downloads an object to a file or a folder, and never replaces a file', async () => {
    await put('team/docs/a.txt', 'A');
    const cwd = makeProject({ 'there/x': '' });
    const get = (to: string) =>
      project.run(['storage', 'cp', 'ss:///team/docs/a.txt', to, '--workdir', project.cwd], { cwd });
    expect((await get('b.txt')).status).toBe(0);
    expect(readFileSync(join(cwd, 'b.txt'), 'utf8')).toBe('"A"');
    expect((await get('there')).status).toBe(0);
    expect(readFileSync(join(cwd, 'there/a.txt'), 'utf8')).toBe('"A"');
    const again = await get('b.txt');
    expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('b.txt already exists.')]);
    const missing = await project.run(
      ['storage', 'cp', 'ss:///team/none', 'none', '--workdir', project.cwd],
      { cwd },
    );
    expect([missing.status, missing.stderr]).toEqual([1, 'Storage: Object not found\n']);
    expect(existsSync(join(cwd, 'none'))).toBe(false);
  });

  test('downloads a folder, without objects whose names only begin with it', async () => {
    for (const key of ['docs/a.txt', 'docs/x/b.txt', 'docs2/c.txt']) await put(`team/${key}`, key);
    const cwd = makeProject({});
    const get = (from: string, to: string) =>
      project.run(['storage', 'cp', '-r', from, to, '-j', '3', '--workdir', project.cwd], { cwd });
    expect((await get('ss:///team/docs', '.')).status).toBe(0);
    expect(readdirSync(cwd, { recursive: true }).sort()).toEqual([
      'docs',
      'docs/a.txt',
      'docs/x',
      'docs/x/b.txt',
    ]);
    writeFileSync(join(cwd, 'docs/a.txt'), 'older and longer than before');
    expect((await get('ss:///team/docs/', '.')).status).toBe(0);
    expect(readFileSync(join(cwd, 'docs/a.txt'), 'utf8')).toBe('"docs/a.txt"');
    expect((await get('ss:///team', 'new')).status).toBe(0);
    expect(readdirSync(join(cwd, 'new')).sort()).toEqual(['docs', 'docs2']);
    const missing = await get('ss:///team/none', '.');
    expect([missing.status, missing.stderr]).toEqual([1, 'Object not found: /team/none\n']);
    const nowhere = await get('ss:///nowhere', '.');
    expect([nowhere.status, nowhere.stderr]).toEqual([1, 'Bucket not found: nowhere\n']);
  });

  test('never writes outside the target folder because of an object name or a symbolic link', async () => {
    await put('team/up/ok.txt', 'fine');
    const { DB_URL = '' } = project.status;
    // Objects with such names can't be created with the HTTP API, but by writing directly to the table.
    for (const name of ['up/../../escaped.txt', 'up/./dot.txt', 'up//empty.txt', 'up/linked/b.txt'])
      await renameByDatabase(DB_URL, name);
    const cwd = makeProject({ 'outside/x': '' });
    mkdirSync(join(cwd, 'target/up'), { recursive: true });
    symlinkSync(join(cwd, 'outside'), join(cwd, 'target/up/linked'));
    const args = ['storage', 'cp', '-r', 'ss:///team/up', 'target', '--workdir', project.cwd];
    const { status, stderr } = await project.run(args, { cwd });
    expect(status).toBe(1);
    expect(stderr).toContain("4 of 5 objects weren't downloaded:");
    expect(stderr).toContain("/team/up/../../escaped.txt: the name can't be a file name on this machine");
    expect(stderr).toContain('is a symbolic link');
    expect(readdirSync(cwd, { recursive: true }).sort()).toEqual([
      'outside',
      'outside/x',
      'target',
      'target/up',
      'target/up/linked',
      'target/up/linked/x',
      'target/up/ok.txt',
    ]);
  });
});

/** Adds an object with any name to the table, as code with access to the database can do. */
async function renameByDatabase(url: string, name: string): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      `insert into storage.objects (bucket_id, name, metadata, version)
       select bucket_id, $1, metadata, version from storage.objects where bucket_id = 'team' and name = 'up/ok.txt'`,
      [name],
    );
  } finally {
    await client.end();
  }
}

test('--linked uses the linked server, and requires the token of an owner', async () => {
  await put('team/there.txt', 'there');
  const cwd = makeProject({ 'supabase/config.toml': '' });
  const list = (...args: string[]) => plinth(['storage', 'ls', 'ss:///team/', ...args], { cwd });
  const unlinked = await list('--linked');
  expect([unlinked.status, unlinked.stderr]).toEqual([
    1,
    expect.stringContaining('No Plinth server is linked.'),
  ]);
  const tokenOf = async (...args: string[]) =>
    (await project.run(['operators', 'token', 'create', ...args])).stdout.trim();
  const link = async (token: string) =>
    expect((await plinth(['link', project.status.STUDIO_URL ?? '', '--token', token], { cwd })).status).toBe(
      0,
    );
  await link(await tokenOf('ci'));
  expect(await list('--linked')).toMatchObject({ status: 0, stdout: 'there.txt\n', stderr: '' });
  expect((await list('--linked', '--local')).status).toBe(2);

  const early = await project.run(['operators', 'token', 'create', 'dev-ci', '--operator', 'dev']);
  expect([early.status, early.stderr]).toEqual([
    1,
    `The operator dev doesn't exist. "plinth operators list" lists all operators, and "plinth operators create dev" creates this one.\n`,
  ]);
  await project.run(['operators', 'create', 'dev', '--role', 'developer']);
  await link(await tokenOf('dev-ci', '--operator', 'dev'));
  const refused = await list('--linked');
  expect([refused.status, refused.stderr]).toEqual([
    1,
    expect.stringContaining("its operator isn't an owner"),
  ]);
});

describe('mv', () => {
  test('moves an object, or a folder', async () => {
    for (const key of ['a.txt', 'docs/1.txt', 'docs/x/2.txt']) await put(`team/${key}`, key);
    const one = await project.run(['storage', 'mv', 'ss:///team/a.txt', 'ss:///team/old/']);
    expect([one.status, one.stderr]).toEqual([
      0,
      'Moving object: /team/a.txt => /team/old/a.txt\nSuccessfully moved\n',
    ]);
    const all = await project.run(['storage', 'mv', '-r', 'ss:///team/docs', 'ss:///team/docs/in']);
    expect(all.status).toBe(0);
    expect(await listed('-r', 'ss:///team/')).toEqual([
      '/team/docs/in/1.txt',
      '/team/docs/in/x/2.txt',
      '/team/old/a.txt',
    ]);
  });

  test.each([
    [['ss:///team/', 'ss:///team/'], 2, 'You must specify an object path'],
    [['ss:///team/a', 'ss:///other/a'], 2, 'Moving between buckets is unsupported'],
    [['ss:///team/none', 'ss:///team/b'], 1, 'Object not found'],
    [['-r', 'ss:///team/none', 'ss:///team/b'], 1, 'Object not found: /team/none/'],
  ])('%j fails with a reason', async (args, status, reason) => {
    const failed = await project.run(['storage', 'mv', ...args]);
    expect([failed.status, failed.stderr]).toEqual([status, expect.stringContaining(reason)]);
  });
});

describe('rm', () => {
  test('deletes objects only after a confirmation', async () => {
    for (const key of ['a.txt', 'b.txt']) await put(`team/${key}`, key);
    const asked = await project.run(['storage', 'rm', 'ss:///team/a.txt']);
    expect([asked.status, asked.stderr]).toEqual([
      0,
      'Nothing was deleted in bucket team. Use --yes to confirm.\n',
    ]);
    const done = await project.run(['storage', 'rm', 'ss:///team/a.txt', 'ss:///team/none', '--yes']);
    expect([done.status, done.stderr]).toEqual([
      0,
      'Deleting objects: a.txt, none\nObject not found: none\n',
    ]);
    expect(await listed('ss:///team/')).toEqual(['b.txt']);
  });

  test('deletes a folder, then the bucket', async () => {
    for (const key of ['docs/1.txt', 'docs/x/2.txt', 'docs2/3.txt']) await put(`team/${key}`, key);
    expect((await project.run(['storage', 'rm', '-r', 'ss:///team/docs', '--yes'])).status).toBe(0);
    expect(await listed('-r', 'ss:///team/')).toEqual(['/team/docs2/3.txt']);
    const missing = await project.run(['storage', 'rm', '-r', 'ss:///team/docs', '--yes']);
    expect([missing.status, missing.stderr]).toEqual([
      1,
      expect.stringContaining('Object not found: team/docs/'),
    ]);
    const bucket = await project.run(['storage', 'rm', '-r', 'ss:///team', '--yes']);
    expect([bucket.status, bucket.stderr]).toEqual([
      0,
      expect.stringContaining('Deleting bucket: team\nSuccessfully deleted\n'),
    ]);
    expect(await listed()).toEqual(['photos/']);
    const gone = await project.run(['storage', 'rm', '-r', 'ss:///team', '--yes']);
    expect([gone.status, gone.stderr]).toEqual([0, expect.stringContaining('Bucket not found: team')]);
  });

  test.each([
    [[], 'You must specify -r flag to delete directories.'],
    [['ss:///team/docs/'], 'You must specify -r flag to delete directories.'],
    [['-r', 'ss:///'], 'You must specify a bucket to delete.'],
  ])('%j is rejected', async (args, reason) => {
    const failed = await project.run(['storage', 'rm', ...args]);
    expect([failed.status, failed.stderr]).toEqual([2, expect.stringContaining(reason)]);
  });
});
