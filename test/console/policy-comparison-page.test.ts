/** Tests, in Chromium and with the keyboard, that the policy editor compares access before a policy is saved. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../web/browser.ts';
import { testEach } from '../web/states.ts';
import { type Backend, startBackend } from './harness.ts';
import { expectSound, signedIn } from './page-helpers.ts';

const ben = '00000000-0000-4000-8000-00000000000b';
const eva = '00000000-0000-4000-8000-00000000000e';

let backend: Backend;
let browser: Browser;
beforeAll(async () => {
  backend = await startBackend();
  browser = await launchBrowser();
  await backend.database.pool('supabase_admin').exec(`
    insert into auth.users (id, aud, role, email, last_sign_in_at, created_at) values
      ('${ben}', 'authenticated', 'authenticated', 'ben@example.com', '2026-01-02', now()),
      ('${eva}', 'authenticated', 'authenticated', 'eva@example.com', '2026-01-01', now());`);
  await backend.database.pool('postgres').exec(`
    create table public.letters (id int primary key, "user" uuid, "is public" boolean);
    insert into public.letters
      select n, case n % 2 when 0 then '${ben}' end::uuid, n > 35 from generate_series(1, 40) n;
    alter table public.letters enable row level security;
    create policy own on public.letters for select to authenticated using ("user" = auth.uid());`);
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

testEach([
  { width: 1440, colorScheme: 'light' as const },
  { width: 360, colorScheme: 'dark' as const },
])(
  '$width px, $colorScheme: the editor lists who gains and loses rows, until the condition changes',
  async ({ width, colorScheme }) => {
    const { page, go, complaints, close } = await signedIn(browser, backend, {
      viewport: { width, height: 900 },
      colorScheme,
    });
    await go('/policies?table=public.letters&policy=own');
    const panel = page.getByRole('dialog', { name: 'Policy on letters' });
    const compared = panel.getByRole('region', { name: 'Access before and after' });
    const compare = compared.getByRole('button', { name: 'Compare access' });
    await compare.press('Enter');
    await compared.getByText('No user gains or loses a row.').waitFor();
    const using = panel.getByRole('textbox', { name: /^USING/ });
    await using.focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('"is public"');
    await compared.getByText('No user gains or loses a row.').waitFor({ state: 'detached' });
    await compare.press('Enter');
    await compared
      .getByText('All 40 rows were compared for all 2 users and for requests without a user.')
      .waitFor();
    const lines = compared.getByRole('listitem');
    expect(await lines.allInnerTexts()).toEqual([
      'ben@example.com\nSelect: 20 → 5\ngains 2 rows (37, 39)\nloses 17 rows (2, 4, 6, 8, 10, …)',
      'eva@example.com\nSelect: 0 → 5\ngains 5 rows (36, 37, 38, 39, 40)',
    ]);
    await compared.getByText('1 other doesn’t gain or lose a row.').waitFor();
    await expectSound(page, 'a comparison');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').last().getByRole('button', { name: 'Discard' }).press('Enter');
    await panel.waitFor({ state: 'detached' });
    expect(complaints.list).toEqual([]);
    await close();
  },
);

test('before row-level security is turned off, the dialog compares access', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/policies?table=public.letters');
  const table = page.getByRole('region', { name: 'letters' });
  await table.getByRole('button', { name: 'Turn off' }).press('Enter');
  const asked = page.getByRole('dialog');
  await asked.getByRole('button', { name: 'Compare access' }).press('Enter');
  await asked.getByText('Not signed in').waitFor();
  await asked.getByText('Select: 0 → 40').first().waitFor();
  await close();
});
