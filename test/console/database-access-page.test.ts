/**
 * Tests the pages about roles, privileges, types, sequences and objects of the server in Chromium: the changes with the
 * keyboard, and that a read-only operator can only look.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { launchBrowser } from '../web/browser.ts';
import { pageStates } from '../web/states.ts';
import { type Backend, startBackend } from './harness.ts';
import { expectSound, looks, signedIn } from './page-helpers.ts';

let backend: Backend;
let browser: Browser;
/** Roles belong to the whole cluster, which other test files use too. */
const role = 'Page "Role"';
const quotedRole = '"Page ""Role"""';

beforeAll(async () => {
  backend = await startBackend();
  await backend.operators.createOperator('looker', 'read-only');
  await run(`
    create role ${quotedRole};
    create domain public.short as text check (length(value) < 9);
    create type public.pair as (a int, b text);
    create function public.on_ddl() returns event_trigger language plpgsql as $$ begin perform 1; end $$;
    create extension postgres_fdw with schema extensions;
    create server "Far ""x""" foreign data wrapper postgres_fdw options (host 'far.example');
    create user mapping for postgres server "Far ""x""" options (user 'me', password 'hunter2');
    do $$ begin for i in 1..60 loop execute format('create role page_role_%s', i); end loop; end $$`);
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await run(`
    drop role ${quotedRole};
    drop role if exists page_role_61;
    do $$ begin for i in 1..60 loop execute format('drop role page_role_%s', i); end loop; end $$`);
  await backend?.stop();
});

const run = (text: string) => backend.database.pool('postgres').exec(text);
async function one<Row extends object>(text: string): Promise<Row | undefined> {
  const [row] = await backend.database.pool('postgres').query<Row>(sql.raw(text));
  return row;
}

/** Reviews the SQL of the open panel, runs it, and waits until the panel closes or shows its object again. */
async function runReview(page: Page, text: string): Promise<void> {
  const panel = page.getByRole('dialog');
  const review = panel.getByRole('button', { name: 'Review SQL' });
  if (await review.isVisible()) await review.press('Enter');
  await panel.getByText(text).first().waitFor();
  await panel.getByRole('button', { name: 'Run', exact: true }).press('Enter');
  await panel.getByRole('button', { name: 'Run', exact: true }).waitFor({ state: 'detached' });
}

