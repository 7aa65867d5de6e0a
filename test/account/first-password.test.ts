/** Tests users who never chose a password, because they signed up with a code or an operator created them. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openContext, scrollsSideways } from '../web/browser.ts';
import { describeEach } from '../web/states.ts';
import { openStage, password, type Stage } from './harness.ts';
import { say, speak } from './keyboard/texts.ts';
import { latestMail } from './mailbox.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({
    auth: {
      email: { enable_confirmations: true, max_frequency: 0, require_current_password: true },
      sms: { enable_signup: true, enable_confirmations: true, max_frequency: 0 },
    },
  });
});
afterAll(() => stage.close());

const contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

const languages = ['en', 'ar'] as const;

async function newPage(language: (typeof languages)[number], javaScriptEnabled = true): Promise<Page> {
  await speak(language);
  const locale = language === 'en' ? 'en-GB' : 'ar';
  const viewport = { width: 360, height: 800 };
  const { context } = await openContext(stage.browser, { javaScriptEnabled, locale, viewport });
  contexts.push(context);
  return context.newPage();
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

async function setPassword(page: Page): Promise<void> {
  await button(page, say('security.password-set')).waitFor();
  expect(await button(page, say('security.password-change')).count()).toBe(0);
  await button(page, say('security.password-set')).click();
  await page.locator('#new-password').fill(password);
  expect(await page.locator('#current-password').count()).toBe(0);
  await button(page, say('security.password-save')).click();
}

describeEach(languages)('in %s', (language) => {
  test('a user with only a phone number sets a first password', async () => {
    const page = await newPage(language);
    const phone = `4477009${language === 'en' ? '11111' : '22222'}`;
    await page.goto(`${stage.backend.url}/account/code?by=phone&purpose=sign-up`);
    await page.locator('#phone').fill(`+${phone}`);
    await button(page, say('code.send')).click();
    await page.locator('#code').fill((await latestMail(stage.backend, phone)).code);
    await heading(page, say('page.security'));
    await page.getByText(say('security.password-none-phone'), { exact: true }).waitFor();
    await setPassword(page);
    await page.getByText(say('security.password-was-set-phone'), { exact: true }).waitFor();
    await page.getByText(say('activity.password_set'), { exact: true }).waitFor();
    await button(page, say('security.password-change')).waitFor();
    expect(await scrollsSideways(page)).toBe(false);
    const signedIn = await stage.backend.fetch('/auth/v1/token?grant_type=password', {
      method: 'POST',
      headers: { apikey: stage.backend.keys.publishableKey, 'content-type': 'application/json' },
      body: JSON.stringify({ phone, password }),
    });
    expect(signedIn.status).toBe(200);
  });

  test('the page that undoes a first password says that it was set', async () => {
    const page = await newPage(language);
    const email = `first-${language}@example.com`;
    const { serviceRoleKey } = stage.backend.keys;
    const made = await stage.backend.fetch('/auth/v1/admin/users', {
      method: 'POST',
      headers: {
        apikey: serviceRoleKey,
        authorization: `Bearer ${serviceRoleKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ email, email_confirm: true }),
    });
    expect(made.status).toBe(200);
    await page.goto(`${stage.backend.url}/account/code`);
    await page.locator('#email').fill(email);
    await button(page, say('code.send')).click();
    await page.locator('#code').fill((await latestMail(stage.backend, email)).code);
    await heading(page, say('page.security'));
    await page.getByText(say('security.password-none'), { exact: true }).waitFor();
    await setPassword(page);
    await page.getByText(say('security.password-was-set', { who: email })).waitFor();
    const notice = await latestMail(
      stage.backend,
      email,
      language === 'en' ? /password was set/ : /عُيّنت كلمة مرور/,
    );
    const link = /http\S+\/account\/not-me\?token=\S+/.exec(notice.text)?.[0] ?? '';
    for (const scripts of [true, false]) {
      const owner = await newPage(language, scripts);
      await owner.goto(link);
      await heading(owner, say('page.not-me'));
      const text = await owner.locator('main').innerText();
      const startOf = (id: 'not-me.password_set' | 'not-me.password_changed') =>
        say(id, { when: '|' }).split(/[\u2068|]/)[0] as string;
      expect(text).toContain(startOf('not-me.password_set'));
      expect(text).not.toContain(startOf('not-me.password_changed'));
      expect(await scrollsSideways(owner)).toBe(false);
    }
  });
});
