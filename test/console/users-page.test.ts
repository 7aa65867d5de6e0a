/** Tests the users page in Chromium, with the keyboard. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBackend } from '../../src/testing.ts';
import { launchBrowser } from '../web/browser.ts';
import { type Backend, type Operator, operator } from './harness.ts';
import { expectPanelAtEdge, expectSound, looks, signedIn } from './page-helpers.ts';
import { markup } from './services-backend.ts';

const password = 'a-Good-password-1';
let backend: Backend;
let browser: Browser;
let owner: Operator;
let id: string;
beforeAll(async () => {
  backend = await createTestBackend();
  browser = await launchBrowser();
  owner = await operator(backend);
  const { body } = await owner.call('POST', '/users', { email: 'ada@example.com', password });
  id = body.id;
  await owner.call('PATCH', `/users/${id}`, { user_metadata: { full_name: markup } });
  await backend.fetch('/auth/v1/token?grant_type=password', {
    method: 'POST',
    headers: { apikey: backend.keys.publishableKey, 'user-agent': markup },
    body: JSON.stringify({ email: 'ada@example.com', password }),
  });
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

test('a user is created by phone number, found by it, banned and unbanned', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/users');
  await page.getByRole('button', { name: 'Create user' }).press('Enter');
  await page.getByLabel('Phone number').fill('+49 170 5550123');
  await page.getByLabel('Phone number').press('Enter');
  await page.getByRole('button', { name: 'Actions' }).waitFor();
  await page.getByRole('button', { name: 'Actions', disabled: false }).press('Enter');
  await page.getByRole('menuitem', { name: 'Ban' }).press('Enter');
  await page.getByLabel('Duration').selectOption({ label: '7 days' });
  expect(await page.getByLabel('End all sessions').isChecked()).toBe(true);
  await page.getByRole('button', { name: 'Ban', exact: true }).press('Enter');
  await page.getByText('Banned until').waitFor();
  await page.getByRole('button', { name: 'Actions', disabled: false }).press('Enter');
  await page.getByRole('menuitem', { name: 'Lift ban' }).press('Enter');
  await page.getByText('Banned until').waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Actions' }).waitFor({ state: 'detached' });
  await page.getByLabel('Search by email, phone, name or ID').fill('5550');
  await page.getByRole('link', { name: '+491705550123' }).waitFor();
  await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
  expect(complaints.list).toEqual([]);
  await close();
});

test('an invitation and a reset link are sent, metadata is edited, and a session is ended', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/users');
  await page.getByRole('button', { name: 'Invite' }).press('Enter');
  await page.getByLabel('Email address').fill('grace@example.com');
  await page.getByLabel('Email address').press('Enter');
  await page.getByRole('heading', { name: 'grace@example.com' }).waitFor();
  await go(`/users?id=${id}`);
  await page.getByRole('button', { name: 'Actions', disabled: false }).press('Enter');
  await page.getByRole('menuitem', { name: 'Create password reset link' }).press('Enter');
  await page.getByText('/account/confirm').waitFor();
  await page.getByRole('button', { name: 'Edit: User metadata' }).press('Enter');
  const editor = page.getByRole('textbox', { name: 'User metadata' });
  await editor.fill('{ "full_name": "Ada"');
  await page.getByRole('button', { name: 'Save' }).press('Enter');
  await page.getByText('Enter a JSON object.').waitFor();
  await editor.fill(`{ "full_name": ${JSON.stringify(markup)}, "plan": "pro" }`);
  await page.getByRole('button', { name: 'Save' }).press('Enter');
  await page.getByText('"plan": "pro"').waitFor();
  await page.getByRole('button', { name: 'End session' }).press('Enter');
  await page.getByText('No active sessions').waitFor();
  await page.getByText('Sessions ended · one').waitFor();
  expect((await owner.call('GET', `/users/${id}/sessions`)).body.sessions).toEqual([]);
  expect(complaints.list).toEqual([]);
  await close();
});

test('acting as a user requires confirmation, shows working code, and a banner on every page', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go(`/users?id=${id}`);
  await page.getByRole('button', { name: 'Act as this user' }).press('Enter');
  await page.getByRole('button', { name: 'Create token' }).press('Enter');
  await page.getByText('accessToken: async () =>').waitFor();
  await expectSound(page, 'the token');
  await page.keyboard.press('Escape');
  await page.getByRole('complementary', { name: 'Acting as a user' }).getByText('ada@example.com').waitFor();
  await go('/inbox');
  await page.getByRole('complementary', { name: 'Acting as a user' }).waitFor();
  expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(
    await page.evaluate('Object.keys(localStorage).filter((key) => /scheme/.test(key)).length'),
  );
  expect(complaints.list).toEqual([]);
  await close();
});

test('a read-only operator can view everything and sees no controls that change data', async () => {
  await backend.operators.createOperator('looker', 'read-only');
  const { page, go, close } = await signedIn(browser, backend, {}, 'looker');
  await go(`/users?id=${id}`);
  await page.getByRole('heading', { name: 'Sessions' }).waitFor();
  for (const name of ['Actions', 'Act as this user', 'Create user', 'Invite', 'Edit: User metadata'])
    expect([name, await page.getByRole('button', { name }).count()]).toEqual([name, 0]);
  await close();
});

test.each(looks)(
  'every state is accessible at $width px, $colorScheme first',
  async ({ colorScheme, ...viewport }) => {
    const { page, complaints, go, close } = await signedIn(browser, backend, { viewport, colorScheme });
    await go('/users');
    await page.getByRole('link', { name: 'ada@example.com' }).first().waitFor();
    await expectSound(page, 'list');
    await go('/users?search=unknown-user');
    await page.getByText('No matching users').waitFor();
    await expectSound(page, 'no match');
    await go(`/users?id=${id}`);
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    await expectSound(page, 'panel');
    if (viewport.width < 1200) await expectPanelAtEdge(page);
    await page.getByRole('button', { name: 'Actions', disabled: false }).press('Enter');
    await page.getByRole('menuitem', { name: 'Ban' }).waitFor();
    await expectSound(page, 'menu');
    await page.getByRole('menuitem', { name: 'Set password' }).press('Enter');
    await page.getByLabel('New password').waitFor();
    await expectSound(page, 'dialog');
    expect(complaints.list).toEqual([]);
    await close();
  },
  120_000,
);
