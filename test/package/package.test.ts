/**
 * Tests the npm package, which is installed into a new folder, without the clone and without a network. `npm test` skips
 * this file.
 *
 * @module-tag package
 */
import { execFile, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { codeBlocks, joined, readPage } from '../docs/pages.ts';
import { hasOlderVersions, olderNode, olderVersions } from '../node-versions/index.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'plinth-package-'));
const app = join(folder, 'app');
const installed = join(app, 'node_modules', 'plinth');
const bin = join(installed, 'bin', 'plinth.mjs');
const maxPackageBytes = 15_000_000;

// The timeout is long, because most tests install PostgreSQL and Deno into an empty cache and start several processes.
// These tests can't use the prepared cluster and the other files that the remaining test files share.
/** The environment variables that a user's shell could have. PATH doesn't contain the clone's programs. */
const environment: Record<string, string> = {
  PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
  HOME: join(folder, 'home'),
  npm_config_cache: join(folder, 'npm-cache'),
  npm_config_offline: 'true',
  npm_config_update_notifier: 'false',
};

const files: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "app", "private": true, "type": "module" }',
  'supabase/config.toml': 'project_id = "app"\n',
  'supabase/migrations/20260101000000_todos.sql': `
    create table public.todos (id int primary key, task text not null);
    alter table public.todos enable row level security;
    create policy "all" on public.todos for select using (true);
    grant select on public.todos to anon;
    insert into public.todos values (1, 'ship');`,
  'supabase/functions/hello/index.ts': "Deno.serve(() => new Response('hello'));",
};

