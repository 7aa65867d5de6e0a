/** Tests the section "Database" in Chromium: functions, triggers, views and indexes. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { launchBrowser } from '../web/browser.ts';
import { pageStates } from '../web/states.ts';
import { type Backend, startBackend } from './harness.ts';
import { expectSound, looks, signedIn } from './page-helpers.ts';

let backend: Backend;
let browser: Browser;

const schema = `
  create function public.add(a int, b int default 10) returns int language sql as $$ select a + b $$;
  create function public."We""ird; fn"("ar g" text) returns text language sql security definer as $$ select "ar g" $$;
  create view public.adds with (security_invoker = true) as select public.add(1, 2) as three;
  create materialized view public.totals as select id, title from public.tasks;
  create trigger "kept ""too" before update on public."We""ird; --" for each row execute function public.keep('a-key');
  create table public.parts (id int primary key, task bigint references public.tasks);
  create index parts_task on public.parts (id, task);
  create index parts_id on public.parts (id);
  create table public."other.parts" (id int primary key);
  do $$ begin
    for i in 1..16 loop
      execute format('create table public.plain_%s (id int)', i);
    end loop;
    for i in 1..250 loop
      execute format('create function public.many_%s(a int) returns int language sql as %L', i, 'select a');
    end loop;
  end $$;
`;

beforeAll(async () => {
  backend = await startBackend();
  await backend.operators.createOperator('looker', 'read-only');
  await backend.database.pool('postgres').exec(schema);
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

const rowsOf = async (query: ReturnType<typeof sql>) => backend.database.pool('postgres').query(query);

test('the menu of the section leads to its pages', async () => {
  const { page, go, complaints, close } = await signedIn(browser, backend);
  await go('/database');
  await page.waitForURL('**/database/functions');
  const menu = page.getByRole('navigation', { name: 'Database' });
  for (const name of ['Triggers', 'Views', 'Indexes', 'Extensions', 'Functions']) {
    await menu.getByRole('link', { name, exact: true }).press('Enter');
    await page.getByRole('heading', { name, level: 1 }).waitFor();
  }
  await go('/extensions?filter=citext');
  await page.waitForURL('**/database/extensions?filter=citext');
  expect(complaints.list).toEqual([]);
  await close();
});

