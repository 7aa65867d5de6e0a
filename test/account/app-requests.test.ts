/** Tests that an app's invalid request is rejected when the page opens, before anyone enters a password. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openContext } from '../web/browser.ts';
import { describeEach } from '../web/states.ts';
import { openApp, type TestApp } from './app.ts';
import { openStage, type Stage } from './harness.ts';
import { say, speak } from './keyboard/texts.ts';

let stage: Stage;
let app: TestApp;

beforeAll(async () => {
  app = await openApp();
  stage = await openStage({ auth: { enable_anonymous_sign_ins: true, site_url: app.url } });
});
afterAll(async () => {
  await stage.close();
  await app.close();
});

const contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

async function open(language: 'en' | 'ar', javaScriptEnabled: boolean, path: string): Promise<Page> {
  await speak(language);
  const locale = language === 'en' ? 'en-GB' : 'ar';
  const { context } = await openContext(stage.browser, { javaScriptEnabled, locale });
  contexts.push(context);
  const page = await context.newPage();
  await page.goto(`${stage.backend.url}/account/${path}`);
  return page;
}

const evil = 'https://evil.example/?<b>';
const challenge = `code_challenge=${'a'.repeat(43)}&code_challenge_method=s256`;

describeEach([
  ['en', true],
  ['en', false],
  ['ar', true],
  ['ar', false],
])('in %s, scripts %s', (language, scripts) => {
  test.each(['sign-in', 'sign-up', 'recover', 'code', 'guest', 'sso'])('%s', async (name) => {
    const bad = await open(language, scripts, `${name}?redirect_to=${encodeURIComponent(evil)}&${challenge}`);
    await bad.getByRole('heading', { level: 1, name: say('page.refused-app'), exact: true }).waitFor();
    await bad.getByText(say('refused.redirect_not_allowed')).waitFor();
    // In development, the page also names the setting to change.
    await bad.getByText(say('refused.redirect_not_allowed-hint', { url: evil })).waitFor();
    expect(await bad.locator('form input, main b').count()).toBe(0);
  });

  test('a missing or invalid PKCE challenge', async () => {
    const to = `redirect_to=${encodeURIComponent(app.url)}`;
    const missing = await open(language, scripts, `sign-in?${to}`);
    await missing.getByText(say('refused.pkce_required-hint', { url: app.url })).waitFor();
    const short = await open(language, scripts, `sign-in?${to}&code_challenge=abc`);
    await short.getByText(say('refused.bad_code_challenge-hint')).waitFor();
  });
});

test('an allowed request opens the form, and all others get an error', async () => {
  const page = await open('en', true, `sign-in${app.startSignIn().search}`);
  await page.getByLabel(say('field.email'), { exact: true }).waitFor();
  // Plinth's own pages aren't apps. A redirect to such a page could start a sign-in that the user hasn't chosen.
  for (const target of [evil, `${stage.backend.url}/account/with?provider=github`]) {
    const response = await fetch(
      `${stage.backend.url}/account/sign-in?redirect_to=${encodeURIComponent(target)}&next=app`,
    );
    expect(response.status).toBe(400);
  }
});
