/**
 * Tests invitations and password resets by operators, from the email to the return to the app, with a password or a
 * passkey.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Operator, operator } from '../console/harness.ts';
import { freePort } from '../support/free-port.ts';
import { openContext } from '../web/browser.ts';
import { describeEach, testEach } from '../web/states.ts';
import { openApp, type TestApp } from './app.ts';
import { makeUser, openStage, password, type Stage } from './harness.ts';
import { say, speak } from './keyboard/texts.ts';
import { latestMail } from './mailbox.ts';

let stage: Stage;
let app: TestApp;
let admin: Operator;
let origin: string;

beforeAll(async () => {
  app = await openApp();
  const port = await freePort();
  origin = `http://localhost:${port}`;
  stage = await openStage(
    {
      auth: {
        site_url: app.url,
        email: { enable_confirmations: true, max_frequency: 0 },
        passkey: { enabled: true },
        webauthn: { rp_id: 'localhost', rp_display_name: 'Harbor' },
      },
      plinth: { branding: { name: 'Harbor' } },
    },
    { port },
  );
  admin = await operator(stage.backend);
});
afterAll(async () => {
  await stage.close();
  await app.close();
});

const contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

async function newPage(language: 'en' | 'ar', javaScriptEnabled: boolean): Promise<Page> {
  await speak(language);
  const locale = language === 'en' ? 'en-GB' : 'ar';
  const { context } = await openContext(stage.browser, { javaScriptEnabled, locale });
  contexts.push(context);
  return context.newPage();
}

let users = 0;
const newEmail = () => `invited-${++users}@example.com`;
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

const canSignIn = async (email: string, secret: string) => {
  const response = await stage.backend.fetch('/auth/v1/token?grant_type=password', {
    method: 'POST',
    headers: { apikey: stage.backend.keys.publishableKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: secret }),
  });
  return response.status === 200;
};

describeEach([
  ['en', true],
  ['en', false],
  ['ar', true],
  ['ar', false],
])('in %s, scripts %s', (language, javaScriptEnabled) => {
  test('an invited user sets a password and returns to the app, without a token in any address', async () => {
    const email = newEmail();
    expect((await admin.call('POST', '/users/invite', { email })).status).toBe(200);
    const mail = await latestMail(stage.backend, email);
    expect([mail.from, mail.subject]).toEqual(['Harbor', "You've been invited to Harbor"]);
    expect(mail.text).toContain("If you didn't expect this invitation, you can ignore this email.");
    const page = await newPage(language, javaScriptEnabled);
    const addresses: string[] = [];
    page.on('framenavigated', (frame) => void addresses.push(frame.url()));
    await page.goto(mail.link);
    await heading(page, say('page.confirm-invite', { name: 'Harbor' }));
    await page.locator('#page-intro').getByText(email).waitFor();
    await button(page, say('confirm.invite-button', { name: 'Harbor' })).click();
    await heading(page, say('page.join', { name: 'Harbor' }));
    await page.getByLabel(say('field.new-password'), { exact: true }).fill(password);
    await button(page, say('new-password.submit')).click();
    await page.waitForURL(app.url);
    expect(addresses.filter((address) => /access_token|refresh_token/.test(address))).toEqual([]);
    expect(await canSignIn(email, password)).toBe(true);
  });

  // The password from the sign-up isn't stored, because it could have been chosen before the invitation's recipient
  // proved control of the address.
  test.each(['code', 'link'])('an invited user who signs up by %s chooses a password', async (by) => {
    const email = newEmail();
    await admin.call('POST', '/users/invite', { email });
    const page = await newPage(language, javaScriptEnabled);
    await page.goto(`${stage.backend.url}/account/sign-up`);
    await page.locator('#email').fill(email);
    await page.locator('#new-password').fill('dropped horse battery 3');
    await button(page, say('sign-up.submit')).click();
    await heading(page, say('page.code'));
    const mail = await latestMail(stage.backend, email, /\d{6}/);
    if (by === 'code') {
      await page.locator('#code').fill(mail.code);
      if (!javaScriptEnabled) await button(page, say('code.submit')).click();
    } else {
      const opened = await page.context().newPage();
      await opened.goto(mail.link);
    }
    const last = page.context().pages().at(-1) as Page;
    await heading(last, say('page.join', { name: 'Harbor' }));
    await last.getByLabel(say('field.new-password'), { exact: true }).fill(password);
    await button(last, say('new-password.submit')).click();
    await heading(last, say(javaScriptEnabled ? 'page.security' : 'page.signed-in'));
    expect([await canSignIn(email, password), await canSignIn(email, 'dropped horse battery 3')]).toEqual([
      true,
      false,
    ]);
  });

  test('after a password reset by an operator, the user sets a new password and returns to the app', async () => {
    const email = newEmail();
    const id = await makeUser(stage.backend, email);
    const reset = await admin.call('POST', `/users/${id}/reset`, { by: 'mail' });
    expect(reset.status).toBe(200);
    const mail = await latestMail(stage.backend, email);
    expect(mail.subject).toBe(`${mail.code} is your Harbor password reset code`);
    const page = await newPage(language, javaScriptEnabled);
    await page.goto(mail.link);
    await heading(page, say('page.confirm-recovery'));
    expect(await page.title()).toContain(say('page.confirm-recovery'));
    await button(page, say('confirm.recovery-button')).click();
    await heading(page, say('page.new-password'));
    if (javaScriptEnabled) await page.locator('#page-intro').getByText(email).waitFor();
    await page.getByLabel(say('field.new-password'), { exact: true }).fill('another horse battery 2');
    await button(page, say('new-password.submit')).click();
    await page.waitForURL(app.url);
    expect(await canSignIn(email, 'another horse battery 2')).toBe(true);
  });
});

testEach(['en', 'ar'])('in %s, an invitation is valid for seven days', async (language) => {
  const page = await newPage(language, true);
  for (const days of [6, 8]) {
    const email = newEmail();
    await admin.call('POST', '/users/invite', { email });
    const { text, link } = await latestMail(stage.backend, email);
    expect(text).toContain('The link expires in 7 days.');
    await stage.backend.database.pool('supabase_admin').query(sql`
      update auth.users set invited_at = sent, confirmation_sent_at = sent
      from (select now() - make_interval(days => ${days}) as sent) earlier where email = ${email}`);
    await page.goto(link);
    if (days > 7) {
      await heading(page, say('page.link-expired-invite'));
      continue;
    }
    await button(page, say('confirm.invite-button', { name: 'Harbor' })).click();
    await heading(page, say('page.join', { name: 'Harbor' }));
  }
});

// A click is lost if its button moves between the press and the release of the mouse button.
testEach(['en', 'ar'])('in %s, the form stays in its place when the session arrives', async (language) => {
  const email = newEmail();
  await admin.call('POST', '/users/invite', { email });
  const { link } = await latestMail(stage.backend, email);
  const page = await newPage(language, true);
  await page.goto(link);
  const hold = Promise.withResolvers<void>();
  await page.route('**/account/api/session', async (route) => {
    await hold.promise;
    await route.continue();
  });
  await button(page, say('confirm.invite-button', { name: 'Harbor' })).click();
  await heading(page, say('page.join', { name: 'Harbor' }));
  const top = async () => (await button(page, say('new-password.submit')).boundingBox())?.y;
  const before = await top();
  hold.resolve();
  await page.locator('#page-intro').getByText(email).waitFor();
  expect(await top()).toBe(before);
});

