/** Tests the Extensions page in Chromium with the keyboard: searching, installing and dropping an extension. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { launchBrowser } from '../web/browser.ts';
import { pageStates } from '../web/states.ts';
import { type Backend, startBackend } from './harness.ts';
import { expectPanelAtEdge, expectSound, looks, signedIn } from './page-helpers.ts';

let backend: Backend;
let browser: Browser;

beforeAll(async () => {
  backend = await startBackend();
  await backend.operators.createOperator('looker', 'read-only');
  await backend.database.pool('postgres').exec('create extension postgis with schema extensions');
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

const isInstalled = async (name: string) => {
  const rows = await backend.database
    .pool('postgres')
    .query(sql`select from pg_extension where extname = ${name}`);
  return rows.length === 1;
};

test('with the keyboard, an extension can be found, installed and dropped', async () => {
  const { page, go, complaints, close } = await signedIn(browser, backend);
  await go('/database/extensions');
  await page.getByRole('searchbox', { name: 'Search extensions' }).fill('case-insensitive');
  await expect.poll(() => page.url()).toContain('filter=case-insensitive');
  await page.getByRole('button', { name: 'Install citext' }).press('Enter');
  const panel = page.getByRole('dialog');
  await expectPanelAtEdge(page);
  await panel.getByLabel('Schema').selectOption('public');
  await panel.getByRole('button', { name: 'Review SQL' }).press('Enter');
  await panel.getByText('create extension "citext" with schema "public"').waitFor();
  await panel.getByRole('button', { name: 'Run' }).press('Enter');
  await panel.waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Installed' }).getByText('citext', { exact: true }).waitFor();
  expect(await isInstalled('citext')).toBe(true);

  await page.getByRole('button', { name: 'Drop citext' }).press('Enter');
  await panel.getByRole('checkbox').press('Space');
  await panel.getByRole('button', { name: 'Review SQL' }).press('Enter');
  await panel.getByRole('textbox').fill('citext');
  await panel.getByRole('button', { name: 'Run' }).press('Enter');
  await panel.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Install citext' }).waitFor();
  expect(await isInstalled('citext')).toBe(false);
  expect(complaints.list).toEqual([]);
  await close();
});

test('an operator whose role is read-only sees no buttons', async () => {
  const { page, go, close } = await signedIn(browser, backend, {}, 'looker');
  await go('/database/extensions');
  await page.getByRole('region', { name: 'Available' }).getByText('citext', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: /Install|Drop/ }).count()).toBe(0);
  await close();
});

describe('the page is sound', () => {
  test.each(looks)('$width px, $colorScheme first', pageStates, async ({ width, height, colorScheme }) => {
    const { page, go, close } = await signedIn(browser, backend, {
      viewport: { width, height },
      colorScheme,
    });
    await go('/database/extensions');
    await page.getByText('Placeholder', { exact: true }).waitFor();
    await expectSound(page, 'extensions');
    await page.getByRole('button', { name: 'Install citext' }).click();
    await page.getByRole('dialog').getByLabel('Schema').waitFor();
    await expectSound(page, 'install');
    await close();
  });
});
