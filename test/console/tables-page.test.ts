/** Tests the table pages in Chromium with the keyboard and a real server: ranges, files and structure. */
import { readFileSync } from 'node:fs';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { animationsEnded, type Complaints, launchBrowser, openContext } from '../web/browser.ts';
import { pageStates, testEach, withStates } from '../web/states.ts';
import { type Backend, startBackend } from './harness.ts';
import { expectSound, looks, signInWindow } from './page-helpers.ts';

const hostile = `<img src=x onerror="document.title='owned'">`;
// The timeout is long, because each test opens several pages and the machine may be busy.
let backend: Backend;
let browser: Browser;
const pool = () => backend.database.pool('postgres');

beforeAll(async () => {
  backend = await startBackend();
  await pool().exec(`
    create table public.shelves (id int primary key, label text);
    insert into public.shelves values (1, 'top'), (2, 'low');
    create table public.books (
      id int primary key, shelf int references public.shelves, title text, pages int not null default 1);
    insert into public.books select i, 1 + i % 2, 'Book ' || i, i from generate_series(1, 40) i;
    create table public.heap (a int, b text);
    insert into public.heap select i, 'row ' || i from generate_series(1, 20) i;
    create table public.mine (id int primary key, owner uuid, note text);
    alter table public.mine enable row level security;
    insert into public.mine values (1, null, 'only the operator');
    create type public.stage as enum ('draft', 'live');
    create table public."${hostile.replaceAll('"', '""')}" (id int primary key, "${hostile.replaceAll('"', '""')}" text);
    insert into public."${hostile.replaceAll('"', '""')}" values (1, '${hostile.replaceAll("'", "''")}');
    create table public.large as select i as id, 'row ' || i as text, i % 7 as n from generate_series(1, 3000) i;
    alter table public.large add primary key (id);
    analyze public.large;
  `);
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

/** Searches a list of choices with the keyboard. */
async function choose(page: Page, select: Locator, name: string): Promise<void> {
  await select.fill(name);
  await page.getByRole('option', { name, exact: true }).waitFor();
  await select.press('ArrowDown');
  await select.press('Enter');
}

type Options = Parameters<typeof openContext>[1];

async function signedIn(
  options: Options = {},
  name?: string,
): Promise<{ page: Page; complaints: Complaints; close: () => Promise<void> }> {
  const { context, complaints } = await openContext(browser, {
    viewport: { width: 1280, height: 800 },
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  await signInWindow(context, backend, name);
  const page = await context.newPage();
  return { page, complaints, close: () => context.close() };
}

const go = (page: Page, path: string) => page.goto(`${backend.console.url}/console/tables${path}`);
const cell = (page: Page, row: number, column: number) => page.locator(`[data-cell="${row}:${column}"]`);

async function focusCell(page: Page, row: number, column: number): Promise<void> {
  await cell(page, 0, 1).waitFor();
  await page.locator('[data-cell][tabindex="0"]').focus();
  await page.keyboard.press('Control+Home');
  for (let step = 0; step < row; step++) await page.keyboard.press('ArrowDown');
  for (let step = 0; step < column; step++) await page.keyboard.press('ArrowRight');
  await page.locator(`[data-cell="${row}:${column}"]:focus`).waitFor();
}

async function column(table: string, name: string, ids: readonly number[]): Promise<unknown[]> {
  const rows = await pool().query<{ value: unknown }>(
    sql`select ${sql.id(name)} as value from ${sql.id('public', table)} where id = any(${ids}::int[]) order by id`,
  );
  return rows.map(({ value }) => value);
}

const clipboard = (page: Page): Promise<string> => page.evaluate('navigator.clipboard.readText()');

describe('ranges of cells', () => {
  test('can be copied, pasted and undone as a whole, with the keyboard', async () => {
    const { page, complaints, close } = await signedIn();
    await go(page, '/public/books');
    await focusCell(page, 0, 3);
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(() => page.locator('[data-range]').count()).toBe(4);
    await page.keyboard.press('Control+c');
    await page.getByText('4 cells copied').waitFor();
    expect(await clipboard(page)).toBe('Book 1\t1\nBook 2\t2');

    await focusCell(page, 4, 3);
    await page.keyboard.press('Control+v');
    await cell(page, 5, 3).filter({ hasText: 'Book 2' }).waitFor();
    await page.getByText('4 cells pasted').waitFor();
    await expect.poll(() => column('books', 'title', [5, 6])).toEqual(['Book 1', 'Book 2']);
    expect(await column('books', 'pages', [5, 6])).toEqual([1, 2]);
    // The database stores the change before the page receives the response, so the test waits for the page.
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.keyboard.press('Control+z');
    await expect.poll(() => column('books', 'title', [5, 6])).toEqual(['Book 5', 'Book 6']);

    // A clipboard that contains only an image doesn't change the cell.
    await page.evaluate(`(async () => {
      const image = await new Promise((done) => document.createElement('canvas').toBlob(done));
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': image })]);
    })()`);
    await page.keyboard.press('Control+v');
    await page.getByText('The clipboard doesn’t contain text, so nothing was pasted').waitFor();
    expect(await column('books', 'title', [5])).toEqual(['Book 5']);
    expect(complaints.list).toEqual([]);
    await close();
  });

  test('can be filled with one cell’s value, and a rejected cell reverts all cells and shows its row', async () => {
    const { page, close } = await signedIn();
    await go(page, '/public/books');
    await focusCell(page, 9, 3);
    await page.evaluate(`navigator.clipboard.writeText('Same')`);
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Control+v');
    await expect.poll(() => column('books', 'title', [10, 11])).toEqual(['Same', 'Same']);

    await focusCell(page, 12, 4);
    await page.evaluate(`navigator.clipboard.writeText('77\\nnot a number')`);
    await page.keyboard.press('Control+v');
    await page.getByText('None of the 2 changes were saved because row 14 was rejected').waitFor();
    await page.getByRole('alert').getByText('22P02').waitFor();
    expect(await column('books', 'pages', [13, 14])).toEqual([13, 14]);
    await close();
  });

  test('include the whole text of a long cell, although the grid contains only its beginning', async () => {
    const { page, close } = await signedIn();
    await go(page, '/public/tasks');
    await focusCell(page, 4, 3);
    await page.keyboard.press('Control+c');
    await page.getByText('1 cell copied').waitFor();
    expect(await clipboard(page)).toHaveLength(1000);
    await close();
  });
});

test('a foreign key opens the referenced row', async () => {
  const { page, complaints, close } = await signedIn();
  await go(page, '/public/books');
  await focusCell(page, 0, 2);
  await page.keyboard.press('Alt+Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('low').waitFor();
  await dialog.getByRole('link', { name: 'Open shelves' }).press('Enter');
  await page.waitForURL('**/tables/public/shelves**');
  await cell(page, 0, 2).filter({ hasText: 'low' }).waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('a row without a key can be edited twice, and both edits can be undone', async () => {
  const { page, close } = await signedIn();
  const stored = async () =>
    (await pool().query<{ b: string }>(sql`select b from public.heap where a = 3`))[0]?.b;
  await go(page, '/public/heap');
  await focusCell(page, 2, 2);
  for (const value of ['one', 'two']) {
    await focusCell(page, 2, 2);
    await page.keyboard.press('Enter');
    await page.keyboard.type(value);
    await page.keyboard.press('Enter');
    await expect.poll(stored).toBe(value);
    await cell(page, 2, 2).and(page.locator(':not([data-pending])')).waitFor();
  }
  await page.keyboard.press('Control+z');
  await expect.poll(stored).toBe('one');
  await cell(page, 2, 2).and(page.locator(':not([data-pending])')).waitFor();
  await page.keyboard.press('Control+z');
  await expect.poll(stored).toBe('row 3');
  await close();
});

test('rows don’t move when they are selected', async () => {
  for (const width of [1280, 1000, 360]) {
    const { page, close } = await signedIn({ viewport: { width, height: 800 } });
    await go(page, '/public/large');
    const box = cell(page, 1, 0);
    await box.waitFor();
    await animationsEnded(page);
    const before = await box.boundingBox();
    await box.click();
    await page.getByRole('button', { name: 'Delete 1' }).waitFor();
    await expect.poll(async () => [width, await box.boundingBox()]).toEqual([width, before]);
    await close();
  }
});

test('selected rows can be changed together and restored, and a change to all matching rows first shows their number', async () => {
  const { page, close } = await signedIn();
  await go(page, '/public/large?filters=[{"column":"id","operator":"lte","value":"150"}]');
  await focusCell(page, 0, 2);
  await page.keyboard.press('Shift+Space');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+Space');
  await page.getByRole('button', { name: 'Edit 2' }).press('Enter');
  const dialog = page.getByRole('dialog');
  // In the dialog, the active cell's column is selected, and Enter saves only after a value has been entered.
  await dialog.getByLabel('text', { exact: true }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await dialog.getByText('Enter or choose the new value.').waitFor();
  await dialog.getByText('Sets one column of these 2 rows of public.large').waitFor();
  await page.keyboard.type('both');
  const preview = dialog.getByRole('table', { name: 'Preview' }).getByRole('row');
  await expect
    .poll(() => preview.allTextContents())
    .toEqual(['idCurrent valueNew value', '1row 1both', '2row 2both']);
  await page.keyboard.press('Enter');
  await expect.poll(() => column('large', 'text', [1, 2])).toEqual(['both', 'both']);
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).press('Enter');
  await page.getByRole('status').getByText('Undid the change to 2 cells').waitFor();
  expect(await column('large', 'text', [1, 2])).toEqual(['row 1', 'row 2']);
  await focusCell(page, 1, 0);
  await page.getByRole('button', { name: 'Edit 2' }).press('Enter');
  // If no cell is active, the operator must choose the column.
  await dialog.getByLabel('Column').and(page.locator(':focus')).waitFor();
  expect(await dialog.getByLabel('Column').inputValue()).toBe('');
  await dialog.getByRole('button', { name: 'Update 2 rows' }).press('Enter');
  await dialog.getByRole('alert').getByText('Choose the column to change.').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Select all matching rows' }).press('Enter');
  await page.getByRole('button', { name: 'Delete all' }).press('Enter');
  await dialog.getByText('Delete 150 rows?').waitFor();
  expect(await dialog.getByRole('button', { name: 'Delete 150 rows' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Type 150 to confirm').fill('150');
  await dialog.getByRole('button', { name: 'Delete 150 rows' }).press('Enter');
  await page.getByText('No matching rows').waitFor();
  const [left] = await pool().query<{ count: number }>(sql`select count(*) from public.large`);
  expect(left?.count).toBe(2850);
  await close();
});

describe('files', () => {
  test('in CSV format can be checked, corrected and imported', async () => {
    const { page, complaints, close } = await signedIn();
    await go(page, '/public/shelves?import=true');
    const dialog = page.getByRole('dialog');
    const file = (text: string) => ({ name: 'shelves.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await dialog.getByLabel('CSV or JSON file').setInputFiles(file('ID,Name\n10,ten\nx,bad\n'));
    await dialog.getByLabel('Table column for Name').selectOption('label');
    await dialog.getByRole('button', { name: 'Dry run' }).press('Enter');
    await dialog.getByText('Line 3').waitFor();
    await dialog.getByText('invalid input syntax for type integer').waitFor();
    await dialog.getByLabel('CSV or JSON file').setInputFiles(file('ID,Name\n12,ten\n13,\n'));
    // The mapping shows an example from the new file.
    await dialog.getByText('12', { exact: true }).waitFor();
    await dialog.getByLabel('Table column for Name').selectOption('label');
    await dialog.getByRole('button', { name: 'Dry run' }).press('Enter');
    await dialog.getByText('All 2 rows are valid').waitFor();
    expect(await column('shelves', 'label', [12, 13])).toEqual([]);
    await dialog.getByRole('button', { name: 'Import', exact: true }).press('Enter');
    await dialog.getByText('2 rows were imported').waitFor();
    expect(await column('shelves', 'label', [12, 13])).toEqual(['ten', null]);
    expect(complaints.list).toEqual([]);
    await close();
  });

  test('can contain the rows of a filter', withStates, async () => {
    const { page, close } = await signedIn();
    await go(page, '/public/books?filters=[{"column":"id","operator":"lte","value":"2"}]');
    await page.getByRole('button', { name: 'Import and export' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Import file…' }).and(page.locator(':focus')).waitFor();
    await expectSound(page, 'the menu');
    const download = page.waitForEvent('download');
    await page
      .getByRole('menuitem', { name: 'Export as CSV, with an apostrophe before formulas' })
      .press('Enter');
    const path = await (await download).path();
    expect(readFileSync(path, 'utf8')).toBe('id,shelf,title,pages\r\n1,2,Book 1,1\r\n2,1,Book 2,2\r\n');
    await close();
  });
});

test('for a persona, a table shows the rows that the policies allow', async () => {
  const { page, close } = await signedIn();
  await go(page, '/public/mine');
  await cell(page, 0, 3).filter({ hasText: 'only the operator' }).waitFor();
  await page.getByRole('button', { name: /^View as/ }).press('Enter');
  await page
    .getByRole('button', { name: /Visitor|anon/i })
    .first()
    .press('Enter');
  await page.getByText('can’t read any rows').waitFor();
  expect(page.url()).toContain('as=anon');
  await close();
});

describe('structure', () => {
  test('a table can be created, get a column, and be dropped by typing its name, and the SQL is shown first', async () => {
    const { page, complaints, close } = await signedIn();
    await go(page, '/new');
    await page.getByRole('textbox', { name: 'Name' }).first().fill('gardens');
    await page.getByRole('button', { name: 'Review SQL' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('create table "public"."gardens"').waitFor();
    await dialog.getByText('enable row level security').waitFor();
    await dialog.getByRole('button', { name: 'Run' }).press('Enter');
    await page.waitForURL('**/tables/public/gardens');
    await page.getByRole('heading', { name: 'public.gardens' }).and(page.locator(':focus')).waitFor();
    // The table has no policies yet, so the link opens the form for the first policy.
    await page.getByRole('link', { name: 'RLS, no policies' }).press('Enter');
    await dialog.getByText('New policy on gardens').waitFor();
    await page.goBack();
    await dialog.waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Structure' }).press('Enter');
    await page.getByRole('button', { name: 'Add column' }).press('Enter');
    await dialog.getByLabel('Name').fill('size');
    await dialog.getByLabel('Type').fill('numeric(6, 2)');
    await dialog.getByRole('button', { name: 'Review SQL' }).press('Enter');
    await dialog.getByText('alter table "public"."gardens" add column "size" numeric(6, 2)').waitFor();
    await dialog.getByRole('button', { name: 'Run' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Edit size' }).waitFor();

    await page.getByRole('button', { name: 'Drop table' }).press('Enter');
    await dialog.getByRole('button', { name: 'Review SQL' }).press('Enter');
    const run = dialog.getByRole('button', { name: 'Run' });
    await dialog.getByLabel('Type gardens to confirm').waitFor();
    expect(await run.isDisabled()).toBe(true);
    await dialog.getByLabel('Type gardens to confirm').fill('gardens');
    await run.press('Enter');
    await page.waitForURL('**/console/tables');
    const found = await pool().query(sql`select from pg_tables where tablename = 'gardens'`);
    expect(found).toEqual([]);
    expect(complaints.list).toEqual([]);
    await close();
  });

  testEach(looks)(
    'the row of a new column shows its foreign key and whether it is nullable, at $width px',
    async ({ colorScheme, ...viewport }) => {
      const { page, complaints, close } = await signedIn({ viewport, colorScheme });
      await go(page, '/new');
      await page.getByRole('textbox', { name: 'Name' }).first().and(page.locator(':focus')).waitFor();
      await page.getByRole('button', { name: 'Add column' }).press('Enter');
      const row = page
        .getByRole('listitem')
        .filter({ has: page.getByRole('checkbox') })
        .nth(2);
      await row.getByLabel('Name').and(page.locator(':focus')).waitFor();
      await page.keyboard.insertText('shelf');
      await row.getByRole('checkbox', { name: 'Nullable' }).uncheck();
      await choose(page, row.getByRole('combobox', { name: 'Foreign key (column shelf)' }), 'shelves');
      const type = row.getByLabel('Type');
      await expect.poll(() => type.inputValue()).toBe('integer');
      const mismatch = row.getByText('Can’t reference shelves.id, which has the type integer');
      await type.fill('text');
      await mismatch.waitFor();
      await expectSound(page, 'a type that can’t reference the other column');
      await type.fill('bigint');
      await mismatch.waitFor({ state: 'detached' });
      const more = row.getByRole('button', { name: 'More options (column shelf)' });
      await more.press('Enter');
      const dialog = page.getByRole('dialog');
      await choose(page, dialog.getByRole('combobox', { name: 'Foreign key' }), 'None');
      await choose(page, dialog.getByRole('combobox', { name: 'Foreign key' }), 'shelves');
      await expect.poll(() => type.inputValue()).toBe('integer');
      await dialog.getByLabel('On update').press('Enter');
      await dialog.waitFor({ state: 'detached' });
      await more.and(page.locator(':focus')).waitFor();
      await more.press('Enter');
      await dialog.getByRole('button', { name: 'Done' }).press('Enter');
      await dialog.waitFor({ state: 'detached' });
      await row.getByLabel('On delete (column shelf)').selectOption('On delete: CASCADE');
      const head = page.locator('span').getByText('Nullable', { exact: true }).first();
      await expect.poll(() => head.isVisible()).toBe(viewport.width > 1000);
      const rightEdge = async () => {
        const box = await row.boundingBox();
        return box === null ? undefined : box.x + box.width;
      };
      await expect.poll(rightEdge).toBeLessThan(viewport.width);
      await expectSound(page, 'the form of a new table');
      await page.getByLabel('Name').first().fill('shelved');
      await page.getByRole('button', { name: 'Review SQL' }).press('Enter');
      await dialog.getByText('"shelf" integer not null').waitFor();
      await dialog.getByText('on delete cascade').waitFor();
      expect(complaints.list).toEqual([]);
      await close();
    },
    withStates,
  );

  test('the page of a missing table explains this and links to the list', withStates, async () => {
    const { page, close } = await signedIn();
    await go(page, '/public/gone');
    await page.getByRole('heading', { name: 'Table not found' }).waitFor();
    await page.getByText('public.gone').waitFor();
    await expectSound(page, 'a missing table');
    await go(page, '/public/gone/structure');
    await page.getByRole('heading', { name: 'Table not found' }).waitFor();
    await expectSound(page, 'the structure of a missing table');
    await page.getByRole('link', { name: 'Choose another table' }).press('Enter');
    await page.waitForURL('**/console/tables');
    await close();
  });

  test('keys and indexes can be changed', async () => {
    const { page, close } = await signedIn();
    await go(page, '/public/books/structure');
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Add index' }).press('Enter');
    await dialog.getByLabel('Columns or expressions').fill('(lower(title)) desc\npages');
    await dialog.getByRole('button', { name: 'Review SQL' }).press('Enter');
    await dialog.getByText('using btree ((lower(title)) desc, "pages")').waitFor();
    await dialog.getByRole('button', { name: 'Run' }).press('Enter');
    await page.getByText('books_lower_pages_idx', { exact: true }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Add key or check' }).press('Enter');
    await dialog.getByLabel('Kind').selectOption('check');
    await dialog.getByRole('textbox', { name: 'Check' }).fill('pages > 0');
    await dialog.getByRole('button', { name: 'Review SQL' }).press('Enter');
    await dialog.getByRole('button', { name: 'Run' }).press('Enter');
    await page.getByText('CHECK ((pages > 0))').waitFor();
    await close();
  });

  test('a read-only operator sees the structure without controls for changing it', async () => {
    await backend.operators.createOperator('visitor', 'read-only');
    const { page, close } = await signedIn({}, 'visitor');
    await go(page, '/public/books/structure');
    await page.getByText('Your role is read-only').waitFor();
    await page.getByText('books_pkey').first().waitFor();
    expect(await page.getByRole('button', { name: /Add|Drop|Edit|Turn/ }).count()).toBe(0);
    await go(page, '/types');
    await page.getByText('draft').waitFor();
    expect(await page.getByRole('button', { name: /New|Add|Drop|Rename/ }).count()).toBe(0);
    await go(page, '/new');
    await page.getByText('Your role is read-only').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    await go(page, '/public/books?import=true');
    await cell(page, 0, 1).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await close();
  });
});

test('markup in a table’s names and values is shown as text', async () => {
  const { page, complaints, close } = await signedIn();
  const table = encodeURIComponent(hostile);
  for (const path of [`/public/${table}`, `/public/${table}?row={"id":"1"}`, `/public/${table}/structure`]) {
    await go(page, path);
    await page.getByText(hostile).first().waitFor();
    expect(await page.title()).not.toBe('owned');
    expect(await page.locator('img[src="x"]').count()).toBe(0);
  }
  expect(complaints.list).toEqual([]);
  await close();
});

test('a long table has few DOM nodes, and one key press opens its last row', async () => {
  const { page, close } = await signedIn();
  await go(page, '/public/large');
  await focusCell(page, 0, 1);
  await page.keyboard.press('Control+End');
  await page.locator('[data-cell$=":3"]:focus').waitFor();
  await expect
    .poll(() => page.evaluate(`document.querySelectorAll('[role=grid] *').length`))
    .toBeLessThan(1500);
  await close();
});

test.each(looks)(
  'table pages are accessible and fit at $width px, $colorScheme first',
  { ...pageStates, timeout: 120_000 },
  async ({ colorScheme, ...viewport }) => {
    const { page, complaints, close } = await signedIn({ viewport, colorScheme });
    const dialog = page.getByRole('dialog');
    const places: [path: string, ready: () => Promise<unknown>][] = [
      ['/new', () => page.getByRole('button', { name: 'Review SQL' }).waitFor()],
      ['/types', () => page.getByText('public.stage').waitFor()],
      ['/public/books/structure', () => page.getByText('books_pkey').first().waitFor()],
      [
        '/public/books/structure',
        async () => {
          await page.getByRole('button', { name: 'Edit title' }).click();
          await dialog.getByLabel('Type').waitFor();
        },
      ],
      [
        '/public/books/structure',
        async () => {
          await page.getByRole('button', { name: 'Drop title' }).click();
          await dialog.getByRole('button', { name: 'Review SQL' }).click();
          await dialog.getByLabel('Type title to confirm').waitFor();
        },
      ],
      ['/public/books?import=true', () => dialog.getByLabel('CSV or JSON file').waitFor()],
      ['/public/mine?as=anon', () => page.getByText('can’t read any rows').waitFor()],
    ];
    for (const [path, ready] of places) {
      await go(page, path);
      await ready();
      await expectSound(page, path);
    }
    expect(complaints.list).toEqual([]);
    await close();
  },
);

test(
  'the project’s schemas are listed first, and system schemas are collapsed but can be found',
  withStates,
  async () => {
    const { page, complaints, close } = await signedIn();
    await go(page, '');
    const list = page.getByRole('navigation', { name: 'Tables' });
    const open = list.getByRole('link', { name: 'tasks', exact: true });
    await open.waitFor();
    // The warning is the link's accessible description, so its accessible name is only the table's name.
    const warning = await open.getAttribute('aria-describedby');
    expect(await page.locator(`[id="${warning}"]`).textContent()).toContain('Row-level security is off');
    await list.getByRole('link', { name: 'books' }).waitFor();
    expect(await list.getByRole('heading', { name: 'auth' }).count()).toBe(0);
    await page.getByRole('searchbox', { name: 'Filter tables' }).fill('auth.users');
    await list.getByRole('link', { name: 'users' }).waitFor();
    await page.getByRole('searchbox', { name: 'Filter tables' }).fill('');
    await list.getByRole('button', { name: /^System schemas/ }).press('Enter');
    await list.getByRole('heading', { name: 'auth' }).waitFor();
    await expectSound(page, 'system schemas');
    await page.reload();
    await list.getByRole('heading', { name: 'auth' }).waitFor();
    await list.getByRole('button', { name: /^System schemas/ }).press('Enter');
    await list.getByRole('heading', { name: 'auth' }).waitFor({ state: 'detached' });

    await go(page, '/types');
    await page.getByText('public.stage').waitFor();
    expect(await page.getByText('auth.aal_level').count()).toBe(0);
    await page.getByRole('checkbox', { name: 'System objects' }).press('Space');
    await page.getByRole('button', { name: 'auth.aal_level' }).press('Enter');
    await page.getByRole('dialog').getByText('aal3').waitFor();
    await expectSound(page, 'system types');
    expect(await page.getByRole('button', { name: /^(Add value|Rename|Drop)/ }).count()).toBe(0);

    await go(page, '/public/books/structure');
    await page.getByRole('button', { name: 'Add trigger' }).press('Enter');
    const call = page.getByRole('dialog').getByLabel('Function');
    await expect
      .poll(() => call.locator('optgroup').first().getAttribute('label'))
      .toMatch(/^(Your|System) functions$/);
    expect(await call.inputValue()).toBe('');
    expect(complaints.list).toEqual([]);
    await close();
  },
);