test('a privilege on a table is replaced by privileges on columns', async () => {
  const { page, go, complaints, close } = await signedIn(browser, backend);
  await go(`/database/grants?filter=tasks&role=${encodeURIComponent('anon')}`);
  await page.getByRole('button', { name: /^anon on tasks:/ }).press('Enter');
  const panel = page.getByRole('dialog');
  const table = panel.getByRole('group', { name: 'Privileges on the object' });
  await panel.getByRole('checkbox', { name: 'Select on title' }).waitFor();
  expect(await panel.getByRole('checkbox', { name: 'Select on title' }).isDisabled()).toBe(true);
  await table.getByRole('checkbox', { name: 'Select', exact: true }).press('Space');
  await panel.getByRole('checkbox', { name: 'Select on title' }).press('Space');
  await runReview(page, 'grant select ("title")');
  await expect
    .poll(() =>
      one(`select has_table_privilege('anon', 'tasks', 'select') as whole,
        has_column_privilege('anon', 'tasks', 'title', 'select') as title`),
    )
    .toEqual({ whole: false, title: true });
  await page.getByRole('button', { name: 'Columns of tasks' }).press('Enter');
  await page.getByRole('button', { name: /^anon on tasks\.title: Select/ }).waitFor();
  await page.getByRole('button', { name: /^anon on tasks\.id: (?!Select)/ }).waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('a role gets the right to grant a privilege, which the matrix marks', async () => {
  await run('create role page_granter; grant select, insert on public.tasks to page_granter');
  const { page, go, complaints, close } = await signedIn(browser, backend);
  await go(`/database/grants?filter=tasks&role=${encodeURIComponent('page_granter')}`);
  await page.getByRole('button', { name: 'page_granter on tasks: Insert, Select' }).press('Enter');
  const panel = page.getByRole('dialog');
  // Without the privilege itself, there is nothing that the role could grant.
  const option = (privilege: string) => panel.getByRole('checkbox', { name: `Can grant it: ${privilege}` });
  await option('Select').waitFor();
  expect(await option('Delete').count()).toBe(0);
  await option('Select').press('Space');
  await panel.getByRole('checkbox', { name: 'Delete', exact: true }).press('Space');
  await option('Delete').press('Space');
  await expectSound(page, 'the right to grant');
  await runReview(page, 'with grant option');
  await page
    .getByRole('button', {
      name: 'page_granter on tasks: Delete (can grant it), Insert, Select (can grant it)',
    })
    .press('Enter');
  await option('Select').press('Space');
  await runReview(page, 'revoke grant option for select');
  await page
    .getByRole('button', { name: 'page_granter on tasks: Delete (can grant it), Insert, Select' })
    .waitFor();
  // PUBLIC can't have the right.
  await go('/database/grants?filter=tasks&open=table%20public.tasks&of=public');
  await panel.getByRole('checkbox', { name: 'Select', exact: true }).waitFor();
  expect(await option('Select').count()).toBe(0);
  expect(complaints.list).toEqual([]);
  await close();
  await run('revoke all on public.tasks from page_granter; drop role page_granter');
});

test('what the services need can’t be revoked, and what requests need has a warning', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/database/grants?kind=schemas&open=schema%20public&of=anon');
  const panel = page.getByRole('dialog');
  await panel.getByRole('checkbox', { name: 'Usage', exact: true }).press('Space');
  await panel.getByRole('button', { name: 'Review SQL' }).press('Enter');
  await panel
    .getByText('Requests as anon will no longer be able to use anything in the schema public.')
    .waitFor();
  await go('/database/grants?kind=schemas&open=schema%20public&of=authenticator');
  await go('/database/roles?open=authenticator');
  await panel.getByRole('button', { name: 'Remove anon' }).press('Enter');
  await panel.getByText('authenticator switches to anon for each request').waitFor();
  expect(await panel.getByRole('button', { name: 'Run', exact: true }).isEnabled()).toBe(false);
  await close();
});

test('a long list of roles can be searched, and a role is created for requests', async () => {
  const { page, go, complaints, close } = await signedIn(browser, backend);
  await go('/database/roles');
  await page.getByRole('button', { name: 'New role' }).press('Enter');
  const panel = page.getByRole('dialog');
  await panel.getByLabel('Name').fill('page_role_61');
  await panel.getByRole('checkbox', { name: 'API requests can use this role' }).press('Space');
  await runReview(page, 'grant "page_role_61" to "authenticator"');
  await page.getByRole('searchbox', { name: 'Search roles' }).fill('page_role_61');
  await page.getByRole('button', { name: 'page_role_61' }).press('Enter');
  await panel.getByRole('button', { name: 'Add a member' }).press('Enter');
  const select = panel.getByRole('combobox', { name: 'Role' });
  await select.click();
  await select.fill('Page "R');
  await page.getByRole('option', { name: role }).waitFor();
  // Escape closes only the list of options.
  await select.press('Escape');
  await page.getByRole('option', { name: role }).waitFor({ state: 'detached' });
  await panel.getByText('Add a member to page_role_61').waitFor();
  await select.fill('');
  await select.fill('Page "R');
  await page.getByRole('option', { name: role }).waitFor();
  await select.press('ArrowDown');
  await select.press('Enter');
  await runReview(page, `grant "page_role_61" to ${quotedRole}`);
  await panel.getByRole('button', { name: `Remove ${role}` }).waitFor();
  await panel.getByRole('button', { name: 'Drop role' }).press('Enter');
  await runReview(page, 'drop role "page_role_61"');
  await expect.poll(() => one(`select from pg_roles where rolname = 'page_role_61'`)).toBeUndefined();
  expect(complaints.list).toEqual([]);
  await close();
});

test('default privileges are changed', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/database/default-privileges');
  await page
    .getByRole('button', { name: 'Change privileges of anon on Tables in public' })
    .first()
    .press('Enter');
  await page.getByRole('dialog').getByRole('checkbox', { name: 'Delete' }).press('Space');
  await runReview(page, 'revoke delete on tables from "anon"');
  await run('drop table if exists public.made_later; create table public.made_later (id int)');
  expect(await one(`select has_table_privilege('anon', 'made_later', 'delete') as held`)).toEqual({
    held: false,
  });
  await close();
});

test('an enum gets a value, a domain gets a check, and a sequence is restarted', async () => {
  const { page, go, complaints, close } = await signedIn(browser, backend);
  const panel = page.getByRole('dialog');
  await go('/tables/types');
  await expect.poll(() => page.url()).toContain('/database/types');
  await page.getByRole('button', { name: 'public.mood' }).press('Enter');
  await panel.getByRole('button', { name: 'Add value' }).press('Enter');
  await panel.getByLabel('Value').fill("it's odd");
  await runReview(page, `add value 'it''s odd'`);
  await panel.getByText("it's odd").waitFor();
  await go('/database/types?open=public.short');
  await panel.getByRole('button', { name: 'Add check' }).press('Enter');
  await panel.getByLabel('Check').fill("value <> 'x'");
  await runReview(page, 'alter domain "public"."short" add check');
  await panel.getByText("VALUE <> 'x'").waitFor();
  await go('/database/sequences?open=public.tasks_id_seq');
  await panel.getByRole('button', { name: 'Edit' }).press('Enter');
  await panel.getByLabel('Next value').fill('9000');
  await runReview(page, 'restart with 9000');
  expect(await one(`select nextval('public.tasks_id_seq')::int as next`)).toEqual({ next: 9000 });
  expect(complaints.list).toEqual([]);
  await close();
});

