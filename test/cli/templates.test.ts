/**
 * Tests app templates: `plinth init --template`, the choice of templates in an empty folder, and the React app in a
 * browser. The clone contains only the packages of the templates `react` and `ai` (`ai-template.test.ts`). For the
 * other templates, the tests check only the files, because testing the apps requires downloads
 * (`scripts/check-templates.ts`).
 */
import { execFile, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { templateNames } from '../../src/entry/cli/core/templates.ts';
import { launchBrowser, openContext } from '../web/browser.ts';
import { plinth } from './run-plinth.ts';
import { createApp, type RunningApp, root, serveApp } from './template-app.ts';

// The timeout is long, because each test starts several processes, one of which creates a cluster.
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'plinth-templates-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function emptyFolder(name: string): string {
  const dir = join(folder, name);
  mkdirSync(dir);
  return dir;
}

test.each(templateNames)('%s is written with its tables and settings', async (name) => {
  const cwd = emptyFolder(`My ${name}`);
  const { status, stdout, stderr } = await plinth(['init', '--template', name], { cwd });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain('npm run dev');
  const manifest = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8')) as {
    name: string;
    scripts: Record<string, string>;
    dependencies: Record<string, string>;
    devDependencies: Record<string, string>;
  };
  expect(manifest.name).toBe(`my-${name}`);
  expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(['dev', 'check', 'build']));
  // The package versions are exact, so a new project uses the versions with which the template was checked.
  for (const version of Object.values({ ...manifest.dependencies, ...manifest.devDependencies }))
    expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
  const files = readdirSync(cwd, { recursive: true, encoding: 'utf8' });
  expect(files).toEqual(expect.arrayContaining(['.gitignore', 'README.md', 'supabase/config.toml']));
  const table = name === 'ai' ? 'documents' : 'notes';
  expect(files).toContain(`supabase/migrations/20260101000000_${table}.sql`);
  expect(files.some((file) => file.endsWith(`/${table}.ts`))).toBe(true);
  expect(JSON.stringify(manifest)).not.toContain('PLINTH_VERSION');
});

test.each(['react', 'ai'])('the template %s uses the versions in the clone', (template) => {
  const versionIn = (path: string, name: string): string | undefined => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(path, 'utf8'));
    return { ...dependencies, ...devDependencies }[name];
  };
  for (const name of [
    'react',
    'react-dom',
    'vite',
    'typescript',
    '@vitejs/plugin-react',
    '@types/react',
    '@types/react-dom',
    '@supabase/supabase-js',
  ]) {
    const installed = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
    expect([name, versionIn(join(root, 'templates', template, 'package.json'), name)]).toEqual([
      name,
      installed.version,
    ]);
  }
});

test('existing files are kept, and an unknown name is rejected', async () => {
  const cwd = emptyFolder('used');
  writeFileSync(join(cwd, 'index.html'), 'mine');
  const refused = await plinth(['init', '--template', 'react'], { cwd });
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('would replace index.html')]);
  expect(readdirSync(cwd)).toEqual(['index.html']);
  expect(readFileSync(join(cwd, 'index.html'), 'utf8')).toBe('mine');
  const unknown = await plinth(['init', '--template', 'cobol'], { cwd });
  expect([unknown.status, unknown.stderr]).toEqual([
    2,
    expect.stringContaining('cobol must be one of react, next, sveltekit, expo, ai'),
  ]);
});

test('an existing package.json and .gitignore are extended, and a README.md is kept', async () => {
  const cwd = emptyFolder('extended');
  const own = {
    name: 'mine',
    type: 'commonjs',
    scripts: { dev: 'mine' },
    devDependencies: { plinth: 'file:../p.tgz' },
  };
  writeFileSync(join(cwd, 'package.json'), JSON.stringify(own));
  writeFileSync(join(cwd, '.gitignore'), 'secret');
  writeFileSync(join(cwd, 'README.md'), 'mine');
  const { status, stdout } = await plinth(['init', '--template', 'react'], { cwd });
  expect([status, stdout]).toEqual([0, expect.stringContaining("which weren't changed: dev.")]);
  expect(JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'))).toMatchObject({
    name: 'mine',
    type: 'module',
    scripts: { dev: 'mine', build: 'tsc --noEmit && vite build' },
    dependencies: { react: expect.any(String) },
    devDependencies: { plinth: 'file:../p.tgz', vite: expect.any(String) },
  });
  expect(readFileSync(join(cwd, '.gitignore'), 'utf8')).toMatch(/^secret\n[\s\S]*node_modules/);
  expect(readFileSync(join(cwd, 'README.md'), 'utf8')).toBe('mine');
});

test.each([
  ['react', 5173],
  ['next', 3000],
  ['sveltekit', 5173],
  ['expo', 8081],
  ['ai', 5173],
])('links in emails open the development server of %s', async (name, port) => {
  const cwd = join(folder, `My ${name}`);
  const config = readFileSync(join(cwd, 'supabase/config.toml'), 'utf8');
  expect(config).toContain(`site_url = "http://localhost:${port}"`);
  expect(config).toContain('[local_smtp]\n');
  // Functions use modules of Deno, which the app's type check can't resolve.
  const { include, exclude } = JSON.parse(readFileSync(join(cwd, 'tsconfig.json'), 'utf8'));
  expect(include?.includes('src') || exclude?.includes('supabase')).toBe(true);
});

