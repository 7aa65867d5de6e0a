/**
 * Tests how employees of an organization reach its identity provider: by entering their address, with SSO enforced or
 * not, and from the provider's portal.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createIdp } from '../auth/saml-idp.ts';
import { launchBrowser, openContext } from '../web/browser.ts';
import { describeEach, testEach } from '../web/states.ts';
import { password } from './harness.ts';
import { captchaInternet } from './keyboard/captcha-internet.ts';
import { say, speak } from './keyboard/texts.ts';
import { askAsApp, openWorld, redeem, type World } from './keyboard/world.ts';

let world: World;
let browser: Browser;
let optional: { id: string };
beforeAll(async () => {
  [world, browser] = await Promise.all([
    openWorld({ saml: { enforced_domains: ['works.example'] } }),
    launchBrowser(),
  ]);
  optional = await world.admin('/admin/sso/providers', {
    type: 'saml',
    metadata_xml: createIdp().metadata(),
    domains: ['optional.example', 'second.example'],
  });
});
afterAll(async () => {
  await browser.close();
  await world.stop();
});

const contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

async function newPage(language: 'en' | 'ar' = 'en', javaScriptEnabled = true): Promise<Page> {
  await speak(language);
  const locale = language === 'en' ? 'en-GB' : 'ar';
  const { context } = await openContext(browser, { javaScriptEnabled, locale });
  contexts.push(context);
  return context.newPage();
}

const open = (page: Page, name: string, search = '') => page.goto(`${world.origin}/account/${name}${search}`);
const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

async function typeAddress(page: Page, address: string, search = ''): Promise<void> {
  await open(page, 'sign-in', search);
  await page.locator('#email').fill(address);
  await press(page, say('sign-in.next'));
}

describeEach([
  ['en', true],
  ['en', false],
  ['ar', true],
  ['ar', false],
])('in %s, scripts %s', (language, scripts) => {
  test('with an address of an enforced domain, the user is sent to the provider and back to the app', async () => {
    const page = await newPage(language, scripts);
    const { search, verifier } = askAsApp(world);
    world.company.email = `${language}-${scripts}@works.example`;
    await typeAddress(page, world.company.email, search);
    if (!scripts) {
      await page.getByText(say('plain.sso', { email: world.company.email })).waitFor();
      await page.getByRole('link', { name: say('plain.sso-button') }).click();
    }
    await press(page, 'Enter the works');
    await page.waitForURL(`${world.appUrl}?**`);
    expect((await redeem(world, page.url(), verifier)).email).toBe(world.company.email);
  });

  test('for an enforced domain, a password, a code or a reset opens the provider or offers it', async () => {
    const page = await newPage(language, scripts);
    const address = 'new@works.example';
    await open(page, 'sign-up');
    await page.locator('#email').fill(address);
    await page.locator(scripts ? '#new-password' : 'input[name=password]').fill(password);
    await press(page, say('sign-up.submit'));
    // With scripts, these pages redirect to the provider, as the sign-in page does. Without scripts, the pages contain
    // a link to the provider.
    const atProvider = page.getByRole('button', { name: 'Enter the works' });
    const offered = scripts ? atProvider : page.getByRole('link', { name: say('plain.sso-button') });
    await offered.waitFor();
    for (const name of ['code', 'recover']) {
      await open(page, name);
      await page.locator('#email').fill(address);
      await press(page, say('code.send'));
      await offered.waitFor();
    }
    // A window that was opened earlier can still show the password form for the address.
    for (const button of [say('sign-in.submit'), say('sign-in.send-code')]) {
      await typeAddress(page, address);
      await offered.waitFor();
      await open(page, 'password');
      await page.locator('#password').fill(password);
      await press(page, button);
      await offered.waitFor();
    }
    if (!scripts) await offered.click();
    await atProvider.waitFor();
  });
});

test.each([true, false])(
  'scripts %s: choosing a listed account that signed in with SSO immediately opens the provider',
  async (scripts) => {
    const page = await newPage('en', scripts);
    const email = `again-${scripts}@works.example`;
    world.company.email = email;
    await typeAddress(page, email);
    if (!scripts) await page.getByRole('link', { name: say('plain.sso-button') }).click();
    await press(page, 'Enter the works');
    await page.waitForURL(/\/account\/security/);
    await expect.poll(() => page.locator('main').innerText()).toContain(email);
    await open(page, 'accounts');
    await page.getByRole('button', { name: `${say('accounts.sign-out')}: ${email}` }).click();
    const { search, verifier } = askAsApp(world);
    await open(page, 'sign-in', search);
    await page.getByRole('button', { name: new RegExp(say('accounts.continue', { name: email })) }).click();
    await press(page, 'Enter the works');
    await page.waitForURL(`${world.appUrl}?**`);
    expect((await redeem(world, page.url(), verifier)).email).toBe(email);
  },
);

test('if SSO isn’t enforced, it is shown first, and the password form is one click away', async () => {
  const page = await newPage();
  await page.route('https://idp.example.com/**', (route) => route.fulfill({ body: 'The provider' }));
  await typeAddress(page, 'ada@optional.example');
  await heading(page, say('page.sso'));
  await expect.poll(() => page.locator('#domain').inputValue()).toBe('ada@optional.example');
  await page.getByText(say('sso.other')).click();
  await heading(page, say('page.password'));
  await page.getByText('ada@optional.example', { exact: true }).waitFor();
  await page.goBack();
  await heading(page, say('page.sso'));
  await press(page, say('sso.submit'));
  await page.getByText('The provider').waitFor();
});

testEach([
  ['en', true],
  ['en', false],
  ['ar', true],
])('in %s, scripts %s: a sign-in that starts at the provider ends in the app', async (language, scripts) => {
  const page = await newPage(language, scripts);
  world.company.email = `portal-${language}-${scripts}@works.example`;
  const flow = new URLSearchParams({ redirect_to: world.appUrl, next: 'app' });
  const form = world.unsolicited(`${world.origin}/account/sign-in?${flow}`);
  await page.setContent(form);
  await press(page, 'Open the app');
  // Any site can redirect the browser to this page, so the user must click to continue.
  await heading(page, say('page.with'));
  await press(page, say('with.button', { connection: 'works.example' }));
  // The user still has a session at the provider. By pressing this button, the test simulates a provider that
  // responds without user input.
  await press(page, 'Enter the works');
  await page.waitForURL(`${world.appUrl}**`);
  expect(page.url()).toBe(world.appUrl);
  await open(page, 'security');
  const shown = page.locator('main');
  await expect.poll(() => shown.innerText()).toContain(world.company.email);
  // The organization manages sign-in, so the page doesn't offer changes that the server would reject.
  if (scripts) await page.getByText(say('security.managed')).waitFor();
  if (scripts) await page.getByText(say('activity.intro-managed')).waitFor();
  expect(await page.getByRole('button', { name: say('security.password-set') }).count()).toBe(0);
  if (!scripts) expect(await shown.innerText()).toMatch(/^SSO$/m);
});

test('a page that asks for confirmation before it opens the provider shows all domains of the connection', async () => {
  const page = await newPage();
  await open(page, 'with', `${askAsApp(world).search}&sso=${optional.id}`);
  const connection = 'optional.example, second.example';
  await page.getByRole('button', { name: say('with.button', { connection }) }).waitFor();
});

test.each([true, false])(
  'with a captcha and a required second factor, scripts %s: a link to the connection opens the provider, which redirects back to the app',
  async (scripts) => {
    const internet = await captchaInternet();
    const guarded = await openWorld(
      {
        auth: { captcha: { enabled: true, provider: 'hcaptcha', secret: 'site-secret' } },
        // The organization manages the second factor, so users aren't asked to add one here.
        account: { captcha_site_key: 'site-key', require_mfa: true },
      },
      { outgoing: internet.outgoing },
    );
    try {
      const page = await newPage('en', scripts);
      const { items } = await guarded.admin<{ items: { id: string }[] }>('/admin/sso/providers');
      const { search, verifier } = askAsApp(guarded);
      await page.goto(`${guarded.origin}/account/with${search}&sso=${items[0]?.id}`);
      await press(page, say('with.button', { connection: 'works.example' }));
      await press(page, 'Enter the works');
      await page.waitForURL(`${guarded.appUrl}?**`);
      expect((await redeem(guarded, page.url(), verifier)).email).toBe(guarded.company.email);
    } finally {
      await guarded.stop();
      await internet.stop();
    }
  },
);

test('a failure at the provider is shown on the Account pages, and the user can try again', async () => {
  const page = await newPage();
  world.company.email = 'failing@works.example';
  await typeAddress(page, world.company.email, askAsApp(world).search);
  await page.getByRole('button', { name: 'Enter the works' }).waitFor();
  await page.evaluate(`document.querySelector('[name=SAMLResponse]').value = btoa('<broken/>')`);
  await press(page, 'Enter the works');
  await page.getByText(say('error.sso_failed')).waitFor();
  await press(page, say('sign-in.next'));
  await press(page, 'Enter the works');
  await page.waitForURL(`${world.appUrl}?**`);
});
