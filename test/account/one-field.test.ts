/**
 * Tests that a person can start with an address alone, whether or not it has an account, with and without scripts. If
 * the project reveals accounts, a new address leads to the sign-up. Otherwise, the pages are the same for every address,
 * and the email says that there isn't an account.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type AuthServer, startAuth } from '../auth/harness.ts';
import { openContext, scrollsSideways } from '../web/browser.ts';
import { describeEach, stateViolations, withStates } from '../web/states.ts';
import { makeUser, openStage, password, type Stage } from './harness.ts';
import { say, speak } from './keyboard/texts.ts';
import { latestMail } from './mailbox.ts';

/** A project that reveals accounts. */
let open: Stage;
let concealing: AuthServer;

beforeAll(async () => {
  const email = { enable_confirmations: true, max_frequency: 0 };
  const plinth = { branding: { name: 'Harbor' } };
  open = await openStage({ auth: { email }, plinth });
  concealing = await startAuth({ email }, { mode: 'production', servesAccount: true, plinth });
});
afterAll(async () => {
  await open.close();
  await concealing.stop();
});

const contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

let count = 0;
const newEmail = () => `one-field-${++count}@example.com`;
const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const focusedId = (page: Page) => page.evaluate('document.activeElement.id');

describeEach(['en', 'ar'])('in %s', (language) => {
  async function newPage(javaScriptEnabled = true): Promise<Page> {
    await speak(language);
    const isEnglish = language === 'en';
    const { context } = await openContext(open.browser, {
      javaScriptEnabled,
      locale: isEnglish ? 'en-GB' : 'ar',
      colorScheme: isEnglish ? 'light' : 'dark',
      viewport: isEnglish ? { width: 1280, height: 800 } : { width: 360, height: 740 },
    });
    contexts.push(context);
    return context.newPage();
  }

  async function check(page: Page): Promise<void> {
    expect(await stateViolations(page)).toEqual([]);
    expect(await scrollsSideways(page)).toBe(false);
  }

  test('a new address continues with the sign-up, by keyboard', withStates, async () => {
    const page = await newPage();
    const email = newEmail();
    await page.goto(`${open.backend.url}/account/sign-in`);
    // The page focuses its field, so the user can type immediately.
    await expect.poll(() => focusedId(page)).toBe('email');
    await page.keyboard.type(email);
    await page.keyboard.press('Enter');
    await heading(page, say('page.sign-up', { name: 'Harbor' }));
    await page.getByText(say('sign-up.unknown')).waitFor();
    await expect.poll(() => page.locator('#email').inputValue()).toBe(email);
    await expect.poll(() => focusedId(page)).toBe('new-password');
    await check(page);
    // After a typing mistake, the user goes back and finds the address in the field.
    await page.goBack();
    await heading(page, say('page.sign-in'));
    await expect.poll(() => page.locator('#email').inputValue()).toBe(email);
    await page.goForward();
    await page.getByText(say('sign-up.unknown')).waitFor();
    await expect.poll(() => focusedId(page)).toBe('new-password');
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await heading(page, say('page.code'));
    await page.keyboard.type((await latestMail(open.backend, email)).code);
    await page.getByText(say('security.as', { who: email })).waitFor();
    // With the browser's back button, the user returns to these pages.
    for (const name of ['sign-up', 'code']) {
      await page.goto(`${open.backend.url}/account/${name}`);
      await page.getByText(say('sign-in.already', { who: email })).waitFor();
    }
  });

  test('a known address continues with the password', async () => {
    const page = await newPage();
    const email = newEmail();
    await makeUser(open.backend, email);
    await page.goto(`${open.backend.url}/account/sign-in`);
    await expect.poll(() => focusedId(page)).toBe('email');
    await page.keyboard.type(email);
    await page.keyboard.press('Enter');
    await heading(page, say('page.password'));
    await expect.poll(() => focusedId(page)).toBe('password');
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await page.getByText(say('security.as', { who: email })).waitFor();
  });

  test('a new address continues with the sign-up without scripts', async () => {
    const page = await newPage(false);
    const email = newEmail();
    await page.goto(`${open.backend.url}/account/sign-in`);
    await page.locator('#email').fill(email);
    await page.getByRole('button', { name: say('sign-in.next'), exact: true }).click();
    await heading(page, say('page.sign-up', { name: 'Harbor' }));
    await page.getByText(say('sign-up.unknown')).waitFor();
    expect(await page.locator('#email').inputValue()).toBe(email);
    expect(await scrollsSideways(page)).toBe(false);
    await page.locator('#password').fill(password);
    await page.getByRole('button', { name: say('sign-up.submit'), exact: true }).click();
    await heading(page, say('page.code'));
    await page.locator('#code').fill((await latestMail(open.backend, email)).code);
    await page.getByRole('button', { name: say('code.submit'), exact: true }).click();
    await heading(page, say('page.signed-in'));
  });

  test.each([
    [true, 'sign-in'],
    [true, 'recover'],
    [false, 'sign-in'],
    [false, 'recover'],
  ] as const)(
    'pages that conceal accounts send a new address to the sign-up by email (scripts: %s, %s)',
    withStates,
    async (scripts, way) => {
      const [email, known] = [newEmail(), newEmail()];
      const { error } = await concealing
        .admin()
        .auth.admin.createUser({ email: known, password, email_confirm: true });
      expect(error).toBeNull();
      const texts: string[] = [];
      for (const address of [known, email]) {
        const page = await newPage(scripts);
        await page.goto(`${concealing.url}/account/sign-in`);
        await page.locator('#email').fill(address);
        await page.getByRole('button', { name: say('sign-in.next'), exact: true }).click();
        await heading(page, say('page.password'));
        if (way === 'recover') {
          await page.getByText(say('sign-in.forgot')).click();
          await heading(page, say('page.recover'));
          await page.getByRole('button', { name: say('code.send'), exact: true }).click();
        } else {
          await page.getByRole('button', { name: say('sign-in.send-code'), exact: true }).click();
        }
        await heading(page, say('page.code'));
        if (scripts) await expect.poll(() => focusedId(page)).toBe('code');
        // axe needs scripts.
        if (scripts) await check(page);
        expect(await scrollsSideways(page)).toBe(false);
        const text = await page.locator('main').innerText();
        texts.push(text.replaceAll(address, '').replace(/\d/g, ''));
      }
      const page = contexts.at(-1)?.pages()[0] as Page;
      expect(texts[1]).toBe(texts[0]);
      await expect.poll(() => concealing.inbox(email)).toHaveLength(1);
      const [mail] = await concealing.inbox(email);
      expect(mail?.text).not.toMatch(/\b\d{6}\b/);
      await page.goto(/http\S+\/account\/sign-up\S*/.exec(mail?.text ?? '')?.[0] ?? '');
      await heading(page, say('page.sign-up', { name: 'Harbor' }));
      await expect.poll(() => page.locator('#email').inputValue()).toBe(email);
    },
  );
});