test('without a terminal, an empty folder causes a hint instead of a question', async () => {
  const cwd = emptyFolder('hint');
  const { status, stderr } = await plinth([], { cwd });
  expect([status, stderr]).toEqual([
    2,
    'This folder is empty. Run "plinth init --template NAME" to create an app (react, next, sveltekit, expo, ai), or "plinth start" to start a backend.\n',
  ]);
  expect(readdirSync(cwd)).toEqual([]);
  writeFileSync(join(cwd, 'file'), '');
  expect((await plinth([], { cwd })).stdout).toContain('Usage: plinth COMMAND');
});

test.runIf(existsSync('/usr/bin/script'))(
  'on a terminal, the user of an empty folder can choose a template',
  async () => {
    const cwd = emptyFolder('offer');
    const bin = join(root, 'bin', 'plinth-built.mjs');
    // The program `script` runs the command in a terminal.
    const child = spawn('script', ['-qec', `"${process.execPath}" "${bin}"`, '/dev/null'], { cwd });
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    child.stdout.on('data', (data) => {
      output += data;
    });
    await expect.poll(() => output).toContain('2  Next.js');
    child.stdin.write('nine\r');
    await expect.poll(() => output).toContain('Enter a number from 1 to 6.');
    child.stdin.write('2\r');
    await new Promise((resolve) => child.once('exit', resolve));
    expect(output).toContain('Created an app with Next.js');
    expect(existsSync(join(cwd, 'app', 'page.tsx'))).toBe(true);
  },
);

describe('the React app', () => {
  const cwd = join(folder, 'app');
  let browser: Browser;
  let app: RunningApp;

  beforeAll(async () => {
    await createApp(cwd, 'react');
    expect(readFileSync(join(cwd, 'supabase', 'config.toml'), 'utf8')).toContain('project_id = "app"');
    browser = await launchBrowser();
    app = await serveApp(cwd);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.stop();
  });

  test('the plugins of frameworks find the address in the environment', () => {
    expect(app.output()).toMatch(/^in the hook: http:\/\/127\.0\.0\.1:\d+$/m);
    expect(app.output()).toMatch(
      /^\[plinth\] Console: http:\/\/127\.0\.0\.1:\d+\S* \(run "npx plinth console" to sign in\)$/m,
    );
    expect(app.output()).toMatch(/^\[plinth\] Inbox: {3}http:\/\/127\.0\.0\.1:\d+/m);
  });

  test('has correct types', async () => {
    const { stdout } = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc')], { cwd });
    expect(stdout).toBe('');
  });

  test('can be built', async () => {
    await run(process.execPath, [join(root, 'node_modules/vite/bin/vite.js'), 'build'], { cwd });
    expect(readdirSync(join(cwd, 'dist'))).toContain('index.html');
  });

  test('lets a user sign up, write a note with an image, and see it in another window', async () => {
    const { context } = await openContext(browser);
    context.setDefaultTimeout(40_000);
    const page = await context.newPage();
    await page.goto(app.url);
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Password').fill('correct horse');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('Signed in as ada@example.com').waitFor();

    const other = await context.newPage();
    await other.goto(app.url);
    await other.getByText('Signed in as ada@example.com').waitFor();

    await page.getByLabel('Note').fill('Buy milk');
    await page.getByLabel('Image').setInputFiles({
      name: 'dot.png',
      mimeType: 'image/png',
      buffer: Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        'base64',
      ),
    });
    await page.getByRole('button', { name: 'Add note' }).click();
    for (const each of [page, other]) {
      const image = each.getByRole('img', { name: 'Attached to Buy milk' });
      await image.waitFor();
      await expect.poll(() => isLoaded(each)).toBe(true);
    }
    await other.getByRole('button', { name: 'Delete Buy milk' }).click();
    await page.getByText('Buy milk').first().waitFor({ state: 'detached' });

    // Another user can't see this note.
    await page.getByLabel('Note').fill('Mine');
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.getByRole('button', { name: 'Delete Mine' }).waitFor();
    const stranger = await (await openContext(browser)).context.newPage();
    await stranger.goto(app.url);
    await stranger.getByLabel('Email').fill('eve@example.com');
    await stranger.getByLabel('Password').fill('correct horse');
    await stranger.getByRole('button', { name: 'Create account' }).click();
    await stranger.getByText('Signed in as eve@example.com').waitFor();
    await stranger.getByLabel('Note').fill('Of Eve');
    await stranger.getByRole('button', { name: 'Add note' }).click();
    await stranger.getByRole('button', { name: 'Delete Of Eve' }).waitFor();
    expect(await stranger.getByText('Mine').count()).toBe(0);
  });
});

const isLoaded = (page: Page): Promise<boolean> =>
  page
    .getByRole('img')
    .first()
    .evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth > 0);