test('a link that an operator forwards opens the same pages', async () => {
  const email = newEmail();
  const id = await makeUser(stage.backend, email);
  const { body } = await admin.call('POST', `/users/${id}/reset`, { by: 'link' });
  expect(body.link).toContain('/account/confirm?token=');
  const page = await newPage('en', true);
  await page.goto(body.link);
  await button(page, say('confirm.recovery-button')).click();
  await heading(page, say('page.new-password'));
});

testEach(['en', 'ar'])(
  'in %s, an invited user can create a passkey instead of a password',
  async (language) => {
    const email = newEmail();
    await admin.call('POST', '/users/invite', { email });
    const { link } = await latestMail(stage.backend, email);
    const page = await newPage(language, true);
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto(link.replace(/^http:\/\/[^/]+/, origin));
    await button(page, say('confirm.invite-button', { name: 'Harbor' })).click();
    await heading(page, say('page.join', { name: 'Harbor' }));
    const { promise: isChecked, resolve: checked } = Promise.withResolvers<void>();
    await page.route('**/passkeys/registration/verify', async (route) => {
      await isChecked;
      await route.continue();
    });
    await button(page, say('join.passkey')).click();
    // After the click, the button shows that the request is in progress.
    await page.locator('button[data-loading]', { hasText: say('join.passkey') }).waitFor();
    expect(await page.locator('button[data-loading]').count()).toBe(1);
    checked();
    await page.waitForURL(app.url);
    const notice = await latestMail(stage.backend, email, /./, /http\S+\/account\/not-me\?token=/);
    expect(notice.from).toBe('Harbor');
    if (language === 'ar') return;
    expect(notice.subject).toBe('A passkey was added to your Harbor account');
    expect(notice.text).toMatch(/Time: .+ UTC\nDevice: Chrome on Linux/);
    expect(notice.text).toMatch(/This wasn't me: http\S+\/account\/not-me\?token=/);
  },
);

test('the Account pages open an app without a code only if the redirect rule allows the app', async () => {
  const email = newEmail();
  await makeUser(stage.backend, email);
  const page = await newPage('en', true);
  const search = `?next=app&redirect_to=${encodeURIComponent('https://evil.example/')}`;
  await page.goto(`${stage.backend.url}/account/sign-in${search}`);
  await heading(page, say('page.refused-app'));
});
