/** The README's tour: the example app in a real browser, signed in through the Account pages, live, and the Console. */
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { createServer, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Backend } from '../../src/main.ts';
import { createTestBackend, stopTestCluster } from '../../src/testing.ts';
import { launchBrowser } from '../web/browser.ts';

const example = fileURLToPath(new URL('../../examples/live-board', import.meta.url));

let backend: Backend;
let app: ViteDevServer;
let appUrl: string;
let cacheDir: string;
let browser: Browser;

beforeAll(async () => {
  backend = await createTestBackend({ projectDir: example });
  cacheDir = mkdtempSync(join(tmpdir(), 'plinth-vite-'));
  app = await createServer({
    root: example,
    cacheDir,
    logLevel: 'error',
    define: { 'import.meta.env.VITE_SUPABASE_URL': JSON.stringify(backend.url) },
    server: { port: 0, strictPort: false },
  });
  await app.listen();
  // The redirect rule takes every port of the site's loopback address.
  const address = app.httpServer?.address() as AddressInfo;
  appUrl = `http://127.0.0.1:${address.port}/`;
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await app?.close();
  rmSync(cacheDir, { recursive: true, force: true });
  await backend?.stop();
  await stopTestCluster();
});

/** Somebody at their own computer, on the board. */
async function signInAsGuest(): Promise<Page> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(appUrl);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${backend.url}/account/sign-in**`);
  await page.getByRole('button', { name: 'Continue as a guest' }).click();
  await page.waitForURL((url) => url.href.startsWith(appUrl));
  await page.getByText('live', { exact: true }).waitFor();
  return page;
}

it('signs in on the Account pages, shows a note in a second window, and what the Console changes', async () => {
  const [writer, reader] = [await signInAsGuest(), await signInAsGuest()];
  await writer.getByRole('textbox', { name: 'Note' }).fill('Hello from the tour');
  await writer.getByRole('button', { name: 'Add' }).click();
  await reader.getByText('Hello from the tour').waitFor();

  const console = await (await browser.newContext()).newPage();
  await console.goto(await backend.consoleLink());
  await console.getByRole('link', { name: 'Tables', exact: true }).click();
  await console.getByRole('link', { name: 'notes', exact: true }).click();
  await console.getByText('Hello from the tour').dblclick();
  await console.keyboard.press('ControlOrMeta+A');
  await console.keyboard.type('Changed in the Console');
  await console.keyboard.press('Enter');
  await reader.getByText('Changed in the Console').waitFor();
  expect(await reader.getByText('Hello from the tour').count()).toBe(0);
});
