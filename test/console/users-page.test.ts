/** Tests the users page in Chromium, with the keyboard. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBackend } from '../../src/entry/testing.ts';
import { launchBrowser } from '../web/browser.ts';
import { pageStates, withStates } from '../web/states.ts';
import { type Backend, type Operator, operator } from './harness.ts';
import { expectPanelAtEdge, expectSound, looks, signedIn } from './page-helpers.ts';
import { markup } from './services-backend.ts';

const password = 'a-Good-password-1';
let backend: Backend;
let browser: Browser;
let owner: Operator;
let id: string;
beforeAll(async () => {
  backend = await createTestBackend({ config: { plinth: { auth: { api_keys: { enabled: true } } } } });
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

test('a user with a phone number can be created, found, banned and unbanned', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/users');
  await page.getByRole('button', { name: 'Create user' }).press('Enter');
  await page.getByLabel('Phone number').fill('+49 170 5550123');
  await page.getByLabel('Phone number').press('Enter');
  await page.getByRole('button', { name: 'Actions' }).waitFor();
  await page.getByRole('button', { name: 'Actions', disabled: false }).press('Enter');
  await page.getByRole('menuitem', { name: 'Ban' }).press('Enter');
  await page.getByLabel('Duration').selectOption({ label: '7 days' });
  await expect.poll(() => page.getByLabel('End all sessions').isChecked()).toBe(true);
  await page.getByRole('button', { name: 'Ban', exact: true }).press('Enter');
  await page.getByText('Banned until', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Actions', disabled: false }).press('Enter');
  await page.getByRole('menuitem', { name: 'Lift ban' }).press('Enter');
  await page.getByText('Banned until', { exact: true }).waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Actions' }).waitFor({ state: 'detached' });
  await page.getByLabel('Search by email, phone, name or ID').fill('5550');
  await page.getByRole('link', { name: '+491705550123' }).waitFor();
  await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
  expect(complaints.list).toEqual([]);
  await close();
});

test('an operator can send an invitation and a reset link, edit metadata, and end a session', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/users');
  await page.getByRole('button', { name: 'Invite' }).press('Enter');
  await page.getByLabel('Email address').fill('grace@example.com');
  await page.getByLabel('Email address').press('Enter');
  await page.getByRole('heading', { name: 'grace@example.com' }).waitFor();
  await page.getByRole('status').getByText('Invitation sent to grace@example.com.').waitFor();
  await page
    .getByRole('complementary')
    .or(page.locator('dl'))
    .getByText('Invited', { exact: true })
    .first()
    .waitFor();
  const row = page.locator('tbody tr').filter({ hasText: 'grace@example.com' });
  await row.getByText('invited', { exact: true }).waitFor();
  expect(await row.getByText('Not confirmed').count()).toBe(0);
  await go('/users?invited=yes');
  await row.waitFor();
  await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
  await expect.poll(() => page.getByLabel('Invited', { exact: true }).inputValue()).toBe('yes');
  const chrome =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
  const headers = { apikey: backend.keys.publishableKey, 'user-agent': chrome };
  const signedInHere = await backend.fetch('/auth/v1/token?grant_type=password', {
    method: 'POST',
    headers,
    body: JSON.stringify({ email: 'ada@example.com', password }),
  });
  const { access_token: token } = (await signedInHere.json()) as { access_token: string };
  await backend.fetch('/auth/v1/logout?scope=local', {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${token}` },
  });
  await go(`/users?id=${id}`);
  // The activity list shows the same device name as the Account page of the user.
  await page.locator('li').filter({ hasText: 'Signed in' }).getByText('Chrome on Linux').first().waitFor();
  expect(await page.getByText('AppleWebKit').count()).toBe(0);
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

test(
  'acting as a user requires a confirmation, and shows working code and a banner on every page',
  withStates,
  async () => {
    const { page, complaints, go, close } = await signedIn(browser, backend);
    await go(`/users?id=${id}`);
    await page.getByRole('button', { name: 'Act as this user' }).press('Enter');
    await page.getByRole('button', { name: 'Create token' }).press('Enter');
    await page.getByText('accessToken: async () =>').waitFor();
    await expectSound(page, 'the token');
    await page.keyboard.press('Escape');
    await page
      .getByRole('complementary', { name: 'Acting as a user' })
      .getByText('ada@example.com')
      .waitFor();
    await go('/inbox');
    await page.getByRole('complementary', { name: 'Acting as a user' }).waitFor();
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(
      await page.evaluate('Object.keys(localStorage).filter((key) => /scheme/.test(key)).length'),
    );
    expect(complaints.list).toEqual([]);
    await close();
  },
);

test('an operator revokes an API key, which a read-only operator can only view', withStates, async () => {
  const name = `${markup} import`;
  const headers = { apikey: backend.keys.publishableKey, 'content-type': 'application/json' };
  const session = await backend.fetch('/auth/v1/token?grant_type=password', {
    method: 'POST',
    headers,
    body: JSON.stringify({ email: 'ada@example.com', password }),
  });
  const { access_token: token } = (await session.json()) as { access_token: string };
  const created = await backend.fetch('/auth/v1/user/api-keys', {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${token}` },
    body: JSON.stringify({ name }),
  });
  expect(created.status).toBe(201);
  await backend.operators.createOperator('viewer', 'read-only');
  const viewer = await signedIn(browser, backend, {}, 'viewer');
  await viewer.go(`/users?id=${id}`);
  await viewer.page.getByText(name, { exact: true }).waitFor();
  expect(await viewer.page.getByRole('button', { name: /^Revoke/ }).count()).toBe(0);
  await viewer.close();

  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go(`/users?id=${id}`);
  await page.getByRole('button', { name: `Revoke the API key ${name}` }).press('Enter');
  await page.getByText('will lose access within seconds').waitFor();
  await expectSound(page, 'the question about an API key');
  await page.getByRole('button', { name: 'Revoke key' }).press('Enter');
  await page.getByText('No API keys', { exact: true }).waitFor();
  await page.getByText('API key revoked').waitFor();
  expect((await owner.call('GET', `/users/${id}/api-keys`)).body.keys).toEqual([]);
  expect(complaints.list).toEqual([]);
  await close();
});

test('a read-only operator can view everything but doesn’t see controls that change data', async () => {
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
  { ...pageStates, timeout: 120_000 },
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
);
