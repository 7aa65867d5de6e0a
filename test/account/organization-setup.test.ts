/** Tests the page on which an IT administrator with a setup link sets up single sign-on, without scripts and an account. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { organizationsMigration } from '../../src/entry/cli/organizations.ts';
import { buildAnswer, createIdp, readRequest, signAnswer } from '../auth/saml-idp.ts';
import { openContext, scrollsSideways } from '../web/browser.ts';
import { describeEach, stateViolations, withStates } from '../web/states.ts';
import { makeUser, openStage, type Stage, startSession } from './harness.ts';
import { say, speak } from './keyboard/texts.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage(
    {
      auth: { email: { enable_confirmations: true, max_frequency: 0 } },
      plinth: { account: { organizations: true } },
    },
    { sql: organizationsMigration() },
  );
});
afterAll(() => stage.close());

const contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

async function newPage(language: 'en' | 'ar' = 'en'): Promise<Page> {
  await speak(language);
  const { context } = await openContext(stage.browser, {
    locale: language === 'ar' ? 'ar' : 'en-GB',
    viewport: { width: 360, height: 800 },
  });
  contexts.push(context);
  return context.newPage();
}

let count = 0;

/** Creates an organization with a verified and an unverified domain, and a setup link. */
async function company() {
  count += 1;
  const email = `owner${count}@mail.example`;
  const page = await newPage();
  await makeUser(stage.backend, email);
  const token = await startSession(page, stage.backend, email);
  const { keys } = stage.backend;
  const call = async <T>(path: string, json: object): Promise<T> => {
    const response = await stage.backend.fetch(path, {
      method: 'POST',
      headers: {
        apikey: keys.publishableKey,
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(json),
    });
    return (await response.json()) as T;
  };
  const { id } = await call<{ id: string }>('/rest/v1/rpc/create_organization', { name: `Mill ${count}` });
  const path = `/auth/v1/organizations/${id}`;
  const domain = `company${count}.example`;
  const added = await call<{ id: string }>(`${path}/domains`, { domain });
  await call(`${path}/domains`, { domain: `other${count}.example` });
  await stage.backend.database
    .pool('supabase_admin')
    .query(
      sql`update _plinth.organization_domains set verified_at = now(), checked_at = now() where id = ${added.id}`,
    );
  const { url } = await call<{ url: string }>(`${path}/setup-links`, {});
  return { url, domain, id, name: `Mill ${count}` };
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function expectGood(page: Page): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    expect({ colorScheme, violations: await stateViolations(page) }).toEqual({ colorScheme, violations: [] });
  }
  expect(await scrollsSideways(page)).toBe(false);
}

/** Opens the request of a test, and returns the provider's response through the browser. */
async function answer(page: Page, idp: ReturnType<typeof createIdp>, email: string): Promise<void> {
  let request = '';
  await page.route('https://idp.example.com/**', async (route) => {
    request = route.request().url();
    await route.fulfill({ contentType: 'text/html', body: '<p>The provider</p>' });
  });
  await button(page, say('setup.test-start')).click();
  await page.getByText('The provider').waitFor();
  const { id, relayState } = readRequest(request);
  const origin = stage.backend.url;
  const xml = buildAnswer({
    acs: `${origin}/auth/v1/sso/saml/acs`,
    audience: `${origin}/auth/v1/sso/saml/metadata`,
    issuer: idp.entityId,
    inResponseTo: id,
    nameId: email,
    email,
  });
  // The provider's page would post this form over HTTPS, which this server doesn't have.
  const response = await stage.backend.fetch('/auth/v1/sso/saml/acs', {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      SAMLResponse: Buffer.from(signAnswer(idp, xml, 'Assertion')).toString('base64'),
      RelayState: relayState,
    }).toString(),
  });
  await page.goto(response.headers.get('location') ?? '');
}

