/** Tests how email addresses are written in sentences and lists, on a narrow screen, with and without scripts. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openContext, scrollsSideways } from '../web/browser.ts';
import { describeEach } from '../web/states.ts';
import { makeUser, openStage, password, type Stage } from './harness.ts';
import { say, speak } from './keyboard/texts.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({
    auth: {
      email: { enable_confirmations: true, max_frequency: 0, double_confirm_changes: true },
      sms: { enable_signup: true, enable_confirmations: true, max_frequency: 0 },
    },
  });
});
afterAll(() => stage.close());

const contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

/**
 * Returns the addresses on the page that wrap although they would fit on one line, that aren't written from left to
 * right, or that aren't inside a `<bdi dir="ltr">`.
 */
const misplaced = `{
  const hasAddress = (node) => node.textContent.includes('@');
  const isWhole = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    if (range.getClientRects().length === 1) return true;
    const line = [...function* (at) { while ((at = at.parentElement)) yield at; }(element)]
      .find((at) => !getComputedStyle(at).display.startsWith('inline'));
    const { paddingLeft, paddingRight } = getComputedStyle(line);
    const available = line.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
    element.style.whiteSpace = 'nowrap';
    element.style.maxWidth = 'none';
    const width = range.getBoundingClientRect().width;
    element.removeAttribute('style');
    return width > available;
  };
  const elements = [...document.querySelectorAll('main *')].filter((one) => one.checkVisibility() && hasAddress(one));
  elements.filter((one) => !['NOSCRIPT', 'SCRIPT', 'STYLE'].includes(one.tagName)).flatMap((one) => {
    const isIsolated = one.matches('bdi[dir=ltr]');
    if (!isIsolated) return [...one.childNodes].filter((node) => node.nodeType === 3 && hasAddress(node)).map(({ data }) => data);
    return isWhole(one) && getComputedStyle(one).direction === 'ltr' ? [] : [one.textContent];
  });
}`;

async function expectWhole(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(misplaced)).toEqual([]);
  await expect.poll(() => scrollsSideways(page)).toBe(false);
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function signIn(page: Page, email: string): Promise<void> {
  await page.goto(`${stage.backend.url}/account/sign-in?add=1`);
  await page.locator('#email').fill(email);
  await button(page, say('sign-in.next')).click();
  await page.locator('input#password').waitFor();
  await expectWhole(page);
  await page.locator('input#password').fill(password);
  await button(page, say('sign-in.submit')).click();
  await page.waitForURL(/\/account\/(security|signed-in)/);
}

describeEach([
  ['en', true],
  ['en', false],
  ['ar', true],
  ['ar', false],
])('in %s, scripts %s', (language, javaScriptEnabled) => {
  test('an address is written from left to right, and wraps only if it is wider than the line', async () => {
    await speak(language);
    const locale = language === 'en' ? 'en-GB' : 'ar';
    const viewport = { width: 360, height: 800 };
    const { context } = await openContext(stage.browser, { javaScriptEnabled, locale, viewport });
    contexts.push(context);
    const page = await context.newPage();
    const name = `${language}-${javaScriptEnabled}`;
    const addresses = [
      `1-mary-jane-${name}@example.com`,
      `2-${'a-very-long-name-'.repeat(3)}${name}@example.com`,
    ];
    for (const address of addresses) {
      await makeUser(stage.backend, address);
      await signIn(page, address);
    }
    await page.goto(`${stage.backend.url}/account/accounts`);
    await expect.poll(() => page.locator('main bdi').allInnerTexts()).toEqual(addresses.toReversed());
    await expectWhole(page);
    if (!javaScriptEnabled) return;
    await page.goto(`${stage.backend.url}/account/security`);
    await button(page, say('security.email-change-what')).click();
    await page.locator('#new-email').fill(`3-mary-jane-${name}@example.com`);
    await button(page, say('security.email-save')).click();
    await page.locator('#email-code-0').waitFor();
    await button(page, say('phone.add')).click();
    await page.locator('#new-phone').fill(`+49151${language === 'en' ? '1111111' : '2222222'}`);
    await button(page, say('mfa.phone-send')).click();
    await page.locator('#phone-code-0').waitFor();
    await expectWhole(page);
    // The email change and the phone change offer the same actions, in the same order.
    const actions = page.getByRole('form', { name: say('pending.codes'), exact: true }).locator('xpath=..');
    const texts = ['pending.confirm', 'pending.resend', 'pending.cancel'] as const;
    for (const index of [0, 1]) {
      await expect
        .poll(() => actions.nth(index).getByRole('button').allInnerTexts())
        .toEqual(texts.map((id) => say(id)));
    }
    expect(await actions.count()).toBe(2);
  });
});
