/**
 * Tests the keys page in Chromium: how keys are created, shown once and rotated, how they are revoked by typing their
 * name, and how an operator with an old session must confirm their identity.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generateSigningKey } from '../../src/platform/keys/index.ts';
import { launchBrowser, openContext } from '../web/browser.ts';
import { pageStates, withStates } from '../web/states.ts';
import { type Backend, operator, startBackend } from './harness.ts';
import { expectSound, looks, signInWindow } from './page-helpers.ts';

const dir = mkdtempSync(join(tmpdir(), 'plinth-keys-page-'));
let backend: Backend;
let browser: Browser;
beforeAll(async () => {
  const file = join(dir, 'signing.json');
  writeFileSync(file, JSON.stringify([generateSigningKey('ES256'), generateSigningKey('ES256')]));
  backend = await startBackend({
    mode: 'production',
    config: { auth: { signing_keys_path: file, publishable_key: 'sb_publishable_from_settings' } },
  });
  await backend.operators.createOperator('dev', 'developer');
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
  rmSync(dir, { recursive: true });
});

async function opened(options: Parameters<typeof openContext>[1] = {}, name?: string) {
  const { context, complaints } = await openContext(browser, {
    viewport: { width: 1280, height: 800 },
    ...options,
  });
  await signInWindow(context, backend, name);
  const page = await context.newPage();
  await page.goto(`${backend.console.url}/console/keys`);
  await page.getByRole('heading', { name: 'Signing keys' }).waitFor();
  return { page, context, complaints, close: () => context.close() };
}

const hostile = '<img src=x onerror=alert(1)>';

test('a key is created, shown once, and revoked by typing its name', async () => {
  const { page, complaints, close } = await opened();
  await page.getByRole('button', { name: 'Create key' }).press('Enter');
  await page.getByRole('dialog').getByLabel('Name').fill(hostile);
  await page.getByRole('dialog').getByLabel('Kind').selectOption('secret');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).press('Enter');
  const key = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
  expect(key).toMatch(/^sb_secret_[\w-]{32}$/);
  await page.getByRole('button', { name: 'Done' }).press('Enter');
  expect((await backend.fetch('/auth/v1/admin/users', { headers: { apikey: key } })).status).toBe(200);
  await page.getByText(hostile).waitFor();
  await expect.poll(() => page.getByText(key).count()).toBe(0);
  await page.getByRole('button', { name: `Revoke ${hostile}` }).press('Enter');
  const asked = page.getByRole('dialog');
  await asked.getByRole('textbox').fill(hostile);
  await page.keyboard.press('Enter');
  await page.getByText('No keys yet').waitFor();
  expect((await backend.fetch('/auth/v1/admin/users', { headers: { apikey: key } })).status).toBe(401);
  expect(complaints.list).toEqual([]);
  await close();
});

test(
  'an additional key is rotated: the new key is shown once, and the previous key works until it is revoked',
  withStates,
  async () => {
    const created = await (await operator(backend)).call('POST', '/keys/api', {
      kind: 'secret',
      name: 'Worker',
    });
    const previous: string = created.body.key;
    const { page, complaints, close } = await opened();
    const statusOf = async (apikey: string) =>
      (await backend.fetch('/auth/v1/admin/users', { headers: { apikey } })).status;
    await page.getByRole('button', { name: 'Rotate Worker' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('“Worker” stays valid until you revoke it').waitFor();
    await expect.poll(() => dialog.getByLabel('Kind').inputValue()).toBe('secret');
    await expectSound(page, 'the dialog');
    await dialog.getByRole('button', { name: 'Create key' }).press('Enter');
    await dialog.getByText('Replace “Worker” wherever you use it').waitFor();
    const next = (await dialog.locator('code').textContent()) ?? '';
    expect([await statusOf(previous), await statusOf(next)]).toEqual([200, 200]);
    await page.getByRole('button', { name: 'Done' }).press('Enter');
    await expect.poll(() => page.getByText(next).count()).toBe(0);
    await page.getByRole('button', { name: 'Revoke Worker', exact: true }).press('Enter');
    await dialog.getByRole('textbox').fill('Worker');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect([await statusOf(previous), await statusOf(next)]).toEqual([401, 200]);
    expect(complaints.list).toEqual([]);
    await close();
  },
);

test('a standby key becomes the current key, and the previous key verifies tokens until it is revoked', async () => {
  const { page, complaints, close } = await opened();
  const { serviceRoleKey } = backend.keys;
  await page.getByRole('button', { name: /^Rotate to / }).press('Enter');
  await page.getByText('The legacy anon and service_role keys will be signed again').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).press('Enter');
  const previous = page.getByRole('row').filter({ hasText: 'previous' });
  await previous.waitFor();
  const kid = (await previous.locator('code').textContent()) ?? '';
  await previous.getByRole('button', { name: /^Revoke/ }).press('Enter');
  await page.getByText('keys that were signed with this key will be rejected too').waitFor();
  // A process detects changed keys within a second.
  await expect.poll(() => backend.keys.serviceRoleKey).not.toBe(serviceRoleKey);
  const statusOf = async (apikey: string) =>
    (await backend.fetch('/auth/v1/admin/users', { headers: { apikey, authorization: `Bearer ${apikey}` } }))
      .status;
  expect([await statusOf(serviceRoleKey), await statusOf(backend.keys.serviceRoleKey)]).toEqual([200, 200]);
  await page.getByRole('dialog').getByRole('textbox').fill(kid.slice(0, 8));
  await page.keyboard.press('Enter');
  await previous.waitFor({ state: 'detached' });
  await expect.poll(() => statusOf(serviceRoleKey)).not.toBe(200);
  expect(await statusOf(backend.keys.serviceRoleKey)).toBe(200);
  expect(complaints.list).toEqual([]);
  await close();
});

test('a secret is revealed only to an owner', async () => {
  const { page, close } = await opened();
  expect(await page.content()).not.toContain(backend.keys.secretKey);
  await page.getByRole('button', { name: 'Reveal Secret key' }).press('Enter');
  await page.getByText(backend.keys.secretKey).waitFor();
  await close();
  const other = await opened({}, 'dev');
  await other.page.getByRole('button', { name: 'Copy Publishable key' }).waitFor();
  for (const name of [/Reveal/, /Create key/, /Revoke/, /standby/])
    expect(await other.page.getByRole('button', { name }).count()).toBe(0);
  await other.close();
});

test(
  'a generated default key is rotated in one dialog, which leads to revoking the old key',
  withStates,
  async () => {
    const old = backend.keys.secretKey;
    const statusOf = async (apikey: string) =>
      (await backend.fetch('/auth/v1/admin/users', { headers: { apikey } })).status;
    const { page, complaints, close } = await opened();
    await page.getByRole('button', { name: 'Rotate Secret key' }).press('Enter');
    const dialog = page.getByRole('dialog').first();
    await dialog.getByText('The old key stays valid').waitFor();
    await expectSound(page, 'the question');
    await dialog.getByRole('button', { name: 'Rotate', exact: true }).press('Enter');
    await dialog.getByText('Use this key on your servers').waitFor();
    const next = backend.keys.secretKey;
    expect(next).not.toBe(old);
    await dialog.getByText(next).waitFor();
    expect([await statusOf(old), await statusOf(next)]).toEqual([200, 200]);
    const revoke = dialog.getByRole('button', { name: /^Revoke Secret key until \d/ });
    await revoke.waitFor();
    await expectSound(page, 'the new key');
    await dialog.getByRole('button', { name: 'Done' }).press('Enter');
    const row = page.getByRole('row').filter({ hasText: 'previous default' });
    await row.getByRole('button', { name: /^Revoke/ }).press('Enter');
    const name =
      (await row.getByRole('cell').first().textContent())?.match(/^Secret key until [\d-]{10}/)?.[0] ?? '';
    await page.getByRole('dialog').getByRole('textbox').fill(name);
    await page.keyboard.press('Enter');
    await row.waitFor({ state: 'detached' });
    expect([await statusOf(old), await statusOf(next)]).toEqual([401, 200]);
    expect(complaints.list).toEqual([]);
    await close();
  },
);

test('a default key from the settings has two steps and a link to its setting', withStates, async () => {
  const { page, complaints, close } = await opened();
  await page.getByRole('button', { name: 'Rotate Publishable key' }).press('Enter');
  const steps = page.getByRole('dialog', { name: 'Rotate Publishable key' });
  await expect.poll(() => steps.getByRole('listitem').count()).toBe(2);
  await expectSound(page, 'the steps');
  await steps.getByRole('button', { name: 'Create key' }).press('Enter');
  await page
    .getByRole('dialog')
    .filter({ has: page.getByLabel('Kind') })
    .getByRole('button', { name: 'Create key' })
    .press('Enter');
  await page.getByRole('button', { name: 'Done' }).press('Enter');
  const { body } = await (await operator(backend)).call('GET', '/keys');
  expect(body.apiKeys).toContainEqual(
    expect.objectContaining({ kind: 'publishable', name: 'Default Publishable key (new)' }),
  );
  await steps.getByRole('link', { name: 'auth.publishable_key' }).press('Enter');
  await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor();
  await expect.poll(() => page.evaluate('document.activeElement?.id')).toBe('setting-auth.publishable_key');
  expect(complaints.list).toEqual([]);
  await close();
});

test(
  'an action that needs a recent sign-in continues after a sign-in by the same operator in another tab',
  withStates,
  async () => {
    const { page, context, complaints, close } = await opened();
    await backend.database
      .pool('supabase_admin')
      .exec(`update _plinth.operator_sessions set created_at = now() - interval '11 minutes'`);
    await page.getByRole('button', { name: 'Create key' }).press('Enter');
    const form = page.getByRole('dialog', { name: 'Create key' });
    await form.getByLabel('Name').fill('typed before');
    await form.getByLabel('Kind').selectOption('secret');
    await form.getByLabel('Name').press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Confirm that it’s you' });
    await dialog.getByText('plinth -- console').waitFor();
    await expectSound(page, 'the dialog');
    const signInAs = async (name?: string) => {
      const tab = await context.newPage();
      await tab.goto(await backend.consoleLink(name));
      await tab.waitForURL((url) => !url.pathname.endsWith('/sign-in'));
      await tab.close();
    };
    await signInAs('dev');
    await dialog.getByText('This browser is now signed in as dev').waitFor();
    const listed = async () => (await (await operator(backend)).call('GET', '/keys')).body.apiKeys;
    expect(JSON.stringify(await listed())).not.toContain('typed before');
    await signInAs();
    await page.getByText('Copy the key now').waitFor();
    expect(await listed()).toContainEqual(
      expect.objectContaining({ name: 'typed before', kind: 'secret', createdBy: 'owner' }),
    );
    complaints.list.splice(0);
    await page.getByRole('button', { name: 'Done' }).press('Enter');

    await backend.database
      .pool('supabase_admin')
      .exec(`update _plinth.operator_sessions set created_at = now() - interval '11 minutes'`);
    await page.getByRole('button', { name: 'Reveal Secret key' }).press('Enter');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('alert').getByText('requires a sign-in within the last 10 minutes').waitFor();
    await close();
  },
);

test.each(looks)(
  'the page is accessible and fits at $width px, $colorScheme first',
  pageStates,
  async ({ colorScheme, ...viewport }) => {
    const { page, complaints, close } = await opened({ viewport, colorScheme });
    await expectSound(page, 'the page');
    expect(complaints.list).toEqual([]);
    await close();
  },
);