test('hundreds of functions are divided into pages and can be searched', async () => {
  const { page, go, complaints, close } = await signedIn(browser, backend);
  await go('/database/functions');
  await page.getByRole('row').nth(100).waitFor();
  expect(await page.getByRole('row').count()).toBe(101);
  await page.getByRole('button', { name: 'Next' }).press('Enter');
  await page.waitForURL('**page=2');
  await page.getByRole('searchbox').fill('many_250');
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  await page.getByRole('searchbox').fill('ird; fn');
  await page.getByRole('button', { name: 'public.We"ird; fn' }).press('Enter');
  await page.getByRole('dialog').getByText('Security definer', { exact: true }).waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('with the keyboard, a function can be read, tried and edited', async () => {
  const { page, go, complaints, close } = await signedIn(browser, backend);
  await go(`/database/functions?open=${encodeURIComponent('public.add(integer, integer)')}`);
  const panel = page.getByRole('dialog').first();
  await panel.getByText('CREATE OR REPLACE').waitFor();
  await panel.getByRole('link', { name: 'public.adds' }).waitFor();
  await panel.getByRole('textbox', { name: 'a', exact: true }).fill('5');
  await panel.getByRole('button', { name: 'Run and roll back' }).press('Enter');
  await panel.getByRole('cell', { name: '15' }).waitFor();
  await panel.getByRole('combobox', { name: 'Kind of value for b' }).selectOption('null');
  await panel.getByRole('button', { name: 'Run and roll back' }).press('Enter');
  await panel.getByRole('cell', { name: 'NULL' }).waitFor();
  await panel.getByRole('button', { name: 'Edit', exact: true }).press('Enter');
  const editor = page.getByRole('textbox', { name: 'Definition (SQL)' });
  await editor.press('ControlOrMeta+a');
  await page.keyboard.insertText(
    'create or replace function public.add(a int, b int default 10) returns int language sql as $$ select a * b $$',
  );
  await page.getByRole('button', { name: 'Review SQL' }).press('Enter');
  await page.getByRole('button', { name: 'Run', exact: true }).press('Enter');
  await panel.getByRole('button', { name: 'Run and roll back' }).waitFor();
  expect(await rowsOf(sql`select public.add(3) as product`)).toEqual([{ product: 30 }]);
  expect(complaints.list).toEqual([]);
  await close();
});

test('a materialized view gets the index that a concurrent refresh needs', async () => {
  const { page, go, complaints, close } = await signedIn(browser, backend);
  await go('/database/views?open=public.totals');
  const panel = page.getByRole('dialog');
  await panel.getByRole('button', { name: 'Add unique index on id' }).press('Enter');
  await panel.getByRole('button', { name: 'Review SQL' }).press('Enter');
  await panel.getByText('create unique index on "public"."totals" using btree ("id")').waitFor();
  await panel.getByRole('button', { name: 'Run', exact: true }).press('Enter');
  await panel.getByRole('checkbox', { name: /Don’t block readers/ }).check();
  await panel.getByRole('button', { name: 'Refresh now' }).press('Enter');
  await panel.getByText('The view was refreshed.').waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('a foreign key without an index gets one, whose column is already chosen', async () => {
  const { page, go, complaints, close } = await signedIn(browser, backend);
  await go('/database/indexes');
  await page.getByText('parts_pkey starts with the same columns').waitFor();
  await page.getByRole('button', { name: 'Create index on parts (task)' }).press('Enter');
  const panel = page.getByRole('dialog');
  await panel.getByRole('checkbox', { name: /Don’t block writes/ }).check();
  await panel.getByRole('button', { name: 'Review SQL' }).press('Enter');
  await panel.getByText('create index concurrently "parts_task_idx"').waitFor();
  await panel.getByRole('button', { name: 'Run', exact: true }).press('Enter');
  await panel.waitFor({ state: 'detached' });
  await page.getByText('parts_task_idx').waitFor();
  expect(await page.getByRole('region', { name: 'Foreign keys without an index' }).count()).toBe(0);
  expect(complaints.list).toEqual([]);
  await close();
});

test('the table of a new index can be searched, and Escape closes only the list of tables', async () => {
  const { page, go, complaints, close } = await signedIn(browser, backend);
  await go('/database/indexes');
  await page.getByRole('button', { name: 'New index' }).press('Enter');
  const panel = page.getByRole('dialog');
  const table = panel.getByRole('combobox', { name: 'Table' });
  await table.and(page.locator(':focus')).waitFor();
  expect(await panel.getByRole('button', { name: 'Continue' }).isDisabled()).toBe(true);
  await page.keyboard.type('other.p');
  const option = page.getByRole('option', { name: 'other.parts', exact: true });
  await option.waitFor();
  await table.press('Escape');
  await option.waitFor({ state: 'hidden' });
  await panel.waitFor();
  await table.fill('other.parts');
  await option.waitFor();
  await table.press('ArrowDown');
  await table.press('Enter');
  await panel.getByRole('button', { name: 'Continue' }).focus();
  // A click doesn't append what is typed to the chosen name.
  await table.click();
  await page.keyboard.type('other.p');
  await option.waitFor();
  await table.press('ArrowDown');
  await table.press('Enter');
  await panel.getByRole('button', { name: 'Continue' }).press('Enter');
  await panel.getByRole('heading', { name: 'other.parts' }).waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('a function that belongs to a service has no buttons for changes', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/database/functions?open=extensions.grant_pg_graphql_access()');
  const panel = page.getByRole('dialog');
  await panel.getByRole('heading', { name: 'Source' }).waitFor();
  expect(await panel.getByRole('button', { name: /^(?:Edit|Drop)$/ }).count()).toBe(0);
  await close();
});

test('of many foreign keys without an index, only the first are listed until all are asked for', async () => {
  await backend.database.pool('postgres').exec(`
    drop schema if exists keys cascade;
    create schema keys;
    create table keys.target (id int primary key);
    do $$ begin
      for i in 1..7 loop
        execute format('create table keys.from_%s (id int primary key, target int references keys.target)', i);
      end loop;
    end $$;`);
  const { page, go, close } = await signedIn(browser, backend);
  await go('/database/indexes?schema=keys');
  const keys = page.getByRole('region', { name: 'Foreign keys without an index' }).getByRole('listitem');
  await keys.first().waitFor();
  expect(await keys.count()).toBe(5);
  await page.getByRole('button', { name: 'Show all 7' }).press('Enter');
  await keys.nth(6).waitFor();
  await close();
  await backend.database.pool('postgres').exec('drop schema keys cascade');
});

test('a trigger can be disabled', async () => {
  const { page, go, complaints, close } = await signedIn(browser, backend);
  await go('/database/triggers');
  await page.getByRole('button', { name: 'kept "too' }).press('Enter');
  const panel = page.getByRole('dialog');
  await panel.getByRole('button', { name: 'Disable' }).press('Enter');
  await panel.getByRole('button', { name: 'Run', exact: true }).press('Enter');
  await panel.getByRole('button', { name: 'Enable' }).waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('a read-only operator sees everything except sources, and no buttons for changes', async () => {
  const { page, go, close } = await signedIn(browser, backend, {}, 'looker');
  await go(`/database/functions?open=${encodeURIComponent('public.add(integer, integer)')}`);
  await page.getByText('Your role can’t see the source').waitFor();
  await go('/database/triggers?open=public.We%22ird%3B%20--%20kept%20%22too');
  await page.getByText('Your role can’t see the arguments').waitFor();
  await go('/database/views?open=public.totals');
  await page.getByRole('dialog').getByText('public.tasks').waitFor();
  expect(await page.getByRole('button', { name: /Edit|Drop|Refresh|New|Run|able/ }).count()).toBe(0);
  await close();
});

describe('the pages are sound', () => {
  test.each(looks)('$width px, $colorScheme first', pageStates, async ({ width, height, colorScheme }) => {
    const { page, go, complaints, close } = await signedIn(browser, backend, {
      viewport: { width, height },
      colorScheme,
    });
    const states: readonly (readonly [path: string, text: string])[] = [
      ['/database/functions', 'public.add'],
      ['/database/functions?open=public.add(integer%2C%20integer)', 'Run and roll back'],
      ['/database/triggers', 'kept "too'],
      ['/database/triggers?open=public.We%22ird%3B%20--%20kept%20%22too', 'State'],
      ['/database/views', 'public.totals'],
      ['/database/views?open=public.totals', 'Refresh now'],
      ['/database/indexes', 'parts_task'],
    ];
    for (const [path, text] of states) {
      await go(path);
      await page.getByText(text).filter({ visible: true }).first().waitFor();
      await expectSound(page, path);
    }
    for (const [path, button] of [
      ['/database/functions', 'New function'],
      ['/database/indexes', 'New index'],
    ] as const) {
      await go(path);
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('dialog').waitFor();
      await expectSound(page, button);
    }
    expect(complaints.list).toEqual([]);
    await close();
  });
});
