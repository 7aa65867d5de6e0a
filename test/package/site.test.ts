/**
 * Builds the documentation site, and checks its links, anchors, pictures and search. `npm test` skips this file.
 *
 * @module-tag package
 */
import { execFile } from 'node:child_process';
import { createReadStream, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { topicsOf } from '../../src/base/shared/documents/pages.ts';
import { launchBrowser } from '../web/browser.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 });

const root = fileURLToPath(new URL('../..', import.meta.url));
const site = mkdtempSync(join(tmpdir(), 'plinth-site-'));
const names = topicsOf(readFileSync(join(root, 'docs', 'index.md'), 'utf8')).flatMap(({ pages }) =>
  pages.map(({ name }) => name),
);
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};
let server: Server;
let url = '';
let browser: Browser;

/** Serves the site as web servers do that support URLs without `.html`. */
function serveSite(): Promise<Server> {
  const created = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname);
    const file = [path, `${path}.html`, `${path}index.html`]
      .map((each) => join(site, each))
      .find((each) => existsSync(each) && statSync(each).isFile());
    response.writeHead(file === undefined ? 404 : 200, {
      'content-type': types[extname(file ?? '.html')] ?? 'text/plain',
    });
    if (file === undefined) response.end();
    else createReadStream(file).pipe(response);
  });
  return new Promise((resolve) => created.listen(0, '127.0.0.1', () => resolve(created)));
}

beforeAll(async () => {
  const vitepress = join(root, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
  // A link to a page that doesn't exist ends the build with an error.
  await promisify(execFile)(process.execPath, [vitepress, 'build', 'docs', '--outDir', site], { cwd: root });
  server = await serveSite();
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await new Promise((resolve) => server?.close(resolve));
  rmSync(site, { recursive: true, force: true });
});

it('contains the Markdown and llms.txt', () => {
  expect(readFileSync(join(site, 'llms.txt'), 'utf8')).toMatch(/^# Plinth\n\n> /);
  for (const name of names) expect(existsSync(join(site, `${name}.md`))).toBe(true);
});

it('has no broken link, anchor, picture or script', async () => {
  const page = await browser.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`));
  page.on('response', (response) => {
    if (response.status() >= 400) faults.push(`${page.url()}: ${response.url()}`);
  });
  const anchors = new Map<string, readonly string[]>();
  const links: { from: string; to: URL }[] = [];
  for (const path of ['/', ...names.map((name) => `/${name}`), '/decisions/README']) {
    await page.goto(url + path);
    await page.locator('main h1, .VPHome h1').first().waitFor();
    const found = await page.evaluate(() => ({
      ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
      links: [...document.querySelectorAll<HTMLAnchorElement>('main a, aside a, nav a')].map(
        ({ href }) => href,
      ),
      broken: [...document.images]
        .filter((image) => image.complete && image.naturalWidth === 0)
        .map(({ src }) => src),
    }));
    anchors.set(path, found.ids);
    faults.push(...found.broken.map((src) => `${path}: ${src}`));
    links.push(...found.links.map((href) => ({ from: path, to: new URL(href) })));
  }
  const isPage = ({ pathname }: URL): boolean =>
    [pathname, `${pathname}.html`, `${pathname}index.html`].some(
      (each) => existsSync(join(site, each)) && statSync(join(site, each)).isFile(),
    );
  for (const { from, to } of links.filter((link) => link.to.origin === url)) {
    if (!isPage(to)) faults.push(`${from}: ${to.pathname}`);
    const ids = anchors.get(to.pathname);
    const id = decodeURIComponent(to.hash.slice(1));
    if (id !== '' && ids !== undefined && !ids.includes(id)) faults.push(`${from}: ${to.pathname}${to.hash}`);
  }
  expect(links.length).toBeGreaterThan(500);
  expect([...new Set(faults)]).toEqual([]);
});

it.each(['light', 'dark'] as const)('fits a phone and a desktop in %s', async (colorScheme) => {
  for (const width of [390, 1440]) {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
    const all = width === 390 && colorScheme === 'light';
    for (const path of all ? ['/', ...names.map((name) => `/${name}`)] : ['/', '/config', '/performance']) {
      await page.goto(url + path);
      await page.locator('main h1, .VPHome h1').first().waitFor();
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect([width, path, overflow]).toEqual([width, path, 0]);
      const isDark = await page.evaluate(() => document.documentElement.classList.contains('dark'));
      expect(isDark).toBe(colorScheme === 'dark');
    }
    await page.close();
  }
});

it('finds a page by a word in its text', async () => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(url);
  await page.getByRole('button', { name: 'Search' }).first().click();
  await page.getByRole('searchbox').fill('security definer');
  await page
    .getByRole('option', { name: /Row level security by example/ })
    .first()
    .click();
  await page.waitForURL(/row-level-security/);
  await page.close();
});
