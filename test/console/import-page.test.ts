/** Tests the file import pages with the keyboard, in Chromium. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { launchBrowser, openContext } from '../web/browser.ts';
import { testEach, withStates } from '../web/states.ts';
import { type Backend, startBackend } from './harness.ts';
import { expectSound, looks, signInWindow } from './page-helpers.ts';

let backend: Backend;
let browser: Browser;
beforeAll(async () => {
  backend = await startBackend();
  browser = await launchBrowser();
  await backend.database.pool('postgres').exec(`
    create table public.parcels (id int primary key, kg int not null, owner text not null, state text not null default 'new');
    create type public.size as enum ('small', 'large');
    create table public.boxes (id int generated always as identity primary key, name text not null, size public.size not null);
    create table public.notes (id bigint generated always as identity primary key, body text not null, author text not null);
    insert into public.notes (body, author) select 'old ' || i, 'Bo' from generate_series(1, 200) i;`);
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

async function opened(path: string, look: (typeof looks)[number] = looks[0]) {
  const { context, complaints } = await openContext(browser, {
    colorScheme: look.colorScheme,
    viewport: { width: look.width, height: 800 },
  });
  await signInWindow(context, backend);
  const page = await context.newPage();
  await page.goto(`${backend.console.url}/console${path}`);
  return { page, complaints, close: () => context.close() };
}

const choose = (page: Page, name: string, text: string) =>
  page
    .getByLabel('CSV or JSON file')
    .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

const rowsOf = async (text: string) =>
  (await backend.database.pool('postgres').queryText(sql`${sql.raw(text)}`)).rows;

testEach(looks)(
  'missing values can be set, equal errors are grouped, and invalid rows can be skipped, $width px, $colorScheme',
  async (look) => {
    await backend.database.pool('postgres').exec('truncate public.parcels');
    const { page, complaints, close } = await opened('/tables/public/parcels', look);
    await page.getByRole('button', { name: 'Import file…' }).press('Enter');
    const lines = Array.from({ length: 30 }, (_, index) => `${index + 10},heavy`).join('\n');
    await choose(page, 'parcels.csv', `id,kg\n1,5\n2,6\n${lines}\n`);
    const panel = page.getByRole('dialog');
    await panel.getByText('owner can’t be empty, and the file doesn’t provide it.').waitFor();
    await panel.getByRole('button', { name: 'Dry run' }).press('Enter');
    await panel.getByText('32 rows are invalid, so nothing was imported').waitFor();
    await panel.getByText('30 rows:').waitFor();
    await expectSound(page, 'grouped errors');
    await panel.getByLabel('Content of owner').selectOption('This value');
    await panel.getByRole('textbox', { name: 'Value of owner' }).fill('Ada');
    await panel.getByText('owner can’t be empty').waitFor({ state: 'detached' });
    await panel.getByRole('checkbox', { name: 'Skip invalid rows' }).press('Space');
    await panel.getByRole('button', { name: 'Dry run' }).press('Enter');
    await panel.getByText('30 rows would be skipped').waitFor();
    await panel.getByText('and 25 more lines').waitFor();
    await panel.getByText('invalid input syntax for type integer').waitFor();
    await panel.getByRole('button', { name: 'Import', exact: true }).press('Enter');
    await panel.getByText('30 rows were skipped').waitFor();
    const download = page.waitForEvent('download');
    await panel.getByRole('button', { name: 'Download skipped rows' }).press('Enter');
    const chunks: Buffer[] = [];
    for await (const chunk of await (await download).createReadStream()) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString().split('\r\n').slice(0, 2)).toEqual([
      'id,kg,import_line,import_error',
      '10,heavy,4,"invalid input syntax for type integer: ""heavy"""',
    ]);
    expect(await rowsOf('select id, owner, state from public.parcels order by id')).toEqual([
      ['1', 'Ada', 'new'],
      ['2', 'Ada', 'new'],
    ]);
    await expectSound(page, 'skipped rows');
    expect(await panel.getByRole('button', { name: 'Import', exact: true }).count()).toBe(0);
    await panel.getByRole('button', { name: 'Import another file' }).press('Enter');
    await choose(page, 'more.csv', 'id,kg,owner\n3,7,Bo\n');
    await panel.getByText('Bo', { exact: true }).waitFor();
    await panel.getByRole('button', { name: 'Import', exact: true }).press('Enter');
    await panel.getByText('1 row was imported.').waitFor();
    await panel.getByRole('button', { name: 'Back to table' }).and(panel.locator(':focus')).press('Enter');
    await panel.waitFor({ state: 'detached' });
    await page.locator('[data-cell="2:1"]').waitFor();
    expect(complaints.list).toEqual([]);
    await close();
  },
  { ...withStates, timeout: 90_000 },
);

test('Enter runs the dry run and then the import, which ends at the first imported row', async () => {
  const { page, complaints, close } = await opened(
    '/tables/public/notes?import=true&filters=[{"column":"author","operator":"eq","value":"Bo"}]',
  );
  const file = { name: 'notes.csv', mimeType: 'text/csv', buffer: Buffer.from('body\nfirst\nlast\n') };
  page.on('filechooser', (chooser) => void chooser.setFiles(file));
  const panel = page.getByRole('dialog');
  await panel.getByLabel('CSV or JSON file').and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  const value = panel.getByRole('textbox', { name: 'Value of author' });
  await value.fill('Ada');
  await value.press('Enter');
  await panel.getByText('All 2 rows are valid').waitFor();
  await value.press('Enter');
  await panel.getByText('2 rows were imported.').waitFor();
  await panel.getByRole('button', { name: 'Show imported rows' }).and(page.locator(':focus')).press('Enter');
  await panel.waitFor({ state: 'detached' });
  await page.locator('[data-cell="0:2"]').filter({ hasText: 'last' }).waitFor();
  await page.locator('[data-cell="1:2"]').filter({ hasText: 'first' }).waitFor();
  await page.locator('[data-cell="0:1"]:focus').waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

testEach(looks)(
  'a table can be created from a file with inferred types and saved as a migration, $width px, $colorScheme',
  async (look) => {
    const { page, complaints, close } = await opened('/tables/new', look);
    await page.getByRole('link', { name: 'Create from a CSV or JSON file' }).press('Enter');
    await choose(
      page,
      `Sales ${look.width}.csv`,
      'Order No,Sold On,Zip\nA1,2024-01-01,01234\nA2,2024-02-01,55555\n',
    );
    const table = `sales_${look.width}`;
    await expect.poll(() => page.getByRole('textbox', { name: 'Table name' }).inputValue()).toBe(table);
    const types = page.getByRole('combobox', { name: 'Type' });
    await expect
      .poll(() => types.evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value)))
      .toEqual(['text', 'date', 'text']);
    await page.getByRole('checkbox', { name: 'Import Zip' }).press('Space');
    await page.getByLabel('Primary key').selectOption('order_no');
    await expectSound(page, 'columns of the file');
    await page.getByRole('button', { name: 'Review SQL' }).press('Enter');
    const review = page.getByRole('dialog', { name: `Create ${table}` });
    await review.getByText(`create table "public"."${table}"`).waitFor();
    await review.getByText(`alter table "public"."${table}" enable row level security`).waitFor();
    await review.getByRole('checkbox', { name: 'Save as a migration file' }).press('Space');
    await review.getByRole('button', { name: 'Dry run' }).press('Enter');
    await review.getByText('All 2 rows are valid').waitFor();
    await expectSound(page, 'review');
    await review.getByRole('button', { name: 'Create and import' }).press('Enter');
    await review.getByRole('button', { name: `Open ${table}` }).press('Enter');
    await page.getByRole('gridcell', { name: '2024-02-01' }).waitFor();
    expect(await rowsOf(`select order_no, sold_on::text from public.${table} order by 1`)).toEqual([
      ['A1', '2024-01-01'],
      ['A2', '2024-02-01'],
    ]);
    const names = await backend.database
      .pool('supabase_admin')
      .query(sql`select from supabase_migrations.schema_migrations where name = ${`create_table_${table}`}`);
    expect(names).toHaveLength(1);
    expect(complaints.list).toEqual([]);
    await close();
  },
  { ...withStates, timeout: 90_000 },
);
