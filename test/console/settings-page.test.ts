/** Tests the settings page in Chromium: settings are found, changed, reviewed as a diff, and written. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations, launchBrowser, openContext, scrollsSideways } from '../web/browser.ts';
import { type Backend, startBackend } from './harness.ts';
import { expectSound, looks, signInWindow } from './page-helpers.ts';

const projectDir = mkdtempSync(join(tmpdir(), 'plinth-settings-page-'));
const file = join(projectDir, 'supabase/config.toml');
const text = '[auth]\njwt_expiry = 3600 # an hour\n';
let backend: Backend;
let restarts = 0;
let browser: Browser;
beforeAll(async () => {
  mkdirSync(join(projectDir, 'supabase'));
  writeFileSync(file, text);
  backend = await startBackend({ projectDir, restart: () => void restarts++ });
  await backend.operators.createOperator('looker', 'read-only');
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
  rmSync(projectDir, { recursive: true });
});

async function opened(path: string, options: Parameters<typeof openContext>[1] = {}, name?: string) {
  const { context, complaints } = await openContext(browser, {
    viewport: { width: 1280, height: 800 },
    ...options,
  });
  await signInWindow(context, backend, name);
  const page = await context.newPage();
  await page.goto(`${backend.console.url}/console${path}`);
  await page.getByLabel('auth.jwt_expiry', { exact: true }).waitFor();
  return { page, complaints, close: () => context.close() };
}

test('a setting is changed with the keyboard, reviewed, and written with its comment preserved', async () => {
  const { page, complaints, close } = await opened('/settings');
  const field = page.getByLabel('auth.jwt_expiry', { exact: true });
  expect(await field.inputValue()).toBe('3600');
  await field.fill('soon');
  await page.getByRole('button', { name: 'Review changes' }).press('Enter');
  await page.getByRole('alert').getByText("isn't a whole number").waitFor();
  await page.keyboard.press('Escape');
  await field.fill('7200');
  await page.getByRole('button', { name: 'Review changes' }).press('Enter');
  const diff = page.getByRole('region', { name: 'Changes to config.toml' });
  await diff.getByText('jwt_expiry = 7200 # an hour').waitFor();
  expect(readFileSync(file, 'utf8')).toBe(text);
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save to files' }).press('Enter');
  await page.getByRole('status').getByText('1 setting applied').waitFor();
  expect(readFileSync(file, 'utf8')).toBe('[auth]\njwt_expiry = 7200 # an hour\n');
  expect(complaints.list).toEqual([]);
  await close();
});

test('a custom entry is added, and emails are previewed and tested', async () => {
  const { page, complaints, close } = await opened('/settings');
  const form = page.getByRole('region', { name: '[auth.sms.test_otp.PHONE]' });
  await form.getByLabel('New name: PHONE').fill('15550100');
  await page.keyboard.press('Enter');
  await page.getByLabel('auth.sms.test_otp.15550100', { exact: true }).fill('424242');
  await page.getByRole('button', { name: 'Review changes' }).press('Enter');
  await page.getByText('15550100 = "424242"').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Discard' }).press('Enter');

  await page.getByLabel('Sections').selectOption('Emails and text messages');
  await page.getByLabel('Email', { exact: true }).selectOption('recovery');
  await page
    .frameLocator('iframe[title="Preview of Reset your password"]')
    .getByText('for ada@example.com')
    .waitFor();
  expect(await page.locator('iframe').getAttribute('sandbox')).not.toContain('allow-scripts');
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Plain text' }).press('Enter');
  await page.getByText('Reset password: http').waitFor();
  await page.getByLabel('Send a test email to', { exact: true }).fill('grace@example.com');
  await page.keyboard.press('Enter');
  await page.getByText('Accepted for delivery to grace@example.com.').waitFor();
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await scrollsSideways(page)).toBe(false);
  expect(complaints.list).toEqual([]);
  await close();
});

test('files that were changed elsewhere are reloaded, and the server is restarted, with the keyboard', async () => {
  writeFileSync(file, '[auth]\njwt_expiry = 600\n[api]\nport = 1234\n');
  const { page, complaints, close } = await opened('/settings');
  await page.getByText('These settings aren’t applied yet').waitFor();
  await page.getByText('ports are opened at startup', { exact: false }).first().waitFor();
  for (const [width, colorScheme] of [
    [1280, 'dark'],
    [360, 'dark'],
    [360, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 740 });
    await page.emulateMedia({ colorScheme });
    expect(await axeViolations(page)).toEqual([]);
    expect(await scrollsSideways(page)).toBe(false);
  }
  await page.getByRole('button', { name: 'Reload settings' }).press('Enter');
  await page.getByRole('status').getByText('1 setting applied').waitFor();
  expect(backend.configuration?.status().unapplied).toEqual([]);
  await page.getByRole('button', { name: 'Restart server' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Restart the server?' });
  expect(await axeViolations(page)).toEqual([]);
  expect(restarts).toBe(0);
  await dialog.getByRole('button', { name: 'Restart server' }).press('Enter');
  await page.getByText('The server is restarting').waitFor();
  expect(restarts).toBe(1);
  expect(complaints.list).toEqual([]);
  await close();
  writeFileSync(file, text);
}, 120_000);

test('invalid files are shown with the file name and line', async () => {
  writeFileSync(file, '[auth]\njwt_expiry = 0\n');
  const { page, close } = await opened('/settings');
  await page.getByText('supabase/config.toml:2: auth.jwt_expiry').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await close();
  writeFileSync(file, text);
});

test('a read-only operator can view but not change settings', async () => {
  const { page, close } = await opened('/settings', {}, 'looker');
  expect(await page.getByLabel('auth.jwt_expiry', { exact: true }).isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Send' }).count()).toBe(0);
  await close();
});

test.each(looks)(
  'the page is accessible and fits at $width px, $colorScheme first',
  async ({ colorScheme, ...viewport }) => {
    const { page, complaints, close } = await opened('/settings?search=jwt_expiry', {
      viewport,
      colorScheme,
    });
    await expectSound(page, 'the page');
    expect(complaints.list).toEqual([]);
    await close();
  },
);
