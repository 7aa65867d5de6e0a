/**
 * Tests the removal of a second factor after a waiting period, for users who have lost their authenticator app and have
 * no recovery codes.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { openContext, scrollsSideways } from '../web/browser.ts';
import { describeEach, stateViolations, withStates } from '../web/states.ts';
import {
  addAuthenticatorApp,
  callAccount,
  laterTotp,
  makeUser,
  openStage,
  password,
  type Stage,
  startSession,
} from './harness.ts';
import { say, speak } from './keyboard/texts.ts';
import { latestMail } from './mailbox.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({
    auth: {
      email: { max_frequency: 0 },
      mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
    },
    plinth: { branding: { name: 'Harbor' }, auth: { security: { factor_removal_wait: 72 * 3_600_000 } } },
  });
});
afterAll(() => stage.close());

const contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

async function newDevice(language: 'en' | 'ar'): Promise<Page> {
  await speak(language);
  const { context } = await openContext(stage.browser, {
    locale: language === 'en' ? 'en-GB' : 'ar',
    viewport: { width: language === 'en' ? 1280 : 360, height: 800 },
    colorScheme: language === 'en' ? 'light' : 'dark',
  });
  contexts.push(context);
  return context.newPage();
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

/** Creates a user with an authenticator app. The user's sign-ins and changes are older than the waiting period. */
async function userWithApp(email: string): Promise<{ id: string; secret: string }> {
  const id = await makeUser(stage.backend, email);
  const { secret } = await addAuthenticatorApp(stage.backend, email);
  return { id, secret };
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.goto(`${stage.backend.url}/account/sign-in?add=1`);
  await page.getByLabel(say('field.email'), { exact: true }).fill(email);
  await button(page, say('sign-in.next')).click();
  await page.locator('#password').fill(password);
  await button(page, say('sign-in.submit')).click();
}

/** Signs in with the password and opens the page that asks for the second factor. */
async function openSecondStep(page: Page, email: string): Promise<void> {
  await startSession(page, stage.backend, email);
  await page.goto(`${stage.backend.url}/account/mfa`);
}

const run = (statement: Parameters<ReturnType<typeof stage.backend.database.pool>['query']>[0]) =>
  stage.backend.database.pool('supabase_admin').query(statement);

async function check(page: Page): Promise<void> {
  expect(await stateViolations(page)).toEqual([]);
  expect(await scrollsSideways(page)).toBe(false);
}

/** Requests the removal and confirms it by email. Returns the page on which the user waits. */
async function requestRemoval(language: 'en' | 'ar', email: string): Promise<Page> {
  const page = await newDevice(language);
  await openSecondStep(page, email);
  await heading(page, say('page.mfa'));
  const account = { name: 'Harbor', account: email, length: 6 };
  await page.getByText(say('mfa.intro', account)).waitFor();
  await button(page, say('lost.open')).press('Enter');
  await page.getByText(say('lost.no-codes')).waitFor();
  // The heading has focus, so screen readers start there.
  await heading(page, say('page.lost'));
  await page.locator('h1:focus').waitFor();
  await button(page, say('lost.request')).waitFor();
  await check(page);
  await button(page, say('lost.request')).press('Enter');
  // The status message has focus, so screen readers announce it, and a second Enter doesn't press the button that
  // appears.
  const state = page.locator('[role=status]:focus');
  await state.getByText(say('lost.requested', { email })).waitFor();
  const asked = await latestMail(
    stage.backend,
    email,
    language === 'en' ? /Confirm the removal/ : /أكّد إزالة/,
  );
  const link = /http\S+\/account\/remove-factors\?token=\S+/.exec(asked.text)?.[0] ?? '';
  const mail = await page.context().newPage();
  await mail.goto(link);
  await heading(mail, say('page.remove-factors'));
  await check(mail);
  await button(mail, say('remove-factors.button')).press('Enter');
  await heading(mail, say('page.remove-factors-done'));
  await mail.close();
  return page;
}

