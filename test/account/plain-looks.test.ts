/**
 * Tests the appearance of pages without scripts. These pages have no axe violations, follow the device's color scheme,
 * and show the project's password rules.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations, openContext, scrollsSideways } from '../web/browser.ts';
import { describeEach, skipsStates, withStates } from '../web/states.ts';
import { openStage, type Stage } from './harness.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({
    auth: {
      enable_anonymous_sign_ins: true,
      minimum_password_length: 10,
      password_requirements: 'letters_digits',
    },
    plinth: { branding: { name: 'Meadow & Söhne', color: '#f59e0b' } },
  });
});
afterAll(() => stage.close());

const looks = [
  { colorScheme: 'light', width: 1280, lang: 'en' },
  { colorScheme: 'dark', width: 1280, lang: 'en' },
  { colorScheme: 'dark', width: 360, lang: 'ar' },
] as const;

/** Returns the violations that axe finds in a copy of the page as a visitor without scripts sees it. */
async function violationsOf(page: Page, copy: Page): Promise<unknown> {
  if (skipsStates()) return [];
  const html = (await page.content())
    .replace(/<script(?! type="application)[\s\S]*?<\/script>/g, '')
    .replace(/<\/?noscript>/g, '');
  await copy.setContent(html);
  return axeViolations(copy);
}

/** Returns the luminance of a color on the page, from 0 to 1, without running a script in the page. */
async function luminance(page: Page, selector: string): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('DOM.enable');
  await session.send('CSS.enable');
  const { root } = await session.send('DOM.getDocument');
  const { nodeId } = await session.send('DOM.querySelector', { nodeId: root.nodeId, selector });
  const { computedStyle } = await session.send('CSS.getComputedStyleForNode', { nodeId });
  await session.detach();
  const color = computedStyle.find(({ name }) => name === 'background-color')?.value ?? '';
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map(Number);
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
}

describeEach(looks)('$colorScheme at $width px in $lang', ({ colorScheme, width, lang }) => {
  test('every page and state is accessible', { ...withStates, timeout: 90_000 }, async () => {
    const { backend, browser } = stage;
    const { context } = await openContext(browser, {
      javaScriptEnabled: false,
      colorScheme,
      viewport: { width, height: 800 },
    });
    const page = await context.newPage();
    const { context: other } = await openContext(browser, { colorScheme, viewport: { width, height: 800 } });
    const copy = await other.newPage();
    const check = async (state: string): Promise<void> => {
      const ground = await luminance(page, 'main');
      expect({ state, isDark: ground < 0.3 }).toEqual({ state, isDark: colorScheme === 'dark' });
      expect({ state, violations: await violationsOf(page, copy) }).toEqual({
        state,
        violations: [],
      });
      expect({ state, sideways: await scrollsSideways(page) }).toEqual({ state, sideways: false });
    };
    for (const name of ['sign-in', 'sign-up', 'code', 'recover']) {
      await page.goto(`${backend.url}/account/${name}?lang=${lang}`);
      await page.locator('button[type=submit]').first().click();
      await page.locator('#email-error').waitFor();
      await check(`${name} refused`);
    }
    for (const name of ['guest', 'signed-out', 'link-expired', 'nowhere']) {
      await page.goto(`${backend.url}/account/${name}`);
      await check(name);
    }
    await page.goto(`${backend.url}/account/guest`);
    await page.locator('button[type=submit]').click();
    await page.waitForURL('**/account/signed-in');
    await check('signed in');
    await Promise.all([context.close(), other.close()]);
    // The timeout is long because axe checks nine pages.
  });
});

test('the page shows the project’s password rules before and after an error, with and without scripts', async () => {
  const rules = ['at least 10 characters', 'a letter', 'a number'];
  for (const javaScriptEnabled of [false, true]) {
    const { context, complaints } = await openContext(stage.browser, { javaScriptEnabled });
    const page = await context.newPage();
    const shown = async () =>
      (await page.locator('#password-rules li > span:first-of-type').allTextContents()).map((text) =>
        text.trim(),
      );
    await page.goto(`${stage.backend.url}/account/sign-up`);
    await expect.poll(shown).toEqual(rules);
    if (!javaScriptEnabled) {
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.locator('#email-error').waitFor();
      expect(await shown()).toEqual(rules);
    }
    // A hydration error would mean that React's output doesn't match the markup.
    expect(complaints.list).toEqual([]);
    await context.close();
  }
});
