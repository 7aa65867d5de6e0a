/** Tests in Chromium that the Console can be used without a mouse. The grid has its own tests (grid-*.test.ts). */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../web/browser.ts';
import { withStates } from '../web/states.ts';
import { type Backend, operator, startBackend } from './harness.ts';
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

test(
  'the list of shortcuts turns single-key shortcuts off, and Ctrl+K keeps working',
  withStates,
  async () => {
    const { page, complaints, go, close } = await signedIn(browser, backend);
    await go('/keys');
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Move the column').waitFor();
    await expectSound(page, 'shortcuts');
    await dialog.getByRole('switch', { name: 'Single-key shortcuts' }).press('Space');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.keyboard.press('g');
    await page.keyboard.press('u');
    await page.keyboard.press('Control+k');
    await dialog.getByRole('combobox').waitFor();
    expect(await dialog.count()).toBe(1);
    expect(page.url()).toMatch(/\/keys$/);
    expect(complaints.list).toEqual([]);
    await close();
  },
);

const isFocused = (page: Page, name: string) =>
  page.getByRole('link', { name, exact: true }).and(page.locator(':focus')).waitFor();

test('a page that opens from the menu or the palette receives focus', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).and(page.locator(':focus'));
  await go('/');
  await page.getByRole('link', { name: 'Users', exact: true }).press('Enter');
  await heading('Users').waitFor();
  await page.keyboard.press('Tab');
  await page.getByRole('searchbox').and(page.locator(':focus')).waitFor();
  await page.getByRole('link', { name: 'Keys', exact: true }).focus();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('audit log');
  await page.getByRole('option', { name: 'Audit log' }).first().waitFor();
  await page.keyboard.press('Enter');
  await heading('Audit log').waitFor();
  await close();
});

test('arrow keys move through a list beside the page, and into the page', withStates, async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/tables/public/tasks');
  const links = page.getByRole('navigation', { name: 'Tables' }).getByRole('link');
  await links.first().waitFor();
  await page.getByRole('searchbox', { name: 'Filter tables' }).press('ArrowDown');
  await links.first().and(page.locator(':focus')).waitFor();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowUp');
  await links.nth(-2).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('ArrowRight');
  const firstTool = page.getByRole('button', { name: 'List of tables' }).and(page.locator(':focus'));
  await firstTool.waitFor();
  // If an operator opens a table from the palette, they don't have to move through the list either.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('keyless');
  await page.getByRole('option', { name: 'keyless' }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('grid', { name: 'Rows of keyless' }).waitFor();
  await page.getByRole('heading', { name: 'public.keyless' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Shift+Tab');
  await firstTool.waitFor();
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Skip to rows' }).and(page.locator(':focus')).waitFor();
  await expectSound(page, 'skip to rows');
  await page.keyboard.press('Enter');
  await page.locator('[data-cell="0:1"]:focus').waitFor();
  await close();
});

test('Enter in the list opens a table and focuses its rows unless another key follows, and Escape goes back', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/tables');
  const link = (name: string) => page.getByRole('navigation', { name: 'Tables' }).getByRole('link', { name });
  const focused = page.locator(':focus');
  await link('tasks').press('Enter');
  await page.locator('[data-cell="0:1"]').and(focused).waitFor();
  await page.getByRole('grid', { name: 'Rows of tasks' }).locator(focused).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.locator('[data-cell="1:1"]').and(focused).waitFor();
  await page.keyboard.press('Escape');
  await link('tasks').and(focused).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('[data-cell="1:1"]').and(focused).waitFor();
  await page.keyboard.press('Escape');
  await link('tasks').and(focused).waitFor();

  let load = (): void => undefined;
  const loading = new Promise<void>((resolve) => {
    load = resolve;
  });
  await page.route('**/tables/public/keyless/rows?**', async (route) => {
    await loading;
    await route.continue();
  });
  await link('keyless').press('Enter');
  const filter = page.getByRole('searchbox', { name: 'Filter tables' });
  await filter.press('f');
  load();
  await page.getByRole('grid', { name: 'Rows of keyless' }).waitFor();
  await page.locator('[data-cell="0:1"]').waitFor();
  await filter.and(focused).waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('the details of a user receive focus, and return it to the list', async () => {
  const owner = await operator(backend);
  for (const email of ['ada@example.com', 'bo@example.com'])
    await owner.call('POST', '/users', { email, password: 'a-Good-password-1', confirmed: true });
  const { page, go, close } = await signedIn(browser, backend);
  await go('/users');
  await page.getByRole('link', { name: 'bo@example.com' }).press('Enter');
  await page.getByRole('heading', { name: 'bo@example.com' }).and(page.locator(':focus')).waitFor();
  await page.getByRole('link', { name: 'bo@example.com' }).press('ArrowDown');
  await isFocused(page, 'ada@example.com');
  await page.keyboard.press('j');
  await page.getByRole('heading', { name: 'ada@example.com' }).and(page.locator(':focus')).waitFor();
  await page.getByRole('button', { name: 'Actions' }).press('Enter');
  await page.locator('[role=menuitem]:focus').waitFor();
  await page.keyboard.press('b');
  await page.getByRole('menuitem', { name: 'Ban' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByLabel('Duration').press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('table').getByText('banned').waitFor();
  await page.keyboard.press('Escape');
  await isFocused(page, 'ada@example.com');
  expect(page.url()).toMatch(/\/users$/);
  await close();
});
