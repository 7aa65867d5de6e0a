/** Tests, in Chromium and with the keyboard, that the rows related to a row are expanded in place. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../web/browser.ts';
import { type Backend, operator, startBackend } from './harness.ts';
import { expectSound, type SignedIn, signedIn } from './page-helpers.ts';
import { markup } from './services-backend.ts';

let backend: Backend;
let browser: Browser;
let open: SignedIn;
let page: Page;
const quoted = `'${markup.replaceAll("'", "''")}'`;

beforeAll(async () => {
  backend = await startBackend();
  await backend.database.pool('postgres').exec(`
    create table public.growers (id int primary key, name text);
    create table public.crops (
      id int primary key, name text, grower int references public.growers, part text, number int,
      unique (part, number));
    create table public.notes (id int primary key, crop int references public.crops, text text);
    create table public.pairs (id int primary key, part text, number int,
      foreign key (part, number) references public.crops (part, number));
    create schema farm;
    create table farm.beds (id int primary key, "Crop of it" int references public.crops) partition by range (id);
    create table farm.beds_low partition of farm.beds for values from (0) to (100);
    insert into public.growers values (1, ${quoted}), (2, 'Ben');
    insert into public.crops values (1, 'Leek', 1, 'a', 1), (2, 'Kale', 1, 'b', 2), (3, 'Pea', null, null, null);
    insert into public.notes select i, 1, 'Note ' || i from generate_series(1, 12) i;
    insert into public.pairs values (1, 'a', 1), (2, 'b', 2);
    insert into farm.beds values (7, 1);
    alter table public.notes enable row level security`);
  browser = await launchBrowser();
  open = await signedIn(browser, backend);
  page = open.page;
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

const row = (id: number): string =>
  `/tables/public/crops?${new URLSearchParams({ row: JSON.stringify({ id: String(id) }) })}`;
const related = () => page.getByRole('dialog').getByRole('region', { name: 'Related rows' });
const relation = (title: string) => related().getByText(title, { exact: true });

test('the keys that reference a table are listed once, without those of partitions', async () => {
  const owner = await operator(backend);
  const { body } = await owner.call('GET', '/tables/public/crops/referring');
  const keys = body.keys.map(
    (key: { schema: string; table: string; columns: string[]; references: string[] }) => [
      `${key.schema}.${key.table}`,
      key.columns,
      key.references,
    ],
  );
  expect(keys).toEqual([
    ['public.notes', ['crop'], ['id']],
    ['public.pairs', ['part', 'number'], ['part', 'number']],
    ['farm.beds', ['Crop of it'], ['id']],
  ]);
  expect((await owner.call('GET', '/tables/public/none/referring')).status).toBe(404);
});

test('references and referencing rows are loaded when they are opened, to any depth', async () => {
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await open.go(row(1));
  await relation('grower → growers (1)').waitFor();
  expect(requests.filter((url) => /\/(growers|notes|beds)\/rows/.test(url))).toEqual([]);
  await relation('grower → growers (1)').press('Enter');
  await related().getByText(markup).waitFor();
  await relation('notes · crop').press('Enter');
  await related().getByText('12 rows reference this row. The first 5 are shown.').waitFor();
  // A button that the panel's header covers in part counts as too small.
  await page.getByRole('dialog').getByRole('textbox').first().scrollIntoViewIfNeeded();
  await expectSound(page, 'related rows');
  await relation('id: 3 · crop: 1 · text: Note 3').press('Enter');
  await related().getByText('crop → crops (1)').first().waitFor();
  // Rows of other schemas, of several columns, and of partitions.
  await relation('pairs · part, number').press('Enter');
  await related().getByText('1 row references this row').first().waitFor();
  await relation('farm.beds · Crop of it').press('Enter');
  await relation('id: 7 · Crop of it: 1').waitFor();
  const link = related().getByRole('link', { name: 'Open in notes' }).first();
  await link.press('Enter');
  await page.waitForURL('**/tables/public/notes?**');
  await page.getByText('12 rows', { exact: true }).waitFor();
  expect(open.complaints.list).toEqual([]);
});

test('a row without relations says so, and a preview of a referenced row expands its relations', async () => {
  await open.go(row(3));
  await relation('notes · crop').press('Enter');
  await related().getByText('No rows', { exact: true }).waitFor();
  await open.go('/tables/public/crops');
  const cell = page.locator('[data-cell="0:3"]');
  await cell.click();
  await page.keyboard.press('Alt+Enter');
  await relation('crops · grower').press('Enter');
  await related().getByText('2 rows reference this row').waitFor();
  await open.go(`/tables/public/growers?${new URLSearchParams({ row: '{"id":"2"}' })}`);
  await relation('crops · grower').waitFor();
});

test('a persona sees only the related rows that policies allow', async () => {
  await backend.database.pool('postgres').exec('grant select on all tables in schema public to anon');
  await open.go(`${row(1)}&as=anon`);
  await relation('notes · crop').press('Enter');
  await related().getByText('No rows that this persona can read').waitFor();
});
