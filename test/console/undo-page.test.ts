/** Tests the pages that undo changes in Chromium. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { launchBrowser } from '../web/browser.ts';
import { pageStates } from '../web/states.ts';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';
import { expectSound, looks, signedIn } from './page-helpers.ts';

const markup = `<img src=x onerror="document.title='pwned'">`;
let backend: Backend;
let browser: Browser;
let owner: Operator;
/** The entry with conflicts. */
let conflicts: number;
beforeAll(async () => {
  backend = await startBackend();
  await backend.operators.createOperator('looker', 'read-only');
  browser = await launchBrowser();
  owner = await operator(backend);
  await backend.database.pool('postgres').exec(`
    create table public.orders (id int primary key, customer text not null, total numeric, note text);
    insert into public.orders select i, 'Customer ' || i, i * 10, null from generate_series(1, 6) i;
    insert into auth.users (id, email) values (gen_random_uuid(), 'a@example.com')`);
  conflicts = await run(`update orders set total = 0, note = $$${markup}$$ where id in (1, 2);
    delete from orders where id in (3, 4); insert into orders values (9, 'New', 5, '')`);
  await backend.database.pool('postgres').exec(`update public.orders set customer = 'Other' where id = 1;
    insert into public.orders values (4, 'Again', 1, null)`);
  await run(`update auth.users set phone = '123'; update orders set note = 'x' where id = 5`);
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

async function run(text: string): Promise<number> {
  const { body } = await owner.call('POST', '/sql/run', { text, confirmed: true });
  return JSON.parse(String(body).trim().split('\n').at(-1) ?? '').undo.id;
}
const orders = async () =>
  (
    await backend.database
      .pool('postgres')
      .query<{ row: string }>(
        sql`select concat_ws(',', id, customer, total) as row from public.orders order by id`,
      )
  ).map(({ row }) => row);

test('the pages are sound in both schemes and widths', pageStates, async () => {
  for (const { width, height, colorScheme } of looks) {
    const { page, complaints, go, close } = await signedIn(browser, backend, {
      viewport: { width, height },
      colorScheme,
    });
    await go('/undo');
    await page
      .getByRole('link', { name: /^Open the change/ })
      .first()
      .waitFor();
    await expectSound(page, `undo ${width}`);
    await go(`/undo/${conflicts}`);
    await page.getByText('Conflict: changed since').waitFor();
    await expectSound(page, `undo entry ${width}`);
    expect(complaints.list).toEqual([]);
    await close();
  }
});

test('an operator undoes a change with the keyboard, and then a conflict anyway', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/undo');
  await page.getByLabel('Table').selectOption('public.orders');
  await page.waitForURL('**table=public.orders');
  await page
    .getByRole('link', { name: /^Open the change/ })
    .last()
    .press('Enter');
  await page.getByText(markup).first().waitFor();
  await page.getByRole('button', { name: 'Undo all rows' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).press('Enter');
  await page.getByText('3 rows were undone. 2 conflicts were skipped.').waitFor();
  expect(await orders()).toEqual([
    '1,Other,0',
    '2,Customer 2,20',
    '3,Customer 3,30',
    '4,Again,1',
    '5,Customer 5,50',
    '6,Customer 6,60',
  ]);
  await page.getByLabel('Select row public.orders id = 1').press('Space');
  await page.getByRole('button', { name: 'Undo 1 row' }).press('Enter');
  await page.getByRole('dialog').getByText('1 selected row has a conflict.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).press('Enter');
  await page.getByText('1 row was undone.').waitFor();
  expect((await orders())[0]).toBe('1,Customer 1,10');
  await page.getByRole('link', { name: 'Show the undo' }).press('Enter');
  await page.getByText('Undid a change').waitFor();
  expect(await page.title()).not.toBe('pwned');
  expect(complaints.list).toEqual([]);
  await close();
});

test('the SQL page and the table editor link to the change', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/sql');
  await page.locator('.cm-content').fill(`update orders set note = 'from sql' where id = 6`);
  await page.keyboard.press('Control+Enter');
  await page.getByRole('link', { name: 'Undo changes' }).press('Enter');
  await page.getByText('from sql').waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('a read-only operator sees the change and can’t undo it', async () => {
  const { page, go, close } = await signedIn(browser, backend, {}, 'looker');
  await go(`/undo/${conflicts}`);
  await page.getByText('Changed rows').waitFor();
  expect(await page.getByRole('button', { name: /Undo/ }).count()).toBe(0);
  expect(await page.getByRole('checkbox').count()).toBe(0);
  await close();
});
