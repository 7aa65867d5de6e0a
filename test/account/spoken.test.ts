/** Tests what screen readers announce, based on the accessibility tree that the browser passes to screen readers. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { openContext } from '../web/browser.ts';
import { describeEach } from '../web/states.ts';
import {
  fillSignIn,
  makeUser,
  openAccount,
  openStage,
  password,
  type Stage,
  startSession,
} from './harness.ts';
import { say, speak } from './keyboard/texts.ts';

let stage: Stage;
/** Passkeys require a host name instead of an IP address. */
let origin: string;
beforeAll(async () => {
  const port = await freePort();
  origin = `http://localhost:${port}`;
  stage = await openStage(
    {
      api: { port, external_url: origin },
      auth: {
        site_url: origin,
        email: { enable_confirmations: true, max_frequency: 0 },
        passkey: { enabled: true },
        webauthn: { rp_id: 'localhost', rp_display_name: 'Harbor', rp_origins: [origin] },
      },
      plinth: { branding: { name: 'Harbor' }, account: { deletion: true } },
    },
    { port },
  );
});
afterAll(() => stage.close());

const contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

async function newPage(language: 'en' | 'ar' = 'en', javaScriptEnabled = true): Promise<Page> {
  await speak(language);
  const locale = language === 'en' ? 'en-GB' : 'ar';
  const { context } = await openContext(stage.browser, { locale, javaScriptEnabled });
  contexts.push(context);
  return context.newPage();
}

const open = (page: Page, name: string) => page.goto(`${origin}/account/${name}`);

/** Returns the description that the browser passes to a screen reader after a control's name. */
async function descriptionOf(page: Page, selector: string): Promise<string> {
  const cdp = await page.context().newCDPSession(page);
  const { root } = await cdp.send('DOM.getDocument');
  const { nodeId } = await cdp.send('DOM.querySelector', { nodeId: root.nodeId, selector });
  const { nodes } = await cdp.send('Accessibility.getPartialAXTree', { nodeId, fetchRelatives: false });
  await cdp.detach();
  return String(nodes[0]?.description?.value ?? '');
}

const spoken = (page: Page, selector: string) => expect.poll(() => descriptionOf(page, selector));

describeEach(['en', 'ar'])('in %s', (language) => {
  test('fields are read with the text above them, the rules and the error', async () => {
    const email = `spoken-${language}@example.com`;
    const page = await newPage(language);
    await open(page, 'sign-up');
    await spoken(page, '#new-password').toContain(say('password.rules'));
    await spoken(page, '#new-password').toContain(say('password.unmet'));
    await page.locator('#email').fill(email);
    await page.locator('#new-password').fill('short');
    await page.getByRole('button', { name: say('sign-up.submit'), exact: true }).click();
    await spoken(page, '#new-password').toContain(say('field.password-weak'));
    await spoken(page, '#new-password').toContain(say('password.rules'));
    await page.locator('#new-password').fill(password);
    await page.getByRole('button', { name: say('sign-up.submit'), exact: true }).click();
    await page.locator('#code:focus').waitFor();
    await spoken(page, '#code').toContain(email);
    await page.locator('#code').fill('000000');
    await spoken(page, '#code').toContain(say('error.otp_expired'));
    await spoken(page, '#code').toContain(email);

    const again = await newPage(language);
    await open(again, 'sign-in');
    await again.locator('#email').fill(email);
    await again.getByRole('button', { name: say('sign-in.next'), exact: true }).click();
    await again.locator('#password:focus').waitFor();
    await spoken(again, '#password').toContain(email);
  });

  test('without scripts, a new password is read with its rules', async () => {
    const page = await newPage(language, false);
    await open(page, 'sign-up');
    await spoken(page, 'input[name=password]').toContain(say('password.rules'));
    await page.locator('#email').fill('nonsense@example.com');
    await page.getByRole('button', { name: say('sign-up.submit'), exact: true }).click();
    await spoken(page, 'input[name=password]').toContain(say('field.password-missing'));
    await spoken(page, 'input[name=password]').toContain(say('password.rules'));
  });
});

test('a rule that the password now meets is announced with its text', async () => {
  const page = await newPage();
  await open(page, 'sign-up');
  await page.locator('#new-password').fill('abcdefgh');
  const met = page.locator('[aria-live=polite] [data-met]').first();
  await met.waitFor();
  expect(await met.getAttribute('aria-atomic')).toBe('true');
});

test('a sign-out announces who is still signed in', async () => {
  const page = await newPage();
  const [first, second] = ['spoken-first@example.com', 'spoken-second@example.com'];
  for (const email of [first, second]) {
    await makeUser(stage.backend, email);
    await startSession(page, { url: origin }, email);
  }
  await open(page, 'security');
  await page.getByRole('button', { name: say('security.sign-out'), exact: true }).click();
  await page.getByRole('status').filter({ hasText: first }).waitFor();
});

test('the heading of a page that is loaded on demand is announced once, and not on the first load', async () => {
  const page = await newPage();
  const headings: string[] = [];
  await page.exposeFunction('headingFocused', (text: string) => headings.push(text));
  await page.addInitScript(() =>
    document.addEventListener('focusin', ({ target }) => {
      if (target instanceof HTMLHeadingElement && target.localName === 'h1')
        (window as unknown as { headingFocused(text: string | null): void }).headingFocused(
          target.textContent,
        );
    }),
  );
  await makeUser(stage.backend, 'heading@example.com');
  await open(page, 'sign-in');
  await fillSignIn(page, 'heading@example.com');
  const account = page.getByText(say('security.as', { who: 'heading@example.com' }));
  await account.waitFor();
  await page.locator('h1:focus').waitFor();
  expect(headings).toEqual([say('page.security')]);
  await page.reload();
  await account.waitFor();
  expect(headings).toEqual([say('page.security')]);
});

test('a canceled passkey, the question before a removal and the warning before a deletion are read', async () => {
  const page = await newPage();
  const email = 'spoken-keys@example.com';
  await makeUser(stage.backend, email);
  await openAccount(page, { url: origin }, email);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
  const add = page.getByRole('button', { name: say('passkey.add'), exact: true });
  await page.evaluate(`window.create = navigator.credentials.create;
    navigator.credentials.create = async () => { throw new DOMException('canceled', 'NotAllowedError'); }`);
  await add.press('Enter');
  await page.locator('[role=alert]:focus').getByText(say('error.key-not-added')).waitFor();
  await page.evaluate('navigator.credentials.create = window.create');
  await add.press('Enter');
  await page.getByText(say('passkey.ready')).waitFor();
  await page
    .getByRole('button', { name: new RegExp(`^${say('security.factor-remove')} Chrome`) })
    .press('Enter');
  await page.locator('button:focus').getByText(say('security.factor-keep')).waitFor();
  await spoken(page, 'button:focus').toContain(say('passkey.remove-ask', { name: 'Chrome on Linux' }));
  await page.getByRole('button', { name: say('data.delete'), exact: true }).press('Enter');
  await page.locator('#account-name:focus').waitFor();
  await spoken(page, '#account-name').toContain(say('data.delete-intro', { name: 'Harbor' }));
});
