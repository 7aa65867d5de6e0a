/**
 * Tests email address changes: confirming them with the codes or links in both emails, and canceling them from the old
 * address.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openContext } from '../web/browser.ts';
import { describeEach } from '../web/states.ts';
import { makeUser, openAccount, openStage, type Stage } from './harness.ts';
import { say, speak } from './keyboard/texts.ts';
import { countMails, latestMail } from './mailbox.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({
    auth: { email: { enable_confirmations: true, max_frequency: 0 } },
    plinth: { branding: { name: 'Harbor' } },
  });
});
afterAll(() => stage.close());

const contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

type Language = 'en' | 'ar';

async function newDevice(language: Language = 'en', javaScriptEnabled = true): Promise<Page> {
  await speak(language);
  const locale = language === 'en' ? 'en-GB' : 'ar';
  const { context } = await openContext(stage.browser, { javaScriptEnabled, locale });
  contexts.push(context);
  return context.newPage();
}

let users = 0;
const newEmail = () => `moving-${++users}@example.com`;
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

/** Signs in and requests an email address change. */
async function startChange(page: Page): Promise<{ old: string; next: string }> {
  const [old, next] = [newEmail(), newEmail()];
  await makeUser(stage.backend, old);
  await openAccount(page, stage.backend, old);
  const section = page.locator('section', { hasText: say('security.email') }).first();
  await section.getByRole('button', { name: say('security.email-change-what'), exact: true }).click();
  await page.getByLabel(say('security.email-new'), { exact: true }).fill(next);
  await button(page, say('security.email-save')).click();
  await page.getByText(say('security.email-pending-both', { email: next, old })).waitFor();
  return { old, next };
}

describeEach(['en', 'ar'])('in %s', (language) => {
  test('the codes of both emails complete the change on the account page', async () => {
    const page = await newDevice(language);
    const { old, next } = await startChange(page);
    // The focused field's label names the address to which the code was sent.
    await page
      .getByLabel(say('pending.code', { to: next }), { exact: true })
      .and(page.locator(':focus'))
      .waitFor();
    for (const email of [next, old]) {
      const { code } = await latestMail(stage.backend, email);
      await page.getByLabel(say('pending.code', { to: email }), { exact: true }).fill(code);
      if (email === next) await page.getByText(say('pending.code-accepted', { to: email })).waitFor();
    }
    await page.getByText(say('security.email-changed', { email: next })).waitFor();
    await page
      .getByText(say('security.as', { who: next }))
      .first()
      .waitFor();
  });

  test('after the links in both emails have been opened, the account page is shown', async () => {
    const page = await newDevice(language);
    const { old, next } = await startChange(page);
    await page.goto((await latestMail(stage.backend, next)).link);
    await page.getByText(say('confirm.email_change', { email: next, name: 'Harbor' })).waitFor();
    await button(page, say('confirm.email_change-button', { name: 'Harbor' })).click();
    await heading(page, say('page.confirm-other'));
    await page.locator('#page-intro').getByText(old).waitFor();
    await page.goto((await latestMail(stage.backend, old)).link);
    await button(page, say('confirm.email_change-button', { name: 'Harbor' })).click();
    await heading(page, say('page.security'));
    await page.getByText(say('security.email-changed', { email: next })).waitFor();
  });

  test('the owner of the old address is asked to confirm, and can cancel the change without a session', async () => {
    const page = await newDevice(language);
    const { old, next } = await startChange(page);
    const [atOld, atNext] = [await latestMail(stage.backend, old), await latestMail(stage.backend, next)];
    if (language === 'en') {
      expect(atOld.subject).toBe('Your Harbor email address is about to change');
      expect(atOld.text).toContain(`is about to change from ${old} to ${next}`);
      expect(atOld.text).toContain("If this wasn't you, cancel the change now, then choose a new password.");
      expect(atNext.subject).toBe(`${atNext.code} is your Harbor code for your new email address`);
    } else expect(atOld.subject).toBe('سيتغير عنوان بريدك الإلكتروني في Harbor');
    const cancel = /http\S+\/account\/cancel-change\?token=\S+/.exec(atOld.text)?.[0] ?? '';
    expect(atNext.text).not.toContain('/account/cancel-change');
    // The change isn't canceled if an email scanner opens the link.
    expect((await fetch(cancel)).status).toBe(200);
    const owner = await newDevice(language, false);
    await owner.goto(cancel);
    await button(owner, say('cancel-change.button')).click();
    await heading(owner, say('page.change-canceled'));
    await owner.getByRole('link', { name: say('change-canceled.password'), exact: true }).waitFor();
    // Neither confirmation link works anymore, and the cancel link works only once.
    const thief = await newDevice(language, false);
    for (const { link } of [atNext, atOld]) {
      await thief.goto(link);
      await heading(thief, say('page.link-expired'));
    }
    await owner.goto(cancel);
    await button(owner, say('cancel-change.button')).click();
    await heading(owner, say('page.link-expired'));
    await page.reload();
    await page
      .getByText(say('security.as', { who: old }))
      .first()
      .waitFor();
    expect(await page.getByText(next).count()).toBe(0);
  });
});

test('a link on a device that isn’t signed in changes the address, but doesn’t sign the device in', async () => {
  const page = await newDevice();
  const { old, next } = await startChange(page);
  const phone = await newDevice('en', false);
  for (const email of [next, old]) {
    await phone.goto((await latestMail(stage.backend, email)).link);
    await button(phone, say('confirm.email_change-button', { name: 'Harbor' })).click();
    await heading(phone, say(email === next ? 'page.confirm-other' : 'page.email-changed'));
  }
  expect((await phone.context().cookies()).some(({ name }) => name === 'plinth-account')).toBe(false);
  await page.reload();
  await page
    .getByText(say('security.as', { who: next }))
    .first()
    .waitFor();
  // The phone has no session, so no sign-in is recorded and no notice is sent.
  await page.getByText(say('activity.email_changed', { from: old, to: next })).waitFor();
  expect(await page.getByText(say('activity.sign_in-otp')).count()).toBe(0);
  expect(await countMails(stage.backend, next)).toBe(1);
});
