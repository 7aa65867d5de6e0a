/**
 * Tests the third step of the README's tour, which shows the app and the Console side by side. test/example covers the
 * steps before it, starting with the command.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { createServer, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, it } from 'vitest';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
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
  // The redirect rule accepts every port on the loopback address of the site URL.
  const address = app.httpServer?.address() as AddressInfo;
  appUrl = `http://127.0.0.1:${address.port}/`;
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await app?.close();
  rmSync(cacheDir, { recursive: true, force: true });
  await backend?.stop();
});

/** Signs in another user, in a separate browser context. */
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

it('the app shows changes from the Console immediately', async () => {
  const person = await signInAsGuest();
  await person.getByRole('textbox', { name: 'Note' }).fill('Hello from the tour');
  await person.getByRole('button', { name: 'Add' }).click();
  await person.getByText('Hello from the tour').waitFor();

  const operator = await (await browser.newContext()).newPage();
  await operator.goto(await backend.consoleLink());
  await operator.getByRole('link', { name: 'Tables', exact: true }).click();
  await operator.getByRole('link', { name: 'notes', exact: true }).click();
  await operator.getByText('Hello from the tour').dblclick();
  await operator.keyboard.press('ControlOrMeta+A');
  await operator.keyboard.type('Changed in the Console');
  await operator.keyboard.press('Enter');
  await person.getByText('Changed in the Console').waitFor();
  await person.getByText('Hello from the tour').waitFor({ state: 'detached' });
});
