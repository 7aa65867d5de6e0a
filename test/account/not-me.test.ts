/**
 * Tests account activity and "This wasn't me", with an attacker who takes over an account and an owner who gets it
 * back.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openContext, scrollsSideways } from '../web/browser.ts';
import { describeEach, stateViolations, withStates } from '../web/states.ts';
import { makeUser, openAccount, openStage, password, type Stage, startSession } from './harness.ts';
import { say, speak } from './keyboard/texts.ts';
import { latestMail } from './mailbox.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({
    auth: {
      email: { enable_confirmations: true, max_frequency: 0, double_confirm_changes: false },
      sessions: { inactivity_timeout: 8 * 3_600_000, timebox: 7 * 24 * 3_600_000 },
    },
    plinth: { branding: { name: 'Harbor' } },
  });
});
afterAll(() => stage.close());

const contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

type Language = 'en' | 'ar';

async function newDevice(language: Language = 'en', options: { plain?: boolean } = {}): Promise<Page> {
  await speak(language);
  const locale = language === 'en' ? 'en-GB' : 'ar';
  const { context } = await openContext(stage.browser, {
    javaScriptEnabled: options.plain !== true,
    locale,
    colorScheme: language === 'en' ? 'light' : 'dark',
    viewport: { width: language === 'en' ? 1280 : 360, height: 800 },
  });
  contexts.push(context);
  return context.newPage();
}

let users = 0;
const newEmail = () => `owner-${++users}@example.com`;
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

/** Changes the password of the signed-in user. */
async function changePassword(page: Page, next: string): Promise<void> {
  await button(page, say('security.password-change')).click();
  await page.getByLabel(say('field.new-password'), { exact: true }).fill(next);
  await button(page, say('security.password-save')).click();
  await page.getByText(say('security.password-saved')).waitFor();
}

async function check(page: Page): Promise<void> {
  expect(await scrollsSideways(page)).toBe(false);
}

describeEach(['en', 'ar'])('in %s', (language) => {
  test('after an attacker changes the password and the address, the owner gets the account back and the attacker is signed out', {
    ...withStates,
    timeout: 120_000,
  }, async () => {
    const email = newEmail();
    await makeUser(stage.backend, email);
    await startSession(await newDevice(language), stage.backend, email);
    const attacker = await newDevice(language);
    await openAccount(attacker, stage.backend, email);
    const subjects =
      language === 'en'
        ? [/^New sign-in/, /password was changed/, /address was changed/]
        : [/جديد/, /كلمة مرورك/, /عنوان بريدك/];
    await latestMail(stage.backend, email, subjects[0]);
    await changePassword(attacker, 'attacker 12345');
    const evil = newEmail();
    const section = attacker.locator('section', { hasText: say('security.email') }).first();
    await section.getByRole('button', { name: say('security.email-change-what'), exact: true }).click();
    await attacker.getByLabel(say('security.email-new'), { exact: true }).fill(evil);
    await button(attacker, say('security.email-save')).click();
    const { code } = await latestMail(stage.backend, evil);
    await attacker.getByLabel(say('pending.code', { to: evil }), { exact: true }).fill(code);
    await attacker.getByText(say('security.email-changed', { email: evil })).waitFor();
    await latestMail(stage.backend, email, subjects[2]);

    // The owner opens the notice about the password, on a device without scripts.
    const notice = await latestMail(stage.backend, email, subjects[1]);
    if (language === 'en') {
      expect(notice.from).toBe('Harbor');
      expect(notice.subject).toBe('Your Harbor password was changed');
      expect(notice.text).toMatch(/Time: .+ UTC\nDevice: Chrome on \w+/);
      expect(notice.text).toContain("If this wasn't you, use this link to undo the change");
      expect(notice.text).toMatch(/This wasn't me: http\S+/);
    }
    const link = /http\S+\/account\/not-me\?token=\S+/.exec(notice.text)?.[0] ?? '';
    const owner = await newDevice(language, { plain: true });
    await owner.goto(link);
    await heading(owner, say('page.not-me'));
    await owner.getByText(say('not-me.back-in', { email }), { exact: true }).waitFor();
    // The page lists the attacker's changes after the event in the notice.
    await owner.getByText(say('not-me.later-email_changed', { when: '' }).replace(/[,،].*$/s, '')).waitFor();
    await check(owner);
    await button(owner, say('not-me.button')).press('Enter');
    await heading(owner, say('page.secured'));
    await check(owner);

    // Neither password works.
    for (const typed of ['attacker 12345', password]) {
      const refused = await stage.backend.fetch('/auth/v1/token?grant_type=password', {
        method: 'POST',
        headers: { apikey: stage.backend.keys.publishableKey, 'content-type': 'application/json' },
        body: JSON.stringify({ email, password: typed }),
      });
      expect(refused.status).toBe(400);
    }

    // The owner chooses a new password using an emailed code and sees what happened.
    const back = await newDevice(language);
    await back.goto(`${stage.backend.url}/account/recover`);
    await back.getByLabel(say('field.email'), { exact: true }).fill(email);
    await button(back, say('code.send')).click();
    const recovery = await latestMail(stage.backend, email, language === 'en' ? /reset/ : /إعادة/);
    await back.getByLabel(say('field.code'), { exact: true }).fill(recovery.code);
    await back.getByLabel(say('field.new-password'), { exact: true }).fill('owner again 6789');
    await button(back, say('new-password.submit')).click();
    await heading(back, say('page.security'));
    await back.getByText(say('activity.secured')).waitFor();
    await back.getByText(say('activity.email_changed', { from: email, to: evil })).waitFor();
    await back.getByText(say('activity.password_changed')).first().waitFor();
    await button(back, say('activity.older')).click();
    await back.getByText(say('activity.sign_in-password')).first().waitFor();
    await back.getByText(say('activity.new-device'), { exact: true }).first().waitFor();
    expect(await stateViolations(back)).toEqual([]);
    await check(back);

    // The attacker's browser opens the page only now. The page shows why the browser was signed out, but not the
    // owner's action.
    await attacker.reload();
    await heading(attacker, say('page.sign-in'));
    await attacker.getByText(say('ended.secured')).waitFor();
    expect(await attacker.locator('main').innerText()).not.toContain(say('ended.password_changed'));

    // The owner also opens the links in the earlier notices about the attack. The new password stays valid.
    const first = await latestMail(stage.backend, email, subjects[0]);
    const firstLink = /http\S+\/account\/not-me\?token=\S+/.exec(first.text)?.[0] ?? '';
    for (const used of [firstLink, link]) {
      await owner.goto(used);
      await heading(owner, say('page.not-me-secured'));
      expect(await button(owner, say('not-me.button')).count()).toBe(0);
      await check(owner);
    }
    await owner.goto(`${link.slice(0, -43)}${'A'.repeat(43)}`);
    await owner.getByText(say('not-me-expired.text')).waitFor();
    await back.reload();
    await heading(back, say('page.security'));
    const signedIn = await stage.backend.fetch('/auth/v1/token?grant_type=password', {
      method: 'POST',
      headers: { apikey: stage.backend.keys.publishableKey, 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: 'owner again 6789' }),
    });
    expect(signedIn.status).toBe(200);
  });
});

test('the page shows when sessions end', async () => {
  const email = newEmail();
  await makeUser(stage.backend, email);
  const page = await newDevice();
  await openAccount(page, stage.backend, email);
  await page
    .getByText('You’re signed out after 8 hours of inactivity. You’re signed out 7 days after you sign in.')
    .waitFor();
});