describeEach(['en', 'ar'] as const)('in %s', (language) => {
  test('the link leads through settings, a test, activation and a token', withStates, async () => {
    const { url, domain, name } = await company();
    const idp = createIdp();
    const page = await newPage(language);
    await page.goto(url);
    // The page needs no scripts, and contains none.
    expect(await page.locator('script[src]').count()).toBe(0);
    // The URL no longer contains the token.
    expect(new URL(page.url()).search).toBe('');
    await page.getByRole('heading', { level: 1, name: say('page.setup') }).waitFor();
    await page.getByText(name).first().waitFor();
    await page.getByText(say('setup.test-first')).waitFor();
    await expectGood(page);

    await page.locator('summary', { hasText: say('setup.saml') }).click();
    expect(await page.locator('#acs').inputValue()).toBe(`${stage.backend.url}/auth/v1/sso/saml/acs`);
    await button(page, say('setup.save')).first().click();
    await page.getByRole('alert').getByText(say('setup.failed')).waitFor();
    await expectGood(page);

    await page.locator('summary', { hasText: say('setup.saml') }).click();
    await page.locator('#metadata-xml').fill(idp.metadata());
    await button(page, say('setup.save')).first().click();
    await page.getByText(say('setup.saved')).waitFor();

    await answer(page, idp, 'ada@elsewhere.example');
    await page.getByText(say('setup.test-other-domain', { email: 'ada@elsewhere.example' })).waitFor();
    expect(await button(page, say('setup.activate')).count()).toBe(0);
    await answer(page, idp, `ada@${domain}`);
    await page.getByText(say('setup.test-ok', { email: `ada@${domain}` })).waitFor();
    await page.locator('summary', { hasText: say('setup.test-sent') }).click();
    await page.getByText('mail', { exact: true }).waitFor();
    await expectGood(page);
    await button(page, say('setup.activate')).click();
    await page.getByText(say('setup.activated')).waitFor();

    await button(page, say('setup.scim-create')).click();
    expect(await page.locator('#token').inputValue()).toMatch(/^plinth_scim_[\w-]{43}$/);
    await expectGood(page);
    await page.goto(`${stage.backend.url}/account/organizations/setup`);
    expect(await page.locator('#token').count()).toBe(0);
    await page.getByRole('button', { name: new RegExp(`^${say('setup.scim-revoke')}`) }).click();
    await page.getByText(say('setup.token-revoked')).waitFor();
  });

  test('an unknown link shows what to do', withStates, async () => {
    const page = await newPage(language);
    await page.goto(`${stage.backend.url}/account/organizations/setup?token=${'x'.repeat(43)}`);
    await page.getByRole('heading', { level: 1, name: say('page.setup-gone') }).waitFor();
    await expectGood(page);
  });
});

describe('the requests', () => {
  test('of other sites and without the form’s token change nothing', async () => {
    const { url } = await company();
    const token = new URL(url).searchParams.get('token') ?? '';
    const post = (body: string, headers: Record<string, string>) =>
      stage.backend.fetch('/account/organizations/setup', {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          cookie: `plinth-account-setup=${token}`,
          ...headers,
        },
        body,
      });
    for (const headers of [
      {},
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
    ] as Record<string, string>[])
      expect((await post('do=create-token', headers)).status).toBe(403);
    const [row] = await stage.backend.database
      .pool('supabase_admin')
      .query<{ count: number }>(sql`select count(*)::int from _plinth.scim_tokens t
        join _plinth.organization_setup_links l using (organization_id)
        where l.hash = sha256(convert_to(${token}, 'UTF8'))`);
    expect(row?.count).toBe(0);
    const shown = await stage.backend.fetch('/account/organizations/setup', {
      headers: { cookie: `plinth-account-setup=${token}` },
    });
    expect(shown.headers.get('cache-control')).toContain('no-store');
    expect(shown.headers.get('referrer-policy')).toMatch(/same-origin|no-referrer/);
    expect(await shown.text()).not.toContain(token);
  });
});