test('a table is published for Realtime by a switch on its page', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/tables/public/frozen/structure');
  await page.getByRole('switch', { name: 'Send changes' }).press('Space');
  await page.getByRole('dialog').getByText('Row-level security is off for public.frozen').waitFor();
  await runReview(page, 'alter publication "supabase_realtime" add table');
  await page.getByText('Realtime sends this table’s changes to subscribers.').waitFor();
  expect(await page.getByRole('switch', { name: 'Send changes' }).isChecked()).toBe(true);
  await go('/database/publications');
  await page.getByRole('button', { name: 'Remove public.frozen from supabase_realtime' }).press('Enter');
  await runReview(page, 'drop table "public"."frozen"');
  await expect
    .poll(() => one(`select from pg_publication_tables where tablename = 'frozen'`))
    .toBeUndefined();
  await close();
});

test('an event trigger is created and turned off', async () => {
  const { page, go, complaints, close } = await signedIn(browser, backend);
  await go('/database/event-triggers');
  await page.getByRole('button', { name: 'New event trigger' }).press('Enter');
  const panel = page.getByRole('dialog');
  await panel.getByRole('textbox', { name: 'Name', exact: true }).fill('watch_tables');
  await panel.getByLabel('Commands, one per line').fill('create table\nALTER TABLE');
  await panel.getByRole('button', { name: 'Create event trigger' }).press('Enter');
  await page.getByRole('button', { name: 'Turn off watch_tables' }).press('Enter');
  await runReview(page, 'alter event trigger "watch_tables" disable');
  await page.getByRole('button', { name: 'Turn on watch_tables' }).waitFor();
  expect(
    await one(
      `select evtenabled::text as state, evttags as tags from pg_event_trigger where evtname = 'watch_tables'`,
    ),
  ).toEqual({
    state: 'D',
    tags: ['CREATE TABLE', 'ALTER TABLE'],
  });
  expect(complaints.list).toEqual([]);
  await close();
});

test('a user mapping is created without showing its password', async () => {
  const { page, go, complaints, close } = await signedIn(browser, backend);
  await go('/database/foreign-servers');
  await page.getByText('far.example').waitFor();
  await page.getByRole('button', { name: 'Map a role' }).press('Enter');
  const panel = page.getByRole('dialog');
  await panel.getByRole('combobox', { name: 'Role' }).fill('anon');
  await page.getByRole('option', { name: 'anon', exact: true }).click();
  await panel.getByLabel('Value 1').fill('reader');
  await panel.getByLabel('Value 2').first().fill('hunter3');
  await runReview(page, 'it isn’t saved as a migration');
  await page.getByText('User mapping of anon').waitFor();
  expect(await page.content()).not.toMatch(/hunter[23]/);
  expect(complaints.list).toEqual([]);
  await close();
});

const paths = [
  '/database/roles',
  '/database/grants',
  '/database/default-privileges',
  '/database/types',
  '/database/sequences',
  '/database/publications',
  '/database/event-triggers',
  '/database/foreign-servers',
];

test('an operator whose role is read-only looks at everything and changes nothing', async () => {
  const { page, go, close } = await signedIn(browser, backend, {}, 'looker');
  for (const path of paths) {
    await go(path);
    await page.locator('main :is(table, p)').first().waitFor();
    const changing = page
      .locator('main')
      .getByRole('button', { name: /^(New|Change|Add|Drop|Edit|Remove|Map|Turn) ?/ });
    expect([path, await changing.count()]).toEqual([path, 0]);
  }
  await go('/database/grants?open=table%20public.tasks&of=anon');
  const panel = page.getByRole('dialog');
  await panel.getByRole('checkbox', { name: 'Insert', exact: true }).waitFor();
  expect(await panel.getByRole('checkbox', { name: 'Insert', exact: true }).isDisabled()).toBe(true);
  expect(await panel.getByRole('button', { name: 'Review SQL' }).count()).toBe(0);
  await close();
});

describe('the pages are sound', () => {
  const states: readonly [path: string, text: string][] = [
    ...paths.map((path): [string, string] => [path, '']),
    ['/database/grants?role=*', 'authenticator'],
    ['/database/grants?open=table%20public.tasks&of=anon', 'Privileges on columns'],
    [`/database/roles?open=${encodeURIComponent(role)}`, 'Member of'],
    ['/database/types?open=public.mood', 'Add value'],
    ['/database/types?open=public.short', 'Add check'],
    ['/database/types?open=public.pair', 'Add attribute'],
    ['/database/sequences?open=public.tasks_id_seq', 'Limited by'],
  ];
  test.each(looks)('$width px, $colorScheme first', pageStates, async ({ width, height, colorScheme }) => {
    const { page, go, complaints, close } = await signedIn(browser, backend, {
      viewport: { width, height },
      colorScheme,
    });
    for (const [path, text] of states) {
      await go(path);
      await page.locator('main :is(table, p)').filter({ visible: true }).first().waitFor();
      if (text !== '') await page.getByText(text).filter({ visible: true }).first().waitFor();
      await expectSound(page, path);
    }
    expect(complaints.list).toEqual([]);
    await close();
  });
});
