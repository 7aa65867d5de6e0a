/**
 * Tests the functions page in Chromium: calls with the keyboard, and responses and log lines that are shown as text.
 */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../web/browser.ts';
import { pageStates, withStates } from '../web/states.ts';
import { expectSound, looks, signedIn } from './page-helpers.ts';
import { markup, type ServicesBackend, startServicesBackend } from './services-backend.ts';

let services: ServicesBackend;
let browser: Browser;
beforeAll(async () => {
  services = await startServicesBackend();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await services?.stop();
});

test(
  'a function can be called with the keyboard, and its response and log are shown as text',
  withStates,
  async () => {
    const { page, complaints, go, close } = await signedIn(browser, services.backend);
    await go('/functions');
    await page.getByRole('link', { name: 'noisy' }).press('Enter');
    await page.getByText('supabase/functions/noisy/index.ts').waitFor();
    await page.getByText('MAIL_KEY').waitFor();
    await page.getByLabel('Headers, one per line').fill('no header');
    await page.getByLabel('Body', { exact: true }).fill(markup);
    await page.getByLabel('Body', { exact: true }).press('Control+Enter');
    await page.getByText('Line 1 isn’t').waitFor();
    await page.getByLabel('Headers, one per line').fill('content-type: text/plain');
    await page.getByLabel('Body', { exact: true }).press('Control+Enter');
    await page.getByRole('status').getByText('200', { exact: true }).waitFor();
    const log = page.getByRole('log');
    await log.getByText(markup).waitFor();
    await log.getByText('to stderr').waitFor();
    await log.getByRole('button').first().press('Enter');
    await page.getByRole('button', { name: 'All requests' }).waitFor();
    const calls = page.getByRole('table', { name: 'Recent invocations' });
    await calls.getByText('started in').waitFor();
    await calls.getByText('MiB').first().waitFor();
    await expectSound(page, 'the log');
    await page.getByRole('button', { name: 'All requests' }).press('Enter');
    await page.getByLabel('Level').selectOption('error');
    await log.getByText(markup).waitFor({ state: 'detached' });
    await log.getByText('to stderr').waitFor();
    await page.getByLabel('Search logs').fill('no such text');
    await page.getByText('No matching lines').waitFor();
    expect(complaints.list).toEqual([]);
    await close();
  },
);

test('a call can have a user, a path and a method, and an image response is displayed', async () => {
  const { page, complaints, go, close } = await signedIn(browser, services.backend);
  await go('/functions?name=echo&as=anon');
  await page.getByLabel('Method').selectOption('PUT');
  await page.getByLabel('Path and query').fill('/deep?x=1');
  await page.getByRole('button', { name: 'Send' }).press('Enter');
  await page.getByText('"url": "/echo/deep?x=1"').waitFor();
  await page.getByText(/\d+ headers/).press('Enter');
  await page.getByText('x-answer', { exact: true }).waitFor();
  await go('/functions?name=picture');
  await page.getByRole('button', { name: 'Send' }).press('Enter');
  await page.getByRole('img', { name: 'Response body' }).waitFor({ state: 'attached' });
  expect(complaints.list).toEqual([]);
  await close();
});

test('the page shows the code and the activity, and secrets can be set and removed', withStates, async () => {
  const { page, complaints, go, close } = await signedIn(browser, services.backend);
  await go('/functions?name=noisy');
  await page.getByRole('region', { name: 'Code' }).getByText('Deno.serve').waitFor();
  await page.getByRole('button', { name: 'Send' }).press('Enter');
  await page.getByRole('region', { name: 'Last hour' }).getByText('Error rate').waitFor();
  await page.getByText('View as table').click();
  await page.getByRole('table', { name: 'Last hour' }).waitFor();
  await page.getByRole('link', { name: 'Manage secrets for all functions' }).press('Enter');
  await page.getByRole('heading', { name: 'Secrets for all functions', level: 2 }).waitFor();
  await expectSound(page, 'secrets');
  await page.getByRole('button', { name: 'Set secret' }).press('Enter');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('MAP_KEY');
  await page.getByRole('textbox', { name: 'Value' }).fill('hidden');
  await page.getByRole('dialog').getByRole('button', { name: 'Set secret' }).press('Enter');
  await page.getByRole('button', { name: 'Remove MAP_KEY' }).press('Enter');
  await page.getByRole('button', { name: 'Remove secret' }).press('Enter');
  await page.getByText('No secrets yet').waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('a function can be created from a template, and works immediately', withStates, async () => {
  const { page, complaints, go, close } = await signedIn(browser, services.backend);
  await go('/functions');
  await page.getByRole('button', { name: 'New function' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'New function' });
  await dialog.getByLabel('Name').fill('9lives');
  await dialog.getByLabel('Name').press('Enter');
  await dialog.getByText('Start with a letter').waitFor();
  await dialog.getByLabel('Name').fill('echo');
  await dialog.getByLabel('Name').press('Enter');
  await dialog.getByText('A function with this name already exists.').waitFor();
  await dialog.getByLabel('Name').fill('greet');
  await expectSound(page, 'new function');
  await dialog.getByLabel('Name').press('Enter');
  await page.waitForURL('**/functions?name=greet');
  await page.getByRole('region', { name: 'Code' }).getByText('Deno.serve').waitFor();
  await page.getByRole('region', { name: 'curl command' }).getByText('/functions/v1/greet').waitFor();
  await page.getByLabel('Headers, one per line').fill('content-type: application/json');
  await page.getByLabel('Body', { exact: true }).fill('{"name": "Ada"}');
  await page.getByLabel('Body', { exact: true }).press('Control+Enter');
  await page.getByText('Hello Ada!').waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('a read-only operator can read everything but can’t call functions', async () => {
  await services.backend.operators.createOperator('looker', 'read-only');
  const { page, go, close } = await signedIn(browser, services.backend, {}, 'looker');
  await go('/functions?name=echo');
  await page.getByText('supabase/functions/echo/index.ts').waitFor();
  expect(await page.getByRole('button', { name: 'Send' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'New function' }).count()).toBe(0);
  await go('/functions?name=gone');
  await page.getByText('The function gone doesn’t exist.').waitFor();
  await close();
});

test.each(looks)(
  'every state is accessible at $width px, $colorScheme first',
  { ...pageStates, timeout: 120_000 },
  async ({ colorScheme, ...viewport }) => {
    const { page, complaints, go, close } = await signedIn(browser, services.backend, {
      viewport,
      colorScheme,
    });
    await go('/functions');
    await page.getByRole('link', { name: 'broken' }).waitFor();
    await expectSound(page, 'list');
    await go('/functions?name=broken');
    await page.getByRole('button', { name: 'Send' }).press('Enter');
    await page.getByText('BOOT_ERROR').first().waitFor();
    await page.getByRole('log').getByText('missing.ts').first().waitFor();
    await page.getByRole('region', { name: 'Last hour' }).getByText('Error rate').waitFor();
    await page.getByRole('region', { name: 'Code' }).getByText('missing.ts').first().waitFor();
    await expectSound(page, 'a failed call');
    if (process.env.SHOTS)
      await page.screenshot({ path: `${process.env.SHOTS}/functions-${viewport.width}-${colorScheme}.png` });
    expect(complaints.list).toEqual([]);
    await close();
  },
);