function write(path: string, text: string): string {
  const file = join(app, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const plinth = (args: readonly string[], node = process.execPath) =>
  run(node, [bin, ...args], { cwd: app, env: environment });

/** Starts a server and returns its status. The server stops when its standard input is closed. */
async function start(node = process.execPath): Promise<Record<string, string>> {
  rmSync(join(app, '.plinth'), { recursive: true, force: true });
  const child = spawn(node, [bin, 'start', '--port', '0', '--json', '--follow'], {
    cwd: app,
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  onTestFinished(async () => {
    child.stdin.end();
    await ended;
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  return await new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', (line: string) => resolve(JSON.parse(line)));
    child.once('close', () => reject(new Error(errors)));
  });
}

beforeAll(async () => {
  await run(process.execPath, [join(root, 'scripts', 'package.mjs'), join(folder, 'package')]);
  const { stdout } = await run('npm', ['pack', '--pack-destination', folder], {
    cwd: join(folder, 'package'),
    env: environment,
  });
  for (const [path, text] of Object.entries(files)) write(path, text);
  const archive = join(folder, stdout.trim().split('\n').at(-1) ?? '');
  await run('npm', ['install', '--no-audit', '--no-fund', archive], { cwd: app, env: environment });
  await plinth(['fetch', '--from', join(root, 'node_modules')]);
}, 900_000);
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

it('a template uses the archive from which the package was installed', async () => {
  const created = join(folder, 'created');
  mkdirSync(created);
  await run(process.execPath, [bin, 'init', '--template', 'next'], { cwd: created, env: environment });
  const { devDependencies } = JSON.parse(readFileSync(join(created, 'package.json'), 'utf8'));
  expect(devDependencies.plinth).toMatch(/^file:\.\.\/plinth-[\w.-]+\.tgz$/);
  // npm finds the archive from the new folder.
  expect(existsSync(join(created, devDependencies.plinth.slice('file:'.length)))).toBe(true);
});

describe('the test', () => {
  /** Runs a script of node:test in a folder that uses the installed package. */
  async function outputOf(cwd: string, command: string, args: readonly string[]): Promise<string> {
    mkdirSync(join(cwd, 'node_modules'));
    symlinkSync(installed, join(cwd, 'node_modules', 'plinth'));
    symlinkSync(join(root, 'node_modules', '@supabase'), join(cwd, 'node_modules', '@supabase'));
    return (await run(command, args, { cwd, env: environment }).catch((error) => error as { stdout: string }))
      .stdout;
  }

  it('of the app templates passes', async () => {
    const cwd = join(folder, 'tested');
    mkdirSync(cwd);
    await run(process.execPath, [bin, 'init', '--template', 'react'], { cwd, env: environment });
    const output = await outputOf(cwd, 'npm', ['test']);
    expect(output, output).toMatch(/ pass 3$/m);
  });

  it('on the page about testing passes', async () => {
    const cwd = join(folder, 'documented');
    const blocks = codeBlocks(readPage('testing'));
    const files = [
      ...blocks.filter(({ path }) => path !== undefined),
      { path: 'supabase/migrations/20260101000000_notes.sql', code: joined(blocks, 'sql') },
      { path: 'package.json', code: '{}' },
    ];
    for (const { path = '', code } of files) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true });
      writeFileSync(join(cwd, path), code);
    }
    const file = blocks.find(({ language }) => language === 'js')?.path ?? '';
    const output = await outputOf(cwd, process.execPath, ['--test', '--test-reporter=tap', file]);
    expect(output, output).toMatch(/^# pass 1$/m);
  });
});

describe('the documentation', () => {
  it('is Markdown, which llms.txt lists', async () => {
    const list = readFileSync(join(installed, 'llms.txt'), 'utf8');
    const linked = [...list.matchAll(/\]\((docs\/[\w-]+\.md)\)/g)].map(([, path = '']) => path);
    const pages = readdirSync(join(installed, 'docs')).map((name) => `docs/${name}`);
    expect([...linked, 'docs/index.md'].sort()).toEqual(pages.sort());
    expect(readFileSync(join(installed, 'docs', 'agents.md'), 'utf8')).toMatch(/^# AI agents\n/);
  });

  it('is printed and searched by plinth docs', async () => {
    expect((await plinth(['docs', 'agents#tools'])).stdout).toMatch(/^## Tools\n/);
    expect((await plinth(['docs', 'restore', 'backup'])).stdout).toContain('operate#');
  });
});

describe('the files', () => {
  const all = () =>
    readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((name) =>
      statSync(join(installed, name)).isFile(),
    );

  it('have at most 15 MB, without dependencies and other programs', () => {
    const bytes = all().reduce((sum, name) => sum + statSync(join(installed, name)).size, 0);
    expect(bytes).toBeLessThan(maxPackageBytes);
    expect(readdirSync(join(app, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'plinth',
    ]);
    expect(readdirSync(join(app, 'node_modules', '.bin'))).toEqual(['plinth']);
  });

  it('include licenses, but not tests, benchmarks or sources', () => {
    const names = all();
    expect(names).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'README.md',
        'THIRD_PARTY_NOTICES.txt',
        'package.json',
        'dist/vite.d.ts',
      ]),
    );
    // App templates contain source files intentionally.
    const own = names.filter((name) => !name.startsWith('templates/'));
    expect(own.filter((name) => /\.test\.|^(test|bench)\/|(?<!\.d)\.ts$|\.map$/.test(name))).toEqual([]);
    expect(names).toContain('templates/react/src/App.tsx');
    const notices = readFileSync(join(installed, 'THIRD_PARTY_NOTICES.txt'), 'utf8');
    for (const name of ['fastify', 'react', 'ws', '@aws-sdk/client-s3'])
      expect(notices).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });

  it('don’t contain paths of the build machine or registry addresses', () => {
    for (const name of all()) {
      const bytes = readFileSync(join(installed, name));
      expect(bytes.includes(root), name).toBe(false);
    }
    expect(readFileSync(join(installed, 'runtime-packages.json'), 'utf8')).not.toMatch(/https?:/);
  });
});

describe('plinth start', () => {
  it('runs every part of a project', async () => {
    const { API_URL, STUDIO_URL, PUBLISHABLE_KEY = '' } = await start();
    const request = (path: string, init: RequestInit = {}) =>
      fetch(`${API_URL}${path}`, { ...init, headers: { apikey: PUBLISHABLE_KEY, ...init.headers } });
    expect(await (await request('/rest/v1/todos?select=task')).json()).toEqual([{ task: 'ship' }]);
    const body = JSON.stringify({ email: 'ada@example.com', password: 'correct horse' });
    const signUp = await request('/auth/v1/signup', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(signUp.status).toBe(200);
    const { access_token: token } = (await signUp.json()) as { access_token: string };
    const called = await request('/functions/v1/hello', { headers: { authorization: `Bearer ${token}` } });
    expect(await called.text()).toBe('hello');
    const signIn = await (await request('/account/sign-in')).text();
    expect(signIn).toContain('<form');
    expect(signIn).toMatch(/--mantine-[\s\S]*?<\/style>/);
    expect(signIn).not.toContain('%PLINTH_');
    const consolePage = await fetch(`${STUDIO_URL}/console/sign-in`);
    expect(await consolePage.text()).toContain('<meta name="plinth-command" content="npx plinth" />');
    const { stdout } = await plinth(['gen', 'types', '--lang', 'typescript', '--local']);
    expect(stdout).toContain('task: string');
  });

  const olderNode = ['/usr/local/bin/node', '/usr/bin/node'].find((path) => existsSync(path));

  it.skipIf(olderNode === undefined)('also runs with the machine’s own Node.js', async () => {
    await plinth(['fetch', '--from', join(root, 'node_modules')], olderNode);
    const { API_URL, PUBLISHABLE_KEY = '' } = await start(olderNode);
    const response = await fetch(`${API_URL}/rest/v1/todos`, { headers: { apikey: PUBLISHABLE_KEY } });
    expect(response.status).toBe(200);
  });

  it('explains how to continue if a download fails', async () => {
    const cache = join(folder, 'empty-cache');
    const failed = run(process.execPath, [bin, 'start', '--port', '0'], {
      cwd: app,
      env: { ...environment, PLINTH_CACHE_DIR: cache },
    });
    await expect(failed).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/couldn't be downloaded with npm[\s\S]*Run "npx plinth fetch" while/),
    });
  });
});

