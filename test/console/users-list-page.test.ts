/** Tests the user list in Chromium: filters, sort orders, selection and the panel next to the list. */
import { generateKeyPairSync } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { createIdp } from '../auth/saml-idp.ts';
import { launchBrowser } from '../web/browser.ts';
import { pageStates } from '../web/states.ts';
import { type Backend, type Operator, operator } from './harness.ts';
import { expectSound, looks, type SignedIn, signedIn } from './page-helpers.ts';

const privateKey = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs1', format: 'der' })
  .toString('base64');

let backend: Backend;
let browser: Browser;
let owner: Operator;
beforeAll(async () => {
  backend = await createTestBackend({
    config: { plinth: { auth: { saml: { enabled: true, private_key: privateKey } } } },
  });
  browser = await launchBrowser();
  owner = await operator(backend);
  await backend.database.pool('supabase_admin').query(sql`
    insert into auth.users (instance_id, id, aud, role, email, created_at, last_sign_in_at, email_confirmed_at,
      is_anonymous, raw_app_meta_data, raw_user_meta_data, confirmation_token, recovery_token,
      email_change_token_new, email_change)
    select '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated',
           case when i % 9 <> 0 then 'user-' || lpad(i::text, 3, '0') || '@example.com' end,
           '2026-01-01'::timestamptz + i * interval '1 day',
           case when i % 4 <> 0 then '2026-05-01'::timestamptz + i * interval '1 day' end,
           case when i % 5 <> 0 then now() end, i % 9 = 0, '{}',
           case when i % 9 <> 0 then jsonb_build_object('full_name', 'Person ' || i) else '{}' end, '', '', '', ''
    from generate_series(1, 70) i`);
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

const rows = (page: Page) => page.locator('tbody tr');
const region = (page: Page, name: string) => page.getByRole('region', { name });

test('the URL contains filters, order and page, and the back button restores them', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/users');
  await page.getByText('70 users').waitFor();
  await expect.poll(() => rows(page).count()).toBe(50);
  await page.getByRole('button', { name: 'Next', exact: true }).press('Enter');
  await expect.poll(() => rows(page).count()).toBe(20);
  await page.reload();
  await page.getByText('user-001@example.com').waitFor();
  await page.goBack();
  await expect.poll(() => rows(page).count()).toBe(50);
  await page.getByRole('button', { name: 'Filters' }).press('Enter');
  await page.getByLabel('Guest').selectOption('Yes');
  await page.getByText('7 users').waitFor();
  expect(new URL(page.url()).searchParams.get('guest')).toBe('yes');
  await page.getByLabel('Created until').fill('2026-01-19');
  await page.getByText('2 users').waitFor();
  await page.getByRole('button', { name: 'Filters (2)' }).waitFor();
  await page.reload();
  await page.getByText('2 users').waitFor();
  await expect.poll(() => page.getByLabel('Created until').inputValue()).toBe('2026-01-19');
  await page.getByRole('button', { name: 'Clear filters' }).press('Enter');
  await page.getByText('70 users').waitFor();
  await page.getByRole('link', { name: 'User', exact: true }).press('Enter');
  await page.waitForURL(/sort=email/);
  await page.locator('th[aria-sort=ascending]').getByText('User', { exact: true }).waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('a user opens next to the list, and keys move to the next user', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/users?search=user-0');
  await page.getByText('user-070@example.com').waitFor();
  // This cell doesn't contain a link, but clicking it also opens the user.
  await rows(page).first().locator('td').nth(3).click();
  await region(page, 'user-070@example.com').waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.keyboard.press('j');
  await region(page, 'user-069@example.com').waitFor();
  await page.keyboard.press('k');
  await region(page, 'user-070@example.com').waitFor();
  await page.getByRole('button', { name: 'Previous user', disabled: true }).waitFor();
  await page.getByRole('link', { name: 'user-066@example.com' }).press('Enter');
  await region(page, 'user-066@example.com').waitFor();
  await page.keyboard.press('Escape');
  await region(page, 'user-066@example.com').waitFor({ state: 'detached' });
  expect(complaints.list).toEqual([]);
  await close();
});

test('a search that is typed just before a click doesn’t undo the click', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/users');
  await page.getByText('70 users').waitFor();
  const search = page.getByRole('searchbox', { name: 'Search' });
  // Typing and clicking happen in one task, so the click always precedes the delayed search.
  const typeAndClick = (text: string, selector: string): Promise<void> =>
    search.evaluate(
      (input: HTMLInputElement, [value, target]) => {
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, value);
        input.dispatchEvent(new Event('input', { bubbles: true }));
        document.querySelector<HTMLElement>(target)?.click();
      },
      [text, selector] as const,
    );
  await typeAndClick('user-06', 'tbody tr:first-child td:nth-child(4)');
  await page.waitForURL(/search=user-06/);
  await region(page, 'user-070@example.com').waitFor();
  await expect.poll(() => rows(page).count()).toBe(9);
  expect(await search.inputValue()).toBe('user-06');

  // The code of the next page arrives only after the time at which the delayed search would have changed the URL.
  await page.route('**/assets/**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await route.continue();
  });
  await typeAndClick('user-05', 'nav a[href$="/console/audit"]');
  await page.getByRole('heading', { name: 'Audit log' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/console/audit');
  expect(complaints.list).toEqual([]);
  await close();
});

test('selected users can be banned, and the bans can be undone', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/users?search=user-06');
  await page.getByLabel('Select user-061@example.com').press('Space');
  await page.getByLabel('Select user-062@example.com').press('Space');
  await page.getByText('2 users selected').waitFor();
  await page.getByRole('button', { name: 'Change users' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Ban users' }).press('Enter');
  await page.getByRole('button', { name: 'Ban 2 users' }).press('Enter');
  await page.getByText('2 users banned.').waitFor();
  await page.getByRole('button', { name: 'Undo 2 bans' }).press('Enter');
  await page.getByText('2 bans lifted.').waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).last().press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect((await owner.call('GET', '/users?banned=yes')).body.users).toEqual([]);
  expect(complaints.list).toEqual([]);
  await close();
});

test('all matching users can be changed, including those on other pages, and failures are listed', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/users');
  await page.getByText('70 users').waitFor();
  await page.getByLabel('Select all users on this page').press('Space');
  await page.getByRole('button', { name: 'Select all 70 matching users' }).press('Enter');
  await page.getByText('All 70 matching users selected').waitFor();
  await page.getByRole('button', { name: 'Change users' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Add app metadata' }).press('Enter');
  await page.getByLabel('Fields to add').fill('{ "cohort": "spring" }');
  await page.getByRole('button', { name: 'Change 70 users' }).press('Enter');
  await page.getByText('70 users changed.').waitFor();
  const [changed] = await backend.database
    .pool('supabase_admin')
    .query<{ count: number }>(
      sql`select count(*)::int8 as count from auth.users where raw_app_meta_data ->> 'cohort' = 'spring'`,
    );
  expect(changed?.count).toBe(70);
  await close();

  const other = await signedIn(browser, backend);
  await other.go('/users?search=user-00');
  await other.page.getByRole('link', { name: 'user-001@example.com' }).waitFor();
  await other.page.getByLabel('Select all users on this page').press('Space');
  const { body } = await owner.call('GET', '/users?search=user-001');
  await owner.call('DELETE', `/users/${body.users[0].id}`);
  await other.page.getByRole('button', { name: 'Change users' }).press('Enter');
  await other.page.getByRole('menuitem', { name: 'Delete users' }).press('Enter');
  const go8 = other.page.getByRole('button', { name: 'Delete 8 users' });
  await other.page.getByRole('button', { name: 'Delete 8 users', disabled: true }).waitFor();
  await other.page.getByLabel('Type 8').fill('8');
  await go8.press('Enter');
  await other.page.getByText('7 users deleted.').waitFor();
  await other.page.getByText('1 user failed').waitFor();
  await other.page.getByText("This user doesn't exist.").waitFor();
  await other.close();
});

async function addConnection(page: Page): Promise<string> {
  const idp = createIdp();
  await page.getByRole('button', { name: 'Add connection' }).press('Enter');
  await page.getByLabel('Metadata', { exact: true }).selectOption('From a document');
  await page.getByLabel('Metadata document').fill(idp.metadata());
  await page.getByRole('button', { name: 'Check metadata' }).press('Enter');
  await page.getByText('https://idp.example.com/sso', { exact: true }).waitFor();
  await page.getByLabel('Email domains').fill('acme.example');
  await page.getByRole('dialog').getByRole('button', { name: 'Add connection' }).press('Enter');
  await page.getByRole('heading', { name: idp.entityId }).waitFor();
  return idp.entityId;
}

test('an SSO connection can be checked, added, changed and removed', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/users/sso');
  await page.getByText('/auth/v1/sso/saml/acs').waitFor();
  const entityId = await addConnection(page);
  await page.getByLabel('Email domains').fill('acme.example, acme.test');
  await page.getByRole('button', { name: 'Save connection' }).press('Enter');
  await page.getByText('Connection saved.').waitFor();
  expect((await owner.call('GET', '/sso')).body.connections).toMatchObject([
    { entityId, domains: ['acme.example', 'acme.test'] },
  ]);
  await page.getByRole('button', { name: 'Remove connection' }).press('Enter');
  await page.getByLabel('Type acme.example').fill('acme.example');
  await page.getByRole('dialog').last().getByRole('button', { name: 'Remove connection' }).press('Enter');
  await page.getByText('No SSO connections').waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

async function showStates({ page, go }: SignedIn, name: (state: string) => Promise<void>): Promise<void> {
  await go('/users?confirmed=yes');
  await page.getByText('user-069@example.com').waitFor();
  await page.getByLabel('Select user-069@example.com').press('Space');
  await name('filters and selection');
  await page.getByRole('button', { name: 'Change users' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Delete users' }).press('Enter');
  await page.getByLabel('Type 1').waitFor();
  await name('bulk dialog');
  await go('/users?search=user-069');
  await page.getByRole('link', { name: 'user-069@example.com' }).press('Enter');
  await page.getByRole('heading', { name: 'Sessions' }).waitFor();
  await name('panel');
  await go('/users/sso');
  await page.getByText('/auth/v1/sso/saml/acs').waitFor();
  await name('SSO connections');
  await page.getByRole('button', { name: 'Add connection' }).press('Enter');
  await page.getByLabel('Metadata', { exact: true }).selectOption('From a document');
  await page.getByLabel('Metadata document').fill(createIdp('https://idp.example.com').metadata());
  await page.getByRole('button', { name: 'Check metadata' }).press('Enter');
  await page.getByText('https://idp.example.com/sso', { exact: true }).waitFor();
  await name('add connection');
}

test.each(looks)(
  'every state is accessible at $width px, $colorScheme first',
  pageStates,
  async ({ colorScheme, ...viewport }) => {
    const window = await signedIn(browser, backend, { viewport, colorScheme });
    await showStates(window, async (state) => {
      await expectSound(window.page, state);
      const { SHOTS } = process.env;
      if (SHOTS)
        await window.page.screenshot({
          path: `${SHOTS}/${state.replaceAll(' ', '-')}-${viewport.width}-${colorScheme}.png`,
        });
    });
    expect(window.complaints.list).toEqual([]);
    await window.close();
  },
);
