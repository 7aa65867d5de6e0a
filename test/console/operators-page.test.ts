/** Tests the operators page and the audit log page with the keyboard, in Chromium. */
import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { totpCode } from '../../src/base/shared/one-time-codes.ts';
import { axeViolations, launchBrowser, openContext } from '../web/browser.ts';
import { pageStates, withStates } from '../web/states.ts';
import { type Backend, operator, startBackend } from './harness.ts';
import { expectSound, looks } from './page-helpers.ts';

let backend: Backend;
let browser: Browser;
beforeAll(async () => {
  backend = await startBackend();
  browser = await launchBrowser();
  await backend.operators.createOperator('looker', 'read-only');
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

type Options = Parameters<typeof openContext>[1];

async function opened(options: Options = {}, name?: string) {
  const { context, complaints } = await openContext(browser, {
    viewport: { width: 1280, height: 800 },
    ...options,
  });
  const page = await context.newPage();
  await page.goto(await backend.consoleLink(name));
  return { page, complaints, close: () => context.close() };
}

const go = (page: Page, path: string) => page.goto(`${backend.console.url}/console${path}`);
const home = (page: Page) => page.getByRole('heading', { name: 'Home' }).waitFor();

test('an operator can be invited, get another role and be removed, with the keyboard', async () => {
  const { page, complaints, close } = await opened();
  await home(page);
  await go(page, '/operators');
  await page.getByRole('button', { name: 'Invite' }).press('Enter');
  await page.getByLabel('Name').and(page.locator(':focus')).waitFor();
  await page.keyboard.type('<img src=x onerror=alert(1)>');
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Sign-in link for <img' });
  const link = await dialog.locator('code').textContent();
  expect(link).toMatch(/\/console\/sign-in#token=[\w-]{32}$/);
  await dialog.getByText('configure an SMTP server').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).press('Enter');
  await page.getByText('Unused sign-in link, expires').waitFor();

  const guest = await browser.newPage();
  await guest.goto(link ?? '');
  await home(guest);
  await guest.close();

  const role = page.getByLabel('Role of <img');
  await expect.poll(() => role.inputValue()).toBe('read-only');
  await role.focus();
  await role.selectOption('developer');
  await expect.poll(async () => storedRole('<img src=x onerror=alert(1)>')).toBe('developer');
  await page.getByRole('button', { name: 'Actions for <img' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Remove' }).press('Enter');
  const asked = page.getByRole('dialog', { name: 'Remove operator' });
  await asked.getByRole('textbox').fill('<img src=x onerror=alert(1)>');
  await page.keyboard.press('Enter');
  await asked.waitFor({ state: 'detached' });
  await expect.poll(() => storedRole('<img src=x onerror=alert(1)>')).toBeUndefined();
  expect(complaints.list).toEqual([]);
  await close();
});

async function storedRole(name: string): Promise<string | undefined> {
  const [row] = await backend.database
    .pool('supabase_admin')
    .query<{ role: string }>(sql`select role from _plinth.operators where name = ${name}`);
  return row?.role;
}

test('a second factor can be set up, is required, and can be turned off', async () => {
  await backend.operators.createOperator('careful', 'developer');
  const { page, complaints, close } = await opened({}, 'careful');
  await home(page);
  await go(page, '/operators');
  await page.getByRole('button', { name: 'Set up' }).press('Enter');
  const secret = (await page.getByRole('dialog').locator('code').first().textContent()) ?? '';
  const step = Math.floor(Date.now() / 30_000);
  await page.getByLabel('Code from your app').fill(totpCode(secret, step) ?? '');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'I’ve saved these codes' }).waitFor();
  const codes = await page
    .getByRole('list', { name: 'Recovery codes' })
    .getByRole('listitem')
    .allTextContents();
  expect(codes).toHaveLength(10);
  await page.getByRole('button', { name: 'I’ve saved these codes' }).press('Enter');
  await page.getByText('10 recovery codes are left').waitFor();

  const again = await opened({}, 'careful');
  await again.page.getByLabel('Code from your app or recovery code').fill('000000');
  await again.page.keyboard.press('Enter');
  await again.page.getByRole('alert').getByText('This code is incorrect').waitFor();
  // Opening a different page doesn't bypass the second factor.
  await go(again.page, '/tables');
  const field = again.page.getByLabel('Code from your app or recovery code');
  await field.waitFor();
  expect(await axeViolations(again.page)).toEqual([]);
  await field.fill(totpCode(secret, step + 1) ?? '');
  await again.page.keyboard.press('Enter');
  await again.page.getByRole('link', { name: 'tasks' }).waitFor();
  await again.close();

  await page.getByRole('button', { name: 'Turn off' }).press('Enter');
  await page.getByLabel('Code from your app or recovery code').fill(codes[0] ?? '');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Set up' }).waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('a passkey can be added to the authenticator app, and works as the second factor', async () => {
  await backend.operators.createOperator('keyed', 'developer');
  const keyed = await operator(backend, 'keyed');
  const { secret } = (await keyed.call('POST', '/factor')).body;
  const step = Math.floor(Date.now() / 30_000);
  await keyed.call('POST', '/factor/confirm', { code: totpCode(secret, step) });
  // Passkeys require a host name instead of an IP address.
  const local = backend.console.url.replace('127.0.0.1', 'localhost');
  const { context, complaints } = await openContext(browser, { viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const signInLocally = async () =>
    page.goto((await backend.consoleLink('keyed')).replace('127.0.0.1', 'localhost'));
  await signInLocally();
  await page.getByRole('button', { name: 'Use passkey' }).press('Enter');
  await page.getByText('None of your passkeys works at this address').waitFor();
  await page.getByLabel('Code from your app or recovery code').fill(totpCode(secret, step + 1) ?? '');
  await page.keyboard.press('Enter');
  await home(page);
  await page.goto(`${local}/console/operators`);
  await page.getByLabel('Name, such as your device').fill('Laptop');
  await page.keyboard.press('Enter');
  await page.getByText('added', { exact: false }).first().waitFor();
  await page.getByRole('button', { name: 'Remove passkey Laptop' }).waitFor();
  expect(await axeViolations(page)).toEqual([]);

  await context.clearCookies();
  await signInLocally();
  await page.getByRole('button', { name: 'Use passkey' }).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Use passkey' }).press('Enter');
  await home(page);
  await page.goto(`${local}/console/operators`);
  await page.getByRole('button', { name: 'Remove passkey Laptop' }).press('Enter');
  await page.getByRole('button', { name: 'Remove passkey Laptop' }).waitFor({ state: 'detached' });
  expect(complaints.list).toEqual([]);
  await context.close();
});

test('a session can be ended in the list, and its browser name can’t run scripts', async () => {
  const { page, complaints, close } = await opened();
  await home(page);
  const other = await opened({ userAgent: '<script>alert(1)</script>' }, 'looker');
  await home(other.page);
  await go(page, '/operators');
  await page.getByText('<script>alert(1)</script>').waitFor();
  await page
    .getByRole('button', { name: /^End looker’s session/ })
    .first()
    .press('Enter');
  await page.getByText('<script>alert(1)</script>').waitFor({ state: 'detached' });
  await go(other.page, '/tables');
  await other.page.getByText('npm run -s plinth -- console').waitFor();
  await other.close();
  expect(complaints.list).toEqual([]);
  await close();
});

test('the audit log can be filtered, and the filter is in the URL', async () => {
  const owner = await operator(backend);
  await owner.call('POST', '/tables/public/tasks/rows', { values: { title: { value: 'audited' } } });
  const { page, complaints, close } = await opened();
  await home(page);
  await go(page, '/audit');
  await page.getByLabel('Action', { exact: true }).selectOption('row.insert');
  await expect.poll(() => page.url()).toContain('action=row.insert');
  await page.getByRole('button', { name: 'Details of row.insert' }).first().press('Enter');
  await page.getByRole('region', { name: 'Details' }).getByText('"key"').waitFor();
  await page.reload();
  const entry = page.getByRole('button', { name: 'Details of row.insert' }).first();
  await entry.waitFor();
  // A click anywhere in the row opens the entry, and a second click closes it.
  const sentence = page.getByRole('cell', { name: /^Inserted|public\.tasks/ }).first();
  await sentence.click();
  await page.getByRole('region', { name: 'Details' }).getByText('"key"').waitFor();
  expect(await entry.getAttribute('aria-expanded')).toBe('true');
  await sentence.click();
  await page.getByRole('region', { name: 'Details' }).waitFor({ state: 'detached' });
  await page.getByRole('searchbox').fill('nothing goes by this');
  await page.getByRole('heading', { name: 'No matching entries' }).waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test(
  'an entry is a sentence, and its details contain the old and new values as text',
  withStates,
  async () => {
    const owner = await operator(backend);
    const { body: user } = await owner.call('POST', '/users', {
      email: 'audit-a@example.com',
      password: 'A-good-Password-1',
    });
    const { status } = await owner.call('PATCH', `/users/${user.id}`, {
      email: 'audit-b@example.com',
      user_metadata: { '<img src=x onerror=alert(1)>': 'not recorded' },
    });
    expect(status).toBe(200);
    await owner.call('DELETE', '/tables/public/tasks/rows', {
      scope: { keys: [{ id: '9999' }] },
      undo: true,
    });
    const { page, complaints, close } = await opened();
    await home(page);
    await go(page, '/audit?action=row.delete');
    await page.getByRole('cell', { name: 'Deleted 0 rows of public.tasks (undo was offered)' }).waitFor();
    await go(page, '/audit?action=user.update');
    await page
      .getByRole('cell', { name: /^Changed the user audit-a@example.com: email, .*user_metadata.<img/ })
      .waitFor();
    await page.getByRole('button', { name: 'Details of user.update' }).press('Enter');
    const changes = page.getByRole('table', { name: 'Changed values' });
    await changes.getByRole('row', { name: 'email audit-a@example.com audit-b@example.com' }).waitFor();
    await changes.getByRole('row', { name: 'onerror=alert(1)> set (value not recorded)' }).waitFor();
    expect(await page.getByText('not recorded', { exact: true }).count()).toBe(0);
    await expectSound(page, 'changed values');
    expect(complaints.list).toEqual([]);
    await close();
  },
);

test('the batches of a bulk action are shown as one row that can be expanded', withStates, async () => {
  const owner = await operator(backend);
  const bulk = (operation: string) =>
    owner.call('POST', '/users/bulk', {
      action: { kind: 'sign-out' },
      ids: [randomUUID(), randomUUID()],
      operation,
    });
  const operation = randomUUID();
  for (const each of [operation, randomUUID(), operation, operation])
    expect((await bulk(each)).status).toBe(200);
  const { page, complaints, close } = await opened();
  await home(page);
  await go(page, '/audit?action=user.end-sessions');
  const unfold = page.getByRole('button', { name: 'Show the 3 entries for user.end-sessions' });
  await page.getByRole('cell', { name: '6 users in 3 entries' }).waitFor();
  const single = page.getByRole('button', { name: 'Details of user.end-sessions' });
  expect(await single.count()).toBe(1);
  await unfold.press('Enter');
  await unfold.and(page.locator('[aria-expanded=true]')).waitFor();
  await expect.poll(() => single.count()).toBe(4);
  await expect.poll(() => page.getByRole('cell', { name: '2 users', exact: true }).count()).toBe(4);
  await single.first().press('Enter');
  await page.getByRole('region', { name: 'Details' }).getByText(operation).waitFor();
  await expectSound(page, 'an unfolded operation');
  await unfold.press('Enter');
  await expect.poll(() => single.count()).toBe(1);
  expect(complaints.list).toEqual([]);
  await close();
});

test.each(looks)(
  'the page is accessible and fits at $width px, $colorScheme first',
  { ...pageStates, timeout: 120_000 },
  async ({ colorScheme, ...viewport }) => {
    const { page, complaints, close } = await opened({ viewport, colorScheme });
    await home(page);
    const places: [path: string, ready: () => Promise<unknown>][] = [
      ['/operators', () => page.getByText('current session').waitFor()],
      [
        '/operators',
        async () => {
          await page.getByRole('button', { name: 'Invite' }).press('Enter');
          await page.getByRole('dialog').getByLabel('Name').waitFor();
        },
      ],
      ['/audit', () => page.getByRole('button', { name: 'Details of sign-in' }).first().press('Enter')],
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

test('without a backup target, the backups page explains how to configure one', async () => {
  const { page, complaints, close } = await opened();
  await home(page);
  await go(page, '/backups');
  await page.getByRole('heading', { name: 'Backups aren’t set up' }).waitFor();
  await page.locator('code').getByText('openssl rand -hex 32').waitFor();
  // In development, a backup doesn't need a target (test/backup/local.test.ts).
  await page.getByRole('button', { name: 'Back up now' }).waitFor();
  await page.getByRole('link', { name: 'Open the backup settings', exact: true }).press('Enter');
  await page.getByRole('textbox', { name: 'Backup target', exact: true }).waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});
