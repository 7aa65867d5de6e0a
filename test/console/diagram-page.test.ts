/** Tests the diagram of the schema in Chromium: keyboard, positions, filters, exports, and editing a foreign key. */
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { launchBrowser } from '../web/browser.ts';
import { pageStates } from '../web/states.ts';
import type { Backend } from './harness.ts';
import { expectSound, looks, signedIn } from './page-helpers.ts';

let backend: Backend;
let browser: Browser;

/** A schema with many tables, so that most of them are outside the window. */
const many = Array.from(
  { length: 120 },
  (_, n) => `create table many.t${n} (id int primary key, up int references many.t${Math.floor(n / 3)});`,
).join('\n');

beforeAll(async () => {
  [backend, browser] = await Promise.all([
    createTestBackend({
      sql: `
        create table public.authors (id int primary key, name text not null);
        create table public.posts (id int primary key, author_id int not null references public.authors);
        create table public.comments (id int primary key, post_id int references public.posts);
        create table public.islands (id int primary key);
        create table public."<img src=x onerror=document.title='pwned'>" (id int primary key);
        create schema many;
        ${many}`,
    }),
    launchBrowser(),
  ]);
  await backend.operators.createOperator('looker', 'read-only');
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

const link = (page: Page, table: string) => page.getByRole('link', { name: new RegExp(`^${table}, `) });
const node = (page: Page, table: string) => page.locator('[data-table]', { has: link(page, table) });

test('arrow keys move between related tables, and Enter opens a table', async () => {
  const { page, go, complaints, close } = await signedIn(browser, backend);
  await go('/tables');
  await page.getByRole('link', { name: 'Diagram' }).press('Enter');
  await page.getByRole('heading', { name: 'Schema diagram' }).waitFor();
  await go('/tables/diagram?schema=public');
  await link(page, 'public.posts').focus();
  expect(await link(page, 'public.posts').getAttribute('aria-label')).toBe(
    'public.posts, table, 2 columns, not analyzed, RLS off. References public.authors. Referenced by public.comments.',
  );
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.locator(':focus').getAttribute('aria-label')).toContain('public.authors,');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => page.locator(':focus').getAttribute('aria-label')).toContain('public.posts,');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => page.locator(':focus').getAttribute('aria-label')).toContain('public.comments,');
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => page.locator(':focus').getAttribute('aria-label')).toContain('public.islands,');
  // Only one table is in the tab order. Its details are next.
  await page.keyboard.press('Tab');
  expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Details of public.islands');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Space');
  await page.getByRole('dialog').getByRole('heading', { name: 'public.islands' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await link(page, 'public.islands').press('Enter');
  await page.getByRole('heading', { name: 'public.islands' }).waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('a moved table keeps its position, until the positions are reset', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/tables/diagram?schema=public');
  const posts = node(page, 'public.posts');
  await posts.waitFor();
  const style = () => posts.getAttribute('style');
  const initial = await style();
  const box = await posts.boundingBox();
  if (box === null) throw new Error('the table is invisible');
  await page.mouse.move(box.x + 40, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 120, box.y + 90, { steps: 4 });
  await page.mouse.up();
  const dragged = await style();
  expect(dragged).not.toBe(initial);
  await link(page, 'public.posts').focus();
  await page.keyboard.press('Shift+ArrowDown');
  await expect.poll(style).not.toBe(dragged);
  const moved = await style();
  await page.reload();
  await posts.waitFor();
  expect(await style()).toBe(moved);
  await page.getByRole('button', { name: 'Reset positions' }).click();
  await expect.poll(style).toBe(initial);
  await page.reload();
  await posts.waitFor();
  expect(await style()).toBe(initial);
  await close();
});

test('the filters are in the address', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/tables/diagram?schema=public');
  await node(page, 'public.islands').waitFor();
  await page.getByRole('combobox', { name: 'Show related tables of' }).fill('authors');
  await page.keyboard.press('Enter');
  await node(page, 'public.islands').waitFor({ state: 'detached' });
  await expect.poll(() => page.url()).toContain('near=public.authors');
  await page.getByRole('combobox', { name: 'Distance' }).selectOption('2');
  await node(page, 'public.comments').waitFor();
  await page.goBack();
  await node(page, 'public.comments').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Show all tables' }).click();
  await node(page, 'public.islands').waitFor();
  await page.getByRole('combobox', { name: 'Schema' }).selectOption('auth');
  await node(page, 'auth.users').waitFor();
  await close();
});