describe('the types', () => {
  it.each(['bundler', 'nodenext'])(
    'resolve completely with moduleResolution %s',
    async (moduleResolution) => {
      write(
        'types/index.ts',
        `import { type Backend, createBackend } from 'plinth';
import { createTestBackend, type TestBackend } from 'plinth/testing';
import { plinth } from 'plinth/vite';
export const backend: Promise<Backend> = createBackend({ port: 0 });
export const test: Promise<TestBackend> = createTestBackend({ settings: { 'auth.enable_signup': false } });
export const rows: Promise<{ id: number }[]> = test.then(({ sql }) => sql<{ id: number }>\`select 1 as id\`);
export const name: string = plinth({ port: 0 }).name;
// @ts-expect-error The port is a number.
createBackend({ port: '0' });
`,
      );
      const module = moduleResolution === 'bundler' ? 'esnext' : 'nodenext';
      const config = write(
        'types/tsconfig.json',
        JSON.stringify({
          compilerOptions: {
            strict: true,
            exactOptionalPropertyTypes: true,
            noEmit: true,
            skipLibCheck: false,
            target: 'es2022',
            lib: ['es2022', 'dom'],
            types: [],
            module,
            moduleResolution,
          },
          files: ['index.ts'],
        }),
      );
      const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
      const { stdout } = await run(process.execPath, [tsc, '-p', config]).catch(
        (error) => error as { stdout: string },
      );
      expect(stdout).toBe('');
    },
  );
});

