/**
 * Tests in Chromium that the API page can send a request as a chosen user, and that markup in a table's name doesn't
 * run.
 */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { launchBrowser } from '../web/browser.ts';
import { testEach, withStates } from '../web/states.ts';
import { type Backend, startBackend } from './harness.ts';
import { expectSound, signedIn } from './page-helpers.ts';

let backend: Backend;
let browser: Browser;
beforeAll(async () => {
  backend = await startBackend();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

testEach([
  [1280, 'light'],
  [360, 'dark'],
])(
  '%i px wide, %s: a read, a write and a function can be tried, and the page is accessible and fits',
  async (width, colorScheme) => {
    const { page, complaints, go, close } = await signedIn(browser, backend, {
      viewport: { width, height: 800 },
      colorScheme,
    });
    await go('/reference?table=tasks');
    await page.getByRole('region', { name: 'supabase-js' }).getByText("from('tasks')").waitFor();
    await page.getByRole('tab', { name: 'supabase-js' }).press('ArrowRight');
    await page.getByRole('region', { name: 'Dart' }).getByText("from('tasks')").waitFor();
    expect(new URL(page.url()).searchParams.get('lang')).toBe('Dart');
    await page.getByRole('tab', { name: 'Dart' }).press('ArrowLeft');
    await page.getByLabel('Request: GET').fill('tasks?select=title&id=eq.1');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Response' }).getByText('"title":"Task 1"').waitFor();
    await expectSound(page, 'a read');

    await page.getByLabel('Operation', { exact: true }).selectOption('Insert');
    await page.getByRole('region', { name: 'supabase-js' }).getByText('.insert({').waitFor();
    await page.getByLabel('Body (JSON)').fill('{"title":"Tried"}');
    await page.getByRole('button', { name: 'Run and roll back' }).press('Enter');
    await page.getByText('Rolled back. Nothing was changed.').waitFor();
    await page.getByRole('region', { name: 'Response' }).getByText('"title":"Tried"').waitFor();
    await expectSound(page, 'a write');
    const tried = "select 1 from public.tasks where title = 'Tried'";
    expect(await backend.database.pool('postgres').query(sql.raw(tried))).toEqual([]);
    await page.getByLabel('Keep changes').press('Space');
    await page.getByRole('button', { name: 'Run', exact: true }).press('Enter');
    await page.getByRole('dialog').getByText('its changes are kept').waitFor();
    await page.keyboard.press('Escape');

    await page.getByLabel('Table or function').selectOption('write_log');
    await page.getByRole('region', { name: 'supabase-js' }).getByText(".rpc('write_log')").waitFor();
    await page.getByRole('button', { name: 'Run and roll back' }).press('Enter');
    await page.getByRole('region', { name: 'Response' }).getByText('1', { exact: true }).waitFor();
    await expectSound(page, 'a function');
    expect(complaints.list).toEqual([]);
    await close();
  },
  withStates,
);
