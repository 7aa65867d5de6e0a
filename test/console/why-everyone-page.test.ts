/** Tests, in Chromium and with the keyboard, that the access check lists everyone who can access a row. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { launchBrowser } from '../web/browser.ts';
import { testEach } from '../web/states.ts';
import { type Backend, startBackend } from './harness.ts';
import { expectSound, signedIn } from './page-helpers.ts';

let backend: Backend;
let browser: Browser;
beforeAll(async () => {
  backend = await startBackend();
  browser = await launchBrowser();
  await backend.database.pool('supabase_admin').exec(`
    insert into auth.users (id, aud, role, email, last_sign_in_at, created_at)
      select format('00000000-0000-4000-8000-%s', lpad(n::text, 12, '0'))::uuid, 'authenticated', 'authenticated',
        format('user-%s@example.com', n), timestamptz '2026-01-01' - n * interval '1 day', now()
      from generate_series(1, 30) n`);
  await backend.database.pool('postgres').exec(`
    create table public.letters (id int primary key, "user" uuid);
    insert into public.letters values (7, '00000000-0000-4000-8000-000000000002');
    alter table public.letters enable row level security;
    create policy "own letters" on public.letters for all to authenticated using ("user" = auth.uid());
    create policy "early users" on public.letters for select to authenticated
      using (auth.jwt() ->> 'email' in ('user-1@example.com', 'user-2@example.com'));`);
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

testEach([
  { width: 1440, colorScheme: 'light' as const },
  { width: 360, colorScheme: 'dark' as const },
])(
  '$width px, $colorScheme: users are grouped by their access and its reason',
  async ({ width, colorScheme }) => {
    const { page, go, complaints, close } = await signedIn(browser, backend, {
      viewport: { width, height: 900 },
      colorScheme,
    });
    const key = encodeURIComponent(JSON.stringify({ id: '7' }));
    await go(`/why?schema=public&table=letters&op=select&as=anon&key=${key}`);
    await page.getByRole('button', { name: 'Show everyone with access' }).press('Enter');
    const groups = page
      .getByRole('region', { name: 'Everyone with access to this row' })
      .getByRole('listitem');
    await groups.first().waitFor();
    const texts = (await groups.allInnerTexts()).map((text) => text.replaceAll(/\n+/g, '\n'));
    expect(texts.slice(0, 2)).toEqual([
      'Select, update and delete\nAllowed by the policies early users, own letters\nuser-2@example.com',
      'Only select\nAllowed by the policy early users\nuser-1@example.com',
    ]);
    expect(texts[2]).toMatch(/^No access\nNo policy allows this row\.\nnot signed in, user-3@/);
    expect(texts[2]).toMatch(/user-21@example\.com and 9 more$/);
    await expectSound(page, 'everyone with access');
    expect(complaints.list).toEqual([]);
    await close();
  },
);
