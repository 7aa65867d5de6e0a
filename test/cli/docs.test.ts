/** Tests `plinth docs`: the list of pages, search, printing, and the pages in a browser. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { readPages } from '../../src/base/shared/documents/pages.ts';
import { headingsOf } from '../../src/base/shared/documents/sections.ts';
import { styledMarkdown } from '../../src/entry/cli/documents/styled.ts';
import { launchBrowser } from '../web/browser.ts';
import { plinth } from './run-plinth.ts';

const folder = mkdtempSync(join(tmpdir(), 'plinth-docs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const docs = (...args: string[]) => plinth(['docs', ...args], { cwd: folder });
const source = (name: string): string =>
  readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');

test('without words, all pages are listed', async () => {
  const { status, stdout } = await docs();
  expect(status).toBe(0);
  for (const { name } of await readPages())
    if (name !== 'index') expect(stdout).toMatch(new RegExp(`^  ${name} +\\S`, 'm'));
});

test('a page is printed unchanged to other programs', async () => {
  for (const name of ['agents', 'docs/agents.md', 'AGENTS'])
    expect(await docs(name)).toEqual({ status: 0, stdout: source('agents'), stderr: '' });
});

test('a section is printed with its subsections', async () => {
  const { stdout } = await docs('agents#tools');
  expect(stdout).toMatch(/^## Tools\n[\s\S]*explain_access/);
  expect(stdout).not.toContain('## Log queries');
  const missing = await docs('agents#nothing');
  expect([missing.status, missing.stderr]).toEqual([1, expect.stringContaining('"nothing"')]);
});

test('other words are searched for, and the first result can be printed', async () => {
  const { status, stdout, stderr } = await docs('restore', 'backup');
  expect(status).toBe(0);
  const [first = ''] = stdout.split(/\s/);
  expect(stderr).toBe(`Run "plinth docs ${first}" to print the first of these.\n`);
  expect((await docs(first)).stdout.toLowerCase()).toContain('restore');
  const nothing = await docs('zzzz');
  expect([nothing.status, nothing.stdout]).toEqual([1, '']);
  expect(nothing.stderr).toBe('No page contains "zzzz".\nRun "plinth docs" to list the pages.\n');
});

describe('on a terminal,', () => {
  const paint = (format: unknown, text: string) => `<${format}>${text}</${format}>`;

  test('headings, code and links stand out', () => {
    const text =
      '# Title\n\n<!-- note -->\n\nUse `a` in **b**, see [c](d.md).\n\n```sh\n# code\n```\n\n<picture>\n</picture>\n\nEnd';
    expect(styledMarkdown(text, paint as never)).toBe(
      '<bold># Title</bold>\n\nUse <cyan>`a`</cyan> in <bold>b</bold>, see [c](<dim>d.md</dim>).\n\n' +
        '<dim>```sh</dim>\n<cyan># code</cyan>\n<dim>```</dim>\n\nEnd',
    );
  });

  test('no page loses text', async () => {
    const plain = (_format: unknown, text: string) => text;
    for (const { text } of await readPages()) {
      const shown = styledMarkdown(text, plain as never);
      for (const { title } of headingsOf(text)) expect(shown).toContain(title);
    }
  });
});

describe('--web', () => {
  const bin = join(folder, 'bin');
  const opened = join(folder, 'opened');
  const env = { PATH: `${bin}:/usr/bin:/bin`, PLINTH_CACHE_DIR: join(folder, 'cache') };
  const open = (...args: string[]) => plinth(['docs', '--web', ...args], { cwd: folder, env });

  test.runIf(process.platform === 'linux')('opens the page that matches best in the browser', async () => {
    mkdirSync(bin);
    writeFileSync(
      join(bin, 'xdg-open'),
      `#!/bin/sh\nprintf %s "$1" > "${opened}.part" && mv "${opened}.part" "${opened}"\n`,
    );
    chmodSync(join(bin, 'xdg-open'), 0o755);
    const { status, stdout } = await open('restore', 'backup');
    expect(status).toBe(0);
    await expect.poll(() => existsSync(opened) && readFileSync(opened, 'utf8')).toBe(stdout.trim());
    expect(existsSync(fileURLToPath(stdout.trim()))).toBe(true);
  });

  test('writes pages whose links and anchors exist', async () => {
    const { stdout } = await open('operate');
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      const failed: string[] = [];
      page.on('requestfailed', (request) => failed.push(request.url()));
      page.on('pageerror', (error) => failed.push(error.message));
      for (const { name } of await readPages()) {
        await page.goto(new URL(`${name}.html`, stdout.trim()).href);
        const broken = await page.evaluate(() =>
          [...document.querySelectorAll<HTMLAnchorElement>('main a[href^="#"]')]
            .map((link) => decodeURIComponent(link.hash.slice(1)))
            .filter((id) => document.getElementById(id) === null),
        );
        expect([name, broken]).toEqual([name, []]);
        for (const href of await page.evaluate(() =>
          [...document.querySelectorAll('a')]
            .map((link) => link.href)
            .filter((url) => url.startsWith('file:')),
        ))
          expect([name, href, existsSync(fileURLToPath(href.replace(/#.*/, '')))]).toEqual([
            name,
            href,
            true,
          ]);
        expect(await page.locator('main h1').count()).toBe(1);
        expect(await page.locator('nav a[aria-current]').count()).toBe(name === 'index' ? 0 : 1);
      }
      expect(failed).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
