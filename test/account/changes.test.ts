/** Tests unconfirmed changes on the security page, the error page, and events between two tabs. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Complaints, openContext, scrollsSideways } from '../web/browser.ts';
import { stateViolations, withStates } from '../web/states.ts';
import { mailedCode, makeUser, openAccount, openStage, type Stage } from './harness.ts';

let stage: Stage;
let context: BrowserContext;
let complaints: Complaints;
let page: Page;

beforeAll(async () => {
  stage = await openStage({
    auth: {
      email: { enable_confirmations: true, double_confirm_changes: false, max_frequency: 0 },
      sms: { enable_signup: true, enable_confirmations: true, max_frequency: 0 },
    },
  });
});
afterAll(() => stage.close());
beforeEach(async () => {
  ({ context, complaints } = await openContext(stage.browser, { viewport: { width: 360, height: 800 } }));
  page = await context.newPage();
});
afterEach(async () => {
  await context.close();
  expect(complaints.list).toEqual([]);
});

let users = 0;
async function enter(): Promise<string> {
  users += 1;
  const email = `mover-${users}@example.com`;
  await makeUser(stage.backend, email);
  await openAccount(page, stage.backend, email);
  return email;
}

test('an address change can be resent and canceled, and another tab shows both', withStates, async () => {
  const email = await enter();
  const other = await context.newPage();
  await other.goto(`${stage.backend.url}/account/security`);
  await other.getByText(`Signed in as ${email}`).waitFor();
  await page.getByRole('button', { name: 'Change email address' }).click();
  await page.getByLabel('New email address').fill('moved@example.com');
  await page.getByRole('button', { name: 'Send confirmation' }).click();
  for (const tab of [page, other]) await tab.getByText('To confirm moved@example.com').waitFor();
  expect(await stateViolations(page)).toEqual([]);
  expect(await scrollsSideways(page)).toBe(false);
  const first = await mailedCode(stage.backend, 'moved@example.com');
  await page.getByRole('button', { name: 'Resend' }).click();
  await page.getByText('We’ve sent a new confirmation.').waitFor();
  await expect.poll(() => mailedCode(stage.backend, 'moved@example.com')).not.toBe(first);
  await page.getByRole('button', { name: 'Cancel change' }).click();
  await page.getByText('Change canceled.').waitFor();
  await other.getByText('To confirm moved').waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Email address' }).getByText(email, { exact: true }).waitFor();
});

test('a new phone number is confirmed with a code', withStates, async () => {
  await enter();
  const phone = `1557${String(Date.now()).slice(-7)}`;
  const sent = await page.evaluate(`fetch('/account/api/session', { headers: { 'x-plinth-request': '1' } })
    .then((answer) => answer.json())
    .then(({ session }) => fetch('/auth/v1/user', {
      method: 'PUT',
      headers: {
        apikey: JSON.parse(document.getElementById('plinth-config').textContent).key,
        authorization: 'Bearer ' + session.access_token,
        'content-type': 'application/json',
      },
      body: '{"phone":"+${phone}"}',
    })).then((answer) => answer.status)`);
  expect(sent).toBe(200);
  await page.reload();
  await page.getByText(`We’ve texted a code to +${phone}.`).waitFor();
  expect(await stateViolations(page)).toEqual([]);
  await page.getByLabel(`Code sent to +${phone}`, { exact: true }).fill('000000');
  await page.getByRole('alert').getByText('Incorrect or expired code').waitFor();
  await page
    .getByLabel(`Code sent to +${phone}`, { exact: true })
    .fill(await mailedCode(stage.backend, phone));
  await page.getByText(`Your phone number is now +${phone}.`).waitFor();
});

test('the user’s own address and number aren’t accepted as new ones, and nothing is sent', async () => {
  const email = await enter();
  const phone = `1558${String(Date.now()).slice(-7)}`;
  await stage.backend.database
    .pool('supabase_admin')
    .query(sql`update auth.users set phone = ${phone}, phone_confirmed_at = now() where email = ${email}`);
  await page.reload();
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PUT') sent.push(request.url());
  });
  await page.getByRole('button', { name: 'Change email address' }).click();
  const newEmail = page.getByLabel('New email address');
  await newEmail.fill(` ${email.toUpperCase()} `);
  await newEmail.press('Enter');
  await page.getByText('This is already your email address. Enter a different one.').waitFor();
  expect(await newEmail.getAttribute('aria-invalid')).toBe('true');
  await page.getByRole('button', { name: 'Change your phone number' }).click();
  const newPhone = page.getByRole('textbox', { name: 'New phone number' });
  await newPhone.fill(`+1 (558) ${phone.slice(4, 7)}-${phone.slice(7)}`);
  await newPhone.press('Enter');
  await page.getByText('This is already your phone number. Enter a different one.').waitFor();
  expect(await newPhone.getAttribute('aria-invalid')).toBe('true');
  expect(sent).toEqual([]);
});

test('the error page shows a request ID and a link back', async () => {
  const response = await page.goto(`${stage.backend.url}/account/nowhere`);
  const id = response?.headers()['x-request-id'] ?? 'none';
  await page.getByText(id, { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Go to your account' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
});