describe('plinth/testing', () => {
  const body = (expectTask: string) => `
    const backend = await createTestBackend();
    try {
      const response = await backend.fetch('/rest/v1/todos?select=task', { headers: { apikey: backend.keys.publishableKey } });
      const [{ task }] = await response.json();
      await backend.sql\`update todos set task = \${'changed'}\`;
      const rows = await backend.sql\`select task from todos\`;
      ${expectTask}
    } finally {
      await backend.stop();
    }`;

  const versions = [...(hasOlderVersions ? olderVersions : []), '26'] as const;

  it.each(versions)('isolates node:test tests on Node.js %s, with one PostgreSQL server', async (version) => {
    const node = version === '26' ? process.execPath : await olderNode(version);
    // On versions before 24, the backends run on Node.js 26, which must be in the cache.
    if (version !== '26') await plinth(['fetch', '--from', join(root, 'node_modules')], node);
    const check = body("assert.deepEqual([task, rows], ['ship', [{ task: 'changed' }]]);");
    write(
      'test/one.test.mjs',
      `import assert from 'node:assert';
import { test } from 'node:test';
import { createTestBackend } from 'plinth/testing';
test('one', async () => {${check}});
test('two', async () => {${check}});
test('errors', async () => {
  await assert.rejects(createTestBackend({ sql: 'select nothing' }), /column "nothing" does not exist/);
  await assert.rejects(createTestBackend({ settings: { 'auth.unknown': 1 } }), /auth\\.unknown/);
});`,
    );
    write(
      'test/two.test.cjs',
      `const assert = require('node:assert');
const { test } = require('node:test');
const { createTestBackend } = require('plinth/testing');
test('three', async () => {${check}});`,
    );
    const tests = ['test/one.test.mjs', 'test/two.test.cjs'];
    const { stdout } = await run(node, ['--test', '--test-reporter=tap', ...tests], {
      cwd: app,
      env: environment,
    }).catch((error) => error as { stdout: string });
    expect(stdout, stdout).toMatch(/^# pass 4$/m);
  });

  it('works in vitest', async () => {
    const check = body("expect([task, rows]).toEqual(['ship', [{ task: 'changed' }]]);");
    for (const name of ['a', 'b'])
      write(
        `spec/${name}.spec.js`,
        `import { createTestBackend } from 'plinth/testing';
test('${name}', async () => {${check}});`,
      );
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
    const { stdout } = await run(
      process.execPath,
      [vitest, 'run', '--root', app, '--globals', '--dir', 'spec', '--testTimeout', '60000'],
      { cwd: app, env: environment },
    ).catch((error) => error as { stdout: string });
    expect(stdout, stdout).toMatch(/Tests\s.*2 passed/);
  });
});

describe('plinth/vite', () => {
  it('runs the backend as long as the development server, and passes its URL to the app', async () => {
    const vite = pathToFileURL(join(root, 'node_modules', 'vite', 'dist', 'node', 'index.js')).href;
    const script = write(
      'vite.mjs',
      `import { createServer } from ${JSON.stringify(vite)};
import { plinth } from 'plinth/vite';
const plugins = [plinth({ port: 0 })];
const server = await createServer({ configFile: false, root: import.meta.dirname, plugins, server: { port: 0 } });
const { VITE_SUPABASE_URL: url, VITE_SUPABASE_PUBLISHABLE_KEY: key } = server.config.env;
const response = await fetch(url + '/rest/v1/todos?select=task', { headers: { apikey: key } });
console.log(JSON.stringify({ url, rows: await response.json() }));
await server.close();`,
    );
    const { stdout } = await run(process.execPath, [script], { cwd: app, env: environment });
    const { url, rows } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    expect(rows).toEqual([{ task: 'ship' }]);
    await expect
      .poll(() =>
        fetch(url).then(
          () => 'serves',
          () => 'stopped',
        ),
      )
      .toBe('stopped');
  });
});

describe('plinth alias supabase', () => {
  const existing = join(folder, 'existing');
  const page = readFileSync(join(root, 'docs', 'existing-scripts.md'), 'utf8');
  const [, makefile = ''] = /```make\n([\s\S]*?)```/.exec(page) ?? [];
  const env = {
    ...environment,
    ...Object.fromEntries(
      ['API', 'DB', 'STUDIO', 'LOCAL_SMTP'].map((service) => [`SUPABASE_${service}_PORT`, '0']),
    ),
  };
  const runIn = (program: string, args: readonly string[]) => run(program, args, { cwd: existing, env });

  it('lets an unchanged makefile run Plinth through npx', async () => {
    mkdirSync(join(existing, 'supabase', 'functions', 'hello'), { recursive: true });
    for (const path of ['supabase/config.toml', 'supabase/functions/hello/index.ts'])
      writeFileSync(join(existing, path), files[path] ?? '');
    writeFileSync(join(existing, 'package.json'), '{ "name": "existing", "private": true }');
    writeFileSync(join(existing, 'Makefile'), makefile);
    const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
    await runIn('npm', ['install', '--save-dev', '--no-audit', '--no-fund', join(folder, archive)]);
    await runIn('npx', ['plinth', 'alias', 'supabase']);
    await runIn('npm', ['install', '--no-audit', '--no-fund']);
    // The lockfile contains the alias, so a clean installation in CI has it too.
    await runIn('npm', ['ci', '--no-audit', '--no-fund']);
    onTestFinished(async () => {
      await runIn('npx', ['plinth', 'stop', '--no-backup']);
    });
    await runIn('make', ['start-supabase']);
    const { stdout } = await runIn('npx', ['supabase', 'status', '-o', 'env']);
    const [, url = ''] = /^API_URL="(.+)"$/m.exec(stdout) ?? [];
    expect((await fetch(`${url}/health`)).status).toBe(200);
    for (const target of ['supabase-migrate-database', 'supabase-reset-database'])
      await runIn('make', [target]);
    await expect(runIn('make', ['supabase-deploy'])).rejects.toMatchObject({
      stderr: expect.stringContaining('linked'),
    });
    await runIn('make', ['stop-supabase']);
    await expect(fetch(`${url}/health`)).rejects.toThrow();
  });
});
