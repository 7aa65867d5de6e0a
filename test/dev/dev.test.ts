/** Tests `npm run dev` in a copy of this checkout, whose source files the test edits. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, openContext } from '../web/browser.ts';

// Vite prepares the packages for the browser when they are first requested.
const root = fileURLToPath(new URL('../..', import.meta.url));
const checkout = mkdtempSync(join(tmpdir(), 'plinth-dev-'));
const project = join(checkout, 'project');
const lines: string[] = [];
let child: ChildProcess;
let output: Interface;
let browser: Browser;
let url: string;

/** Returns the first line from the given number that matches, which may already have been printed. */
async function printed(pattern: RegExp, from = 0): Promise<RegExpExecArray> {
  for (let next = from; ; next++) {
    while (next >= lines.length) await once(output, 'line');
    const match = pattern.exec(lines[next] ?? '');
    if (match !== null) return match;
  }
}

function edit(file: string, before: string, after: string): void {
  const path = join(checkout, file);
  const source = readFileSync(path, 'utf8');
  expect(source).toContain(before);
  writeFileSync(path, source.replace(before, after));
}

beforeAll(async () => {
  for (const name of [
    'bin',
    'src',
    'web',
    'scripts',
    'templates',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
  ])
    cpSync(join(root, name), join(checkout, name), { recursive: true });
  cpSync(join(root, 'dist', 'web'), join(checkout, 'dist', 'web'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'), 'junction');
  mkdirSync(join(project, 'supabase'), { recursive: true });
  const args = [join(checkout, 'scripts/dev.mjs'), '--workdir', project, '--port', '0', '--web-port', '0'];
  child = spawn(process.execPath, args, { cwd: checkout, stdio: ['ignore', 'ignore', 'pipe'] });
  output = createInterface({ input: child.stderr as NodeJS.ReadableStream });
  output.on('line', (line) => lines.push(line));
  browser = await launchBrowser();
  [, url = ''] = await printed(/^Console with hot reload: (http:\/\/127\.0\.0\.1:\d+)\/console\/$/);
});
afterAll(async () => {
  await browser?.close();
  if (child.exitCode === null) {
    child.kill('SIGINT');
    await once(child, 'exit');
  }
  rmSync(checkout, { recursive: true, force: true });
});

const live = async (): Promise<unknown> => {
  const response = await fetch(`${url}/health/live`);
  return response.ok ? ((await response.json()) as { status: string }).status : response.status;
};
const routes = 'src/server/gateway/operator-routes.ts';

test('a change in src restarts the server, and a mistake is reported until it is corrected', async () => {
  expect(await live()).toBe('ok');
  edit(routes, "send({ status: 'ok' })", "send({ status: 'edited' })");
  await expect.poll(live, { timeout: 60_000 }).toBe('edited');
  await printed(/^The server has restarted in \d+ ms\.$/);
  const from = lines.length;
  edit(routes, "send({ status: 'edited' })", "send({ status: 'edited' ");
  await printed(/^The server has ended \(status 1\)/, from);
  edit(routes, "send({ status: 'edited' ", "send({ status: 'corrected' })");
  await expect.poll(live, { timeout: 60_000 }).toBe('corrected');
});

test('the server starts the servers of branches', async ({ task }) => {
  const name = `feature-${task.result?.retryCount ?? 0}`;
  const create = ['branch', 'create', name, '--output', 'json', '--workdir', project];
  const branch = spawn(process.execPath, [join(checkout, 'bin/plinth.mjs'), ...create], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [{ api_url: api }] = JSON.parse(await text(branch.stdout)) as [{ api_url: string }];
  // The branch starts when the first request arrives.
  expect((await fetch(`${api}/auth/v1/health`)).status).toBe(200);
});

test('a change of a component appears in the open page without a reload', async () => {
  const { context, complaints } = await openContext(browser);
  const page = await context.newPage();
  await page.goto(`${url}/console/sign-in`);
  const image = page.locator('main img');
  await image.waitFor();
  await page.evaluate('window.isSamePage = true');
  edit('web/console/features/sign-in/page.tsx', 'width={36}', 'width={37}');
  await expect.poll(() => image.getAttribute('width'), { timeout: 60_000 }).toBe('37');
  expect(await page.evaluate('window.isSamePage')).toBe(true);

  await page.goto(`${url}/account/sign-in`);
  await page.getByRole('heading').first().waitFor();
  expect(await page.evaluate('document.querySelector(\'script[src="/account/main.tsx"]\') !== null')).toBe(
    true,
  );
  expect(complaints.list).toEqual([]);
  await context.close();
});

test('other websites can’t use the pages’ port', async () => {
  const send = (headers: Record<string, string>) =>
    fetch(`${url}/console/api/session`, { method: 'GET', headers });
  expect((await send({ origin: url })).status).toBe(401);
  expect((await send({ origin: 'https://evil.example' })).status).toBe(403);
});

test('Ctrl-C ends the server and its database', async () => {
  child.kill('SIGINT');
  const [status] = await once(child, 'exit');
  expect(status).toBe(0);
  expect(existsSync(join(project, '.plinth/postgres/postmaster.pid'))).toBe(false);
  await expect(fetch(url)).rejects.toThrow();
});