test('only visible tables are rendered, and every table can be reached', async () => {
  const { page, go, close } = await signedIn(browser, backend, { viewport: { width: 700, height: 500 } });
  await go('/tables/diagram?schema=many');
  await page.getByRole('group', { name: 'Diagram with 120 tables' }).waitFor({ state: 'attached' });
  const rendered = () => page.locator('[data-table]').count();
  expect(await rendered()).toBeLessThan(110);
  await page.locator('[data-table] a[tabindex="0"]').focus();
  for (const [key, table] of [
    ['End', 'many.t99'],
    ['Home', 'many.t0'],
  ] as const) {
    await page.keyboard.press(key);
    await expect.poll(() => page.locator(':focus').getAttribute('aria-label')).toContain(`${table},`);
    const box = await node(page, table).boundingBox();
    const canvas = await page.locator('main').boundingBox();
    if (box === null || canvas === null) throw new Error('the table is invisible');
    expect(box.x).toBeGreaterThanOrEqual(canvas.x);
    expect(box.y + box.height).toBeLessThanOrEqual(canvas.y + canvas.height);
  }
  expect(await rendered()).toBeLessThan(110);
  await page.keyboard.press('0');
  await expect.poll(rendered).toBe(120);
  await close();
});

test('a foreign key can be edited from its line', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/tables/diagram?near=public.posts');
  await page.locator('[data-key=posts_author_id_fkey]').dispatchEvent('click');
  const panel = page.getByRole('dialog');
  await panel.getByText('many rows can reference the same row', { exact: false }).waitFor();
  await panel.getByRole('button', { name: 'Edit foreign key' }).press('Enter');
  await panel.getByRole('heading', { name: 'Edit foreign key posts_author_id_fkey' }).waitFor();
  const review = panel.getByRole('button', { name: 'Review SQL' });
  expect(await review.isDisabled()).toBe(true);
  await panel.getByLabel('On delete').selectOption('cascade');
  await review.press('Enter');
  await panel.getByText('drop constraint', { exact: false }).first().waitFor();
  await panel.getByRole('button', { name: /^(Apply|Run)/ }).press('Enter');
  await panel.waitFor({ state: 'detached' });
  const [key] = await backend.database
    .pool('postgres')
    .query<{ definition: string }>(
      sql`select pg_get_constraintdef(oid) as definition from pg_constraint where conname = 'posts_author_id_fkey'`,
    );
  expect(key?.definition).toBe('FOREIGN KEY (author_id) REFERENCES authors(id) ON DELETE CASCADE');
  await close();
});

test('a read-only operator can look at keys but not change them', async () => {
  const { page, go, close } = await signedIn(browser, backend, {}, 'looker');
  await go('/tables/diagram?open=public.comments&view=list');
  const panel = page.getByRole('dialog');
  await panel.getByRole('button', { name: 'post_id → public.posts (id)' }).press('Enter');
  await panel.getByText('NO ACTION').first().waitFor();
  expect(await panel.getByRole('button', { name: 'Edit foreign key' }).count()).toBe(0);
  await close();
});

test('the diagram can be saved as SVG and as Mermaid', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/tables/diagram?schema=public');
  const save = async (name: string): Promise<string> => {
    await page.getByRole('button', { name: 'Export' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name }).click();
    return readFileSync(await (await download).path(), 'utf8');
  };
  const svg = await save('Download SVG');
  expect(svg).toContain('&lt;img src=x');
  // A parser accepts the file, and the name isn't an element.
  expect(
    await page.evaluate(
      `(() => { const file = new DOMParser().parseFromString(${JSON.stringify(svg)}, 'image/svg+xml');
        return [file.querySelectorAll('parsererror, img, script').length, file.querySelectorAll('svg > svg').length]; })()`,
    ),
  ).toEqual([0, 5]);
  expect(await save('Download Mermaid')).toContain('"posts" }o--|| "authors" : "author_id"');
  await close();
});

for (const look of looks)
  test(`the diagram is accessible at ${look.width} px`, pageStates, async () => {
    const { page, go, complaints, close } = await signedIn(browser, backend, {
      viewport: { width: look.width, height: look.height },
      colorScheme: look.colorScheme,
    });
    for (const search of [
      '?schema=public',
      '?schema=public&view=list',
      '?near=public.posts&columns=keys',
      '?near=public.posts&open=public.posts',
      '?near=public.posts&open=public.posts&key=posts_author_id_fkey',
      '?schema=public&near=public.missing',
    ]) {
      await go(`/tables/diagram${search}`);
      await page
        .locator(search.includes('list') ? 'table' : '[data-table]')
        .first()
        .waitFor();
      await expectSound(page, `diagram ${search}`);
    }
    expect(complaints.list).toEqual([]);
    await close();
  });
