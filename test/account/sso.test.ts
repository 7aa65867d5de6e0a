/**
 * Tests how employees of an organization reach its identity provider: by their address, whether or not SSO is enforced,
 * and from the provider's own portal.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createIdp } from '../auth/saml-idp.ts';
import { launchBrowser, openContext } from '../web/browser.ts';
import { password } from './harness.ts';
import { say, speak } from './keyboard/texts.ts';
import { askAsApp, openWorld, redeem, type World } from './keyboard/world.ts';

let world: World;
let browser: Browser;
beforeAll(async () => {
  [world, browser] = await Promise.all([
    openWorld({ saml: { enforced_domains: ['works.example'] } }),
    launchBrowser(),
  ]);
  await world.admin('/admin/sso/providers', {
    type: 'saml',
    metadata_xml: createIdp().metadata(),
    domains: ['optional.example'],
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

describe.each([
  ['en', true],
  ['en', false],
  ['ar', true],
  ['ar', false],
] as const)('in %s, scripts %s', (language, scripts) => {
  test('an address of an enforced domain leads to the provider and back to the app', async () => {
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

  test('a password and a code for an enforced domain lead to the provider or are refused with a clear text', async () => {
    const page = await newPage(language, scripts);
    const address = 'new@works.example';
    await open(page, 'sign-up');
    await page.locator('#email').fill(address);
    await page.locator(scripts ? '#new-password' : 'input[name=password]').fill(password);
    await press(page, say('sign-up.submit'));
    // With scripts, the pages continue at the provider, as the sign-in page does.
    const atProvider = page.getByRole('button', { name: 'Enter the works' });
    const refused = scripts ? atProvider : page.getByText(say('error.sso_required')).first();
    await refused.waitFor();
    await open(page, 'code');
    await page.locator('#email').fill(address);
    await press(page, say('code.send'));
    await refused.waitFor();
  });
});

test('if SSO isn’t enforced, it comes first, and the password stays one press away', async () => {
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

test.each([
  ['en', true],
  ['en', false],
  ['ar', true],
] as const)(
  'in %s, scripts %s: a sign-in that starts at the provider ends in the app',
  async (language, scripts) => {
    const page = await newPage(language, scripts);
    world.company.email = `portal-${language}-${scripts}@works.example`;
    const flow = new URLSearchParams({ redirect_to: world.appUrl, next: 'app' });
    const form = world.unsolicited(`${world.origin}/account/sign-in?${flow}`);
    await page.setContent(form);
    await press(page, 'Open the app');
    // Any site can send the browser here, so the user continues with a click.
    await heading(page, say('page.with'));
    await press(page, say('with.button', { connection: 'works.example' }));
    // The provider still knows the user. Its page stands for a provider that answers without input.
    await press(page, 'Enter the works');
    await page.waitForURL(`${world.appUrl}**`);
    expect(page.url()).toBe(world.appUrl);
    await open(page, 'security');
    const shown = page.locator('main');
    await expect.poll(() => shown.innerText()).toContain(world.company.email);
    // The organization manages the ways in, so the page offers none of the changes that the server rejects.
    if (scripts) await page.getByText(say('security.managed')).waitFor();
    expect(await page.getByRole('button', { name: say('security.password-set') }).count()).toBe(0);
    if (!scripts) expect(await shown.innerText()).toMatch(/^SSO$/m);
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
