/** Tests the Console's pages in a narrow window, in Chromium. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { launchBrowser, scrollsSideways } from '../web/browser.ts';
import { type Backend, startBackend } from './harness.ts';
import { signedIn } from './page-helpers.ts';

const width = 390;
let backend: Backend;
let browser: Browser;
beforeAll(async () => {
  backend = await startBackend();
  browser = await launchBrowser();
  const headers = {
    apikey: backend.keys.secretKey,
    authorization: `Bearer ${backend.keys.secretKey}`,
  };
  await backend.fetch('/storage/v1/bucket', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'photos', name: 'photos', public: false }),
  });
  await backend.fetch('/storage/v1/object/photos/tree.txt', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'text/plain' },
    body: 'a tree',
  });
  // Without this query, the list of statements could be empty, if no other test in the cluster has run a statement.
  await backend.database.pool('postgres').query(sql`select 1 as listed`);
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

const opened = () => signedIn(browser, backend, { viewport: { width, height: 844 } });

/** Returns the number of lines that the controls above the page's table occupy. */
const rowsOfControls = (page: Page): Promise<number> =>
  page.evaluate(`(() => {
    const end = document.querySelector('main table').getBoundingClientRect().top;
    const boxes = [...document.querySelectorAll('main :is(a, button, input, select)')]
      .map((control) => control.getBoundingClientRect())
      .filter(({ height, bottom }) => height > 0 && bottom <= end);
    return new Set(boxes.map(({ top, bottom }) => Math.round((top + bottom) / 16))).size;
  })()`);

test.each([
  // The first line contains the page's title and action, the second line the folder and its search field, and the third
  // line the folder's actions.
  { path: '/storage?bucket=photos', rows: 3, last: { role: 'button', name: /^Bucket$/ } },
  // The second line is the chart.
  { path: '/logs', rows: 2, last: { role: 'switch', name: 'Live' } },
  // The five lines contain the page's title and link, the tabs, the search, the other filters, and the reset button.
  { path: '/queries/statements', rows: 5, last: { role: 'checkbox', name: /services/ } },
] as const)('the tools of $path take few rows and can be reached with the keyboard', async (each) => {
  const { page, go, close } = await opened();
  await go(each.path);
  const last = page.getByRole(each.last.role, { name: each.last.name });
  await last.waitFor();
  await page.locator('main table').waitFor();
  await expect.poll(() => rowsOfControls(page)).toBeLessThanOrEqual(each.rows);
  await last.focus();
  const box = await last.boundingBox();
  expect((box?.x ?? width) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
  await close();
});

test.each(['/sql', '/tables/public/tasks'])('the tools of %s wrap instead of scrolling', async (path) => {
  const { page, go, close } = await opened();
  await go(path);
  await page.getByRole('button', { name: path === '/sql' ? 'Run' : 'Insert row', exact: true }).waitFor();
  const outside = await page.evaluate<string[]>(`(() =>
    [...document.querySelectorAll('main :is(a, button, select)')]
      .filter((control) => control.closest('[role=grid], nav') === null)
      .filter((control) => control.getBoundingClientRect().right > innerWidth)
      .map((control) => control.outerHTML))()`);
  expect(outside).toEqual([]);
  expect(await scrollsSideways(page)).toBe(false);
  await close();
});

test('the page for new tables links back to the list of tables', async () => {
  const { page, go, close } = await opened();
  await go('/tables/new');
  // A press of Enter could reach the name of a new table instead, which takes the focus when it has loaded.
  await page.getByRole('link', { name: 'All tables' }).click();
  await page.getByRole('heading', { name: 'Tables', exact: true }).waitFor();
  await page.getByRole('link', { name: /^tasks/ }).waitFor();
  await close();
});

test('an explanation of access is above the form for logged requests', async () => {
  const { page, go, close } = await opened();
  await go(
    `/why?${new URLSearchParams({ schema: 'public', table: 'tasks', op: 'select', key: '{"id":"1"}', as: 'anon' })}`,
  );
  const result = await page.getByRole('heading', { name: 'Dry run' }).boundingBox();
  const form = await page.getByRole('form', { name: 'Logged request' }).boundingBox();
  expect(result?.y).toBeLessThan(form?.y ?? 0);
  await close();
});

test('a key that is wider than the window is truncated, and its copy button can be reached', async () => {
  const { page, go, close } = await opened();
  await go('/keys');
  const copy = page.getByRole('button', { name: 'Copy Publishable key' });
  await copy.waitFor();
  const box = await copy.boundingBox();
  expect((box?.x ?? width) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
  await close();
});

test('long names wrap instead of being truncated, and the actions of their rows can be reached', async () => {
  const name = 'an-operator-with-a-long-name@a-department.of-a-company.example.com';
  await backend.operators.createOperator(name, 'read-only');
  const { page, go, close } = await opened();
  await go('/operators');
  const cell = page.getByRole('cell', { name, exact: true }).first();
  await cell.waitFor();
  const isWhole = await cell.evaluate(
    ({ scrollWidth, clientWidth }: { scrollWidth: number; clientWidth: number }) =>
      scrollWidth <= clientWidth,
  );
  expect(isWhole).toBe(true);
  const actions = await page.getByRole('button', { name: `Actions for ${name}` }).boundingBox();
  expect((actions?.x ?? width) + (actions?.width ?? 0)).toBeLessThanOrEqual(width);
  await close();
});

test('a read-only operator isn’t asked to add policies to a table without policies', async () => {
  await backend.operators.createOperator('looker', 'read-only');
  const { page, go, close } = await signedIn(
    browser,
    backend,
    { viewport: { width, height: 844 }, colorScheme: 'dark' },
    'looker',
  );
  await go('/tables/public/tasks/structure');
  await page.getByText('No policies', { exact: true }).waitFor();
  expect(await page.getByRole('link', { name: 'Add policies' }).count()).toBe(0);
  await close();
});

test('in the dark scheme, an unchecked checkbox has the edge and the background of a field', async () => {
  const { page, go, close } = await signedIn(browser, backend, { colorScheme: 'dark' });
  await go('/realtime');
  const colors = (selector: string) =>
    page.evaluate(`(() => {
      const { borderColor, backgroundColor } = getComputedStyle(document.querySelector('${selector}'));
      return { borderColor, backgroundColor };
    })()`);
  await page.getByRole('checkbox', { name: 'Private', exact: true }).waitFor();
  expect(await colors('input[type=checkbox]:not(:checked)')).toEqual(
    await colors('input[required]:not([type=checkbox])'),
  );
  await close();
});
