/** The API page in a real Chromium: a request is tried in somebody's name; nothing in a table's name runs. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations, launchBrowser, openContext, scrollsSideways } from '../web/browser.ts';
import { type Backend, startBackend } from './harness.ts';

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

test.each([
  [1280, 'light'],
  [1280, 'dark'],
  [360, 'light'],
  [360, 'dark'],
] as const)('%i px wide, %s: a request is tried, accessible and fits', async (width, colorScheme) => {
  const { context, complaints } = await openContext(browser, {
    viewport: { width, height: 800 },
    colorScheme,
  });
  const page = await context.newPage();
  await page.goto(await backend.consoleLink());
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.goto(`${backend.url}/console/reference?table=tasks`);
  await page.getByRole('region', { name: 'supabase-js' }).getByText("from('tasks')").waitFor();
  await page.getByLabel('Request: GET').fill('tasks?select=title&id=eq.1');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Answer' }).getByText('"title":"Task 1"').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  expect(await scrollsSideways(page)).toBe(false);
  expect(await page.getByText('⟦').count()).toBe(0);
  expect(complaints.list).toEqual([]);
  await context.close();
});
