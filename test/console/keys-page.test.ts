/**
 * Tests the keys page in Chromium: keys are created, shown once and revoked by typing their name, and signing keys
 * rotate.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generateSigningKey } from '../../src/keys/index.ts';
import { launchBrowser, openContext } from '../web/browser.ts';
import { type Backend, startBackend } from './harness.ts';
import { expectSound, looks, signInWindow } from './page-helpers.ts';

const dir = mkdtempSync(join(tmpdir(), 'plinth-keys-page-'));
let backend: Backend;
let browser: Browser;
beforeAll(async () => {
  const file = join(dir, 'signing.json');
  writeFileSync(file, JSON.stringify([generateSigningKey('ES256'), generateSigningKey('ES256')]));
  backend = await startBackend({ config: { auth: { signing_keys_path: file } } });
  await backend.operators.createOperator('dev', 'developer');
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
  rmSync(dir, { recursive: true });
});

async function opened(options: Parameters<typeof openContext>[1] = {}, name?: string) {
  const { context, complaints } = await openContext(browser, {
    viewport: { width: 1280, height: 800 },
    ...options,
  });
  await signInWindow(context, backend, name);
  const page = await context.newPage();
  await page.goto(`${backend.console.url}/console/keys`);
  await page.getByRole('heading', { name: 'Signing keys' }).waitFor();
  return { page, complaints, close: () => context.close() };
}

const hostile = '<img src=x onerror=alert(1)>';

test('a key is created, shown once, and revoked by typing its name', async () => {
  const { page, complaints, close } = await opened();
  await page.getByRole('button', { name: 'Create key' }).press('Enter');
  await page.getByRole('dialog').getByLabel('Name').fill(hostile);
  await page.getByRole('dialog').getByLabel('Kind').selectOption('secret');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).press('Enter');
  const key = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
  expect(key).toMatch(/^sb_secret_[\w-]{32}$/);
  await page.getByRole('button', { name: 'Done' }).press('Enter');
  expect((await backend.fetch('/auth/v1/admin/users', { headers: { apikey: key } })).status).toBe(200);
  await page.getByText(hostile).waitFor();
  expect(await page.getByText(key).count()).toBe(0);
  await page.getByRole('button', { name: `Revoke ${hostile}` }).press('Enter');
  const asked = page.getByRole('dialog');
  await asked.getByRole('textbox').fill(hostile);
  await page.keyboard.press('Enter');
  await page.getByText('No keys yet').waitFor();
  expect((await backend.fetch('/auth/v1/admin/users', { headers: { apikey: key } })).status).toBe(401);
  expect(complaints.list).toEqual([]);
  await close();
});

test('a standby key becomes the current key; the previous key verifies tokens until it is revoked', async () => {
  const { page, complaints, close } = await opened();
  await page.getByRole('button', { name: /^Rotate to / }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).press('Enter');
  const previous = page.getByRole('row').filter({ hasText: 'previous' });
  await previous.waitFor();
  const kid = (await previous.locator('code').textContent()) ?? '';
  await previous.getByRole('button', { name: /^Revoke/ }).press('Enter');
  await page.getByRole('dialog').getByRole('textbox').fill(kid.slice(0, 8));
  await page.keyboard.press('Enter');
  await previous.waitFor({ state: 'detached' });
  expect(complaints.list).toEqual([]);
  await close();
});

test('a secret is revealed only to an owner', async () => {
  const { page, close } = await opened();
  expect(await page.content()).not.toContain(backend.keys.secretKey);
  await page.getByRole('button', { name: 'Reveal Secret key' }).press('Enter');
  await page.getByText(backend.keys.secretKey).waitFor();
  await close();
  const other = await opened({}, 'dev');
  for (const name of [/Reveal/, /Create key/, /Revoke/, /standby/])
    expect(await other.page.getByRole('button', { name }).count()).toBe(0);
  await other.close();
});

test.each(looks)(
  'the page is accessible and fits at $width px, $colorScheme first',
  async ({ colorScheme, ...viewport }) => {
    const { page, complaints, close } = await opened({ viewport, colorScheme });
    await expectSound(page, 'the page');
    expect(complaints.list).toEqual([]);
    await close();
  },
);
