/**
 * Tests that no state of any page has axe violations, scrolls horizontally, or violates the content security policy.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations, openContext, scrollsSideways } from '../web/browser.ts';
import { describeEach } from '../web/states.ts';
import { fillSignIn, makeUser, openAccount, openStage, type Stage } from './harness.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({
    auth: {
      enable_anonymous_sign_ins: true,
      password_requirements: 'lower_upper_letters_digits_symbols',
      mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
    },
    plinth: {
      branding: { name: 'Meadow & Söhne', color: '#f59e0b', terms_url: 'https://example.com/terms' },
    },
  });
  await makeUser(stage.backend, 'ada@example.com');
});

afterAll(() => stage.close());

// The combinations of size and color scheme that the keyboard flows don't cover (keyboard/in-four-looks.ts).
const looks = [
  { colorScheme: 'dark', width: 1280 },
  { colorScheme: 'light', width: 360 },
] as const;

/** Returns the names of fields whose background isn't that of the card around them. */
const fieldsOfAnotherTone = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const toneOf = (element) => {
      const { backgroundColor } = getComputedStyle(element);
      return backgroundColor === 'rgba(0, 0, 0, 0)' ? toneOf(element.parentElement) : backgroundColor;
    };
    return [...document.querySelectorAll('.plinth-input')]
      .filter((field) => field.querySelector('input:not([readonly], [disabled])') !== null)
      .filter((field) => toneOf(field.querySelector('input')) !== toneOf(field.parentElement))
      .map((field) => field.querySelector('input').id);
  })()`);

describeEach(looks)('$colorScheme at $width px', ({ colorScheme, width }) => {
  test('every page and state is accessible', async () => {
    const { backend, browser } = stage;
    const { context, complaints } = await openContext(browser, {
      colorScheme,
      viewport: { width, height: 800 },
    });
    const page = await context.newPage();
    const check = async (state: string): Promise<void> => {
      expect({ state, violations: await axeViolations(page) }).toEqual({ state, violations: [] });
      expect({ state, sideways: await scrollsSideways(page) }).toEqual({ state, sideways: false });
      expect({ state, fields: await fieldsOfAnotherTone(page) }).toEqual({ state, fields: [] });
    };
    const open = async (name: string): Promise<void> => {
      await page.goto(`${backend.url}/account/${name}`);
      await page.waitForLoadState('networkidle');
      await check(name);
    };

    for (const name of ['sign-up', 'code', 'signed-out', 'nowhere']) await open(name);
    await open(`confirm?type=signup&token=${'0'.repeat(56)}`);
    for (const name of ['confirm-other', 'continue', 'link-expired']) await open(name);
    await open('recover');
    await expect(page.title()).resolves.toBe('Reset your password · Meadow & Söhne');

    await open('sign-in');
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await page.getByRole('alert').getByText('Enter your email address.').waitFor();
    await check('sign-in with an empty form');
    await fillSignIn(page, 'ada@example.com', 'Not-the-password-1');
    await page.getByText('Incorrect').waitFor();
    await check('password refused');

    await openAccount(page, backend, 'ada@example.com');
    await page.getByText('This browser', { exact: true }).first().waitFor();
    await check('security');
    await page.getByRole('button', { name: 'Add authenticator app' }).click();
    await page.getByLabel('Device name').fill(`${colorScheme} ${width}`);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByAltText('QR code').waitFor();
    await page.getByRole('button', { name: 'Change email address' }).click();
    await page.getByRole('button', { name: 'Change password' }).click();
    await check('security with everything open');
    await page.getByRole('button', { name: 'Cancel' }).last().click();
    await page.getByAltText('QR code').waitFor({ state: 'detached' });
    await open('new-password');
    await open('sign-in');
    await page.getByText('You’re signed in as ada@example.com.').waitFor();
    await check('already signed in');
    expect(complaints.list).toEqual([]);
    await context.close();
    // The timeout is long because axe checks about twenty pages.
  });
});

test('all texts come from the catalog', async () => {
  const { context } = await openContext(stage.browser);
  const page = await context.newPage();
  const ends = ['confirm-other?', 'continue?', 'link-expired?', 'signed-out?', 'error?'];
  for (const name of ['sign-in?', 'sign-up?', 'code?', ...ends]) {
    await page.goto(`${stage.backend.url}/account/${name}lang=pseudo`);
    await page.getByRole('heading', { level: 1, name: /^⟨.* ···⟩$/ }).waitFor();
    // The text of a sentence includes the text of the links and addresses within the sentence.
    const texts: string[] = await page.evaluate(`
      [...document.querySelectorAll('main *:not(noscript, code), footer *:not([lang])')]
        .filter((element) => !isSentence(element.parentElement))
        .flatMap((element) => isSentence(element) ? [element.textContent.trim()] : ownTexts(element));
      function ownTexts(element) {
        return [...element.childNodes].filter((node) => node.nodeType === 3)
          .map((node) => node.data.trim()).filter((text) => /\\p{L}/u.test(text));
      }
      function isSentence(element) {
        return ownTexts(element).length > 0 && element.querySelector(':scope > a, :scope > span, :scope > bdi') !== null;
      }`);
    expect(texts.filter((text) => !/^⟨.*···⟩$/.test(text))).toEqual([]);
    expect(await page.content()).not.toContain('⟦');
  }
  await context.close();
});

test('nothing moves while a page loads and hydrates', async () => {
  const { context } = await openContext(stage.browser, { viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(`${stage.backend.url}/account/sign-in`);
  await page.waitForLoadState('networkidle');
  const shift = await page.evaluate(`new Promise((resolve) => {
    let sum = 0;
    new PerformanceObserver((list) => { for (const entry of list.getEntries()) sum += entry.value; })
      .observe({ type: 'layout-shift', buffered: true });
    setTimeout(() => resolve(sum), 100);
  })`);
  expect(shift).toBeLessThanOrEqual(0.02);
  await context.close();
});

test.each([
  ['en-GB', 'Terms'],
  ['ar', 'الشروط'],
])('in %s, the sentence on the sign-up page links to the terms', async (locale, label) => {
  const { context } = await openContext(stage.browser, { locale });
  const page = await context.newPage();
  await page.goto(`${stage.backend.url}/account/sign-up`);
  const link = page.locator('main').getByRole('link', { name: label, exact: true });
  await link.waitFor();
  expect(await link.getAttribute('href')).toBe('https://example.com/terms');
  expect(await page.locator('main').innerText()).not.toContain('<');
  await context.close();
});
