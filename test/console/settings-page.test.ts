/** The settings page in Chromium: settings are found, changed, reviewed as a diff, and written. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeViolations, launchBrowser, openContext, scrollsSideways } from '../web/browser.ts';
import { type Backend, startBackend } from './harness.ts';

const projectDir = mkdtempSync(join(tmpdir(), 'plinth-settings-page-'));
const file = join(projectDir, 'supabase/config.toml');
const text = '[auth]\njwt_expiry = 3600 # an hour\n';
let backend: Backend;
let browser: Browser;
beforeAll(async () => {
  mkdirSync(join(projectDir, 'supabase'));
  writeFileSync(file, text);
  backend = await startBackend({ projectDir });
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
  const page = await context.newPage();
  await page.goto(await backend.consoleLink(name));
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.goto(`${backend.console.url}/console${path}`);
  await page.getByLabel('auth.jwt_expiry', { exact: true }).waitFor();
  return { page, complaints, close: () => context.close() };
}

test('a setting is changed by keyboard, reviewed, and written with its comment kept', async () => {
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
  await page.getByText('Restart the server to apply this change').waitFor();
  expect(readFileSync(file, 'utf8')).toBe('[auth]\njwt_expiry = 7200 # an hour\n');
  expect(complaints.list).toEqual([]);
  await close();
});

test('a name of one’s own is added, and mails are looked at and tried', async () => {
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

test('a read-only operator looks and changes nothing', async () => {
  const { page, close } = await opened('/settings', {}, 'looker');
  expect(await page.getByLabel('auth.jwt_expiry', { exact: true }).isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Send' }).count()).toBe(0);
  await close();
});

describe.each([
  [1280, 800],
  [360, 740],
])('%i px wide', (width, height) => {
  test.each(['light', 'dark'] as const)('accessible and fits, %s', async (colorScheme) => {
    const { page, complaints, close } = await opened('/settings?search=jwt_expiry', {
      viewport: { width, height },
      colorScheme,
    });
    expect(await axeViolations(page)).toEqual([]);
    expect(await scrollsSideways(page)).toBe(false);
    expect(await page.getByText('⟦').count()).toBe(0);
    expect(complaints.list).toEqual([]);
    await close();
  });
});