describeEach(['en', 'ar'])('in %s', (language) => {
  test('a user who lost the app confirms by email, waits, and signs in without it', {
    ...withStates,
    timeout: 90_000,
  }, async () => {
    const email = `lost-${language}@example.com`;
    const { id } = await userWithApp(email);
    const page = await requestRemoval(language, email);
    // The page shows without a reload that the request was confirmed.
    await button(page, say('lost.cancel')).waitFor();
    await page.locator('[role=status]').getByText(email).waitFor({ state: 'detached' });
    expect(await button(page, say('lost.cancel')).evaluate((it) => it === document.activeElement)).toBe(
      false,
    );
    await check(page);
    const scheduled = await latestMail(
      stage.backend,
      email,
      language === 'en' ? /will be removed/ : /ستتم إزالة/,
    );
    expect(scheduled.text).toMatch(/http\S+\/account\/not-me\?token=\S+/);

    // This statement ends the waiting period.
    await run(
      sql`update _plinth.factor_removals set due_at = now() - interval '1 minute' where user_id = ${id}`,
    );
    // The page on which the user waits detects that the removal has ended the session, and the sign-in page keeps the
    // email address.
    await heading(page, say('page.sign-in'));
    await expect.poll(() => page.locator('#email').inputValue()).toBe(email);
    await latestMail(stage.backend, email, language === 'en' ? /was removed/ : /أُزيل التحقق/);
    const again = await newDevice(language);
    await signIn(again, email);
    await heading(again, say('page.security'));
    await again.getByText(say('activity.factors_reset')).waitFor();
  });
});

test('the owner can cancel a removal that someone else requested, and the old password stops working', {
  ...withStates,
  timeout: 90_000,
}, async () => {
  const email = 'lost-attacked@example.com';
  const { id } = await userWithApp(email);
  await requestRemoval('en', email);
  const notice = await latestMail(stage.backend, email, /will be removed/);
  const owner = await newDevice('en');
  await owner.goto(/http\S+\/account\/not-me\?token=\S+/.exec(notice.text)?.[0] ?? '');
  await owner.getByText(say('not-me.factor_removal_requested-undo')).waitFor();
  await button(owner, say('not-me.button')).click();
  await heading(owner, say('page.secured'));
  await owner.getByText(say('secured.has-factor')).waitFor();
  expect(await run(sql`select from _plinth.factor_removals where user_id = ${id}`)).toEqual([]);
  await latestMail(stage.backend, email, /account is secured/);
  const refused = await stage.backend.fetch('/auth/v1/token?grant_type=password', {
    method: 'POST',
    headers: { apikey: stage.backend.keys.publishableKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  expect(refused.status).toBe(400);
});

test('using the app cancels the removal, and a mailbox alone can’t request one', {
  ...withStates,
  timeout: 90_000,
}, async () => {
  const email = 'lost-found@example.com';
  const { id, secret } = await userWithApp(email);
  const page = await requestRemoval('en', email);
  await page.reload();
  await page.getByLabel(say('field.code'), { exact: true }).fill(laterTotp(secret));
  await heading(page, say('page.security'));
  expect(await run(sql`select from _plinth.factor_removals where user_id = ${id}`)).toEqual([]);

  // A sign-in with an emailed code isn't sufficient, because it proves only access to the mailbox, like the
  // confirmation.
  const thief = await newDevice('en');
  await callAccount(thief, stage.backend, 'code', { email, purpose: 'sign-in' });
  const { code: token } = await latestMail(stage.backend, email, /sign-in code/);
  await callAccount(thief, stage.backend, 'verify', { email, token, type: 'email', purpose: 'sign-in' });
  await thief.goto(`${stage.backend.url}/account/mfa`);
  await heading(thief, say('page.mfa'));
  await button(thief, say('lost.open')).click();
  await thief.getByText(say('lost.other-sign-in')).waitFor();
  expect(await button(thief, say('lost.request')).count()).toBe(0);
  // A password that was changed within the last 72 hours isn't sufficient either.
  await run(sql`
    insert into _plinth.security_events (id, user_id, kind, actor, details, created_at)
    values (gen_random_uuid(), ${id}, 'password_changed', 'user', '{}', now())`);
  const second = await newDevice('en');
  await openSecondStep(second, email);
  await button(second, say('lost.open')).click();
  await second.getByText(say('lost.recent', { wait: '72 hours' })).waitFor();
  for (const kind of ['identity_linked', 'mfa_factor_enrolled']) {
    await run(
      sql`update _plinth.security_events set kind = ${kind} where user_id = ${id} and kind in ('password_changed', 'identity_linked')`,
    );
    await second.reload();
    await button(second, say('lost.open')).click();
    await (kind === 'identity_linked'
      ? second.getByText(say('lost.recent', { wait: '72 hours' }))
      : button(second, say('lost.request'))
    ).waitFor();
  }
});
