/** Tests the sections about domains, single sign-on and provisioning on the page of an organization. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { organizationsMigration } from '../../src/entry/cli/organizations.ts';
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

const db = () => stage.backend.database.pool('supabase_admin');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
let count = 0;

async function person(language: 'en' | 'ar') {
  await speak(language);
  const { context } = await openContext(stage.browser, {
    locale: language === 'ar' ? 'ar' : 'en-GB',
    viewport: { width: 360, height: 800 },
  });
  contexts.push(context);
  const page = await context.newPage();
  const email = `person${++count}@mail.example`;
  const id = await makeUser(stage.backend, email);
  return { id, page, token: await startSession(page, stage.backend, email) };
}

async function organizationOf(token: string): Promise<string> {
  const response = await stage.backend.fetch('/rest/v1/rpc/create_organization', {
    method: 'POST',
    headers: {
      apikey: stage.backend.keys.publishableKey,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name: `Mill ${count}` }),
  });
  return ((await response.json()) as { id: string }).id;
}

async function expectGood(page: Page): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    expect({ colorScheme, violations: await stateViolations(page) }).toEqual({ colorScheme, violations: [] });
  }
  expect(await scrollsSideways(page)).toBe(false);
}

describeEach(['en', 'ar'] as const)('in %s', (language) => {
  test('an owner adds a domain, creates a setup link and sets the rules', withStates, async () => {
    const { page, token } = await person(language);
    const id = await organizationOf(token);
    const domain = `company${count}.example`;
    await page.goto(`${stage.backend.url}/account/organizations/${id}`);
    await page.locator('#organization-domain').fill('gmail.com');
    await button(page, say('domains.add')).click();
    await page.getByRole('alert').first().waitFor();
    await page.locator('#organization-domain').fill(domain);
    await button(page, say('domains.add')).click();
    await page.getByText(`_plinth-challenge.${domain}`).waitFor();
    await expectGood(page);

    await button(page, say('connection.link-create')).click();
    await page.getByText(/\/account\/organizations\/setup\?token=/).waitFor();
    await expectGood(page);

    await db().query(sql`
      update _plinth.organization_domains set verified_at = now(), checked_at = now() where organization_id = ${id}`);
    await db().query(sql`
      insert into auth.sso_providers (id, disabled)
      select id, false from _plinth.organization_connections where organization_id = ${id}`);
    const settings = {
      kind: 'saml',
      entityId: 'https://idp.example.com/metadata',
      metadataXml: '',
      metadataUrl: null,
      readAtMs: 0,
    };
    await db().query(sql`
      update _plinth.organization_connections set settings = ${settings}, activated_at = now()
      where organization_id = ${id}`);
    await db().query(
      sql`insert into _plinth.scim_tokens (organization_id, hash) values (${id}, ${Buffer.from(id)})`,
    );
    await page.reload();
    await page.getByText(say('connection.intro-active', { host: 'idp.example.com' })).waitFor();
    // The token of the link is shown only once.
    expect(await page.getByText(/setup\?token=/).count()).toBe(0);
    await page.locator('#organization-groups').fill('Engineers');
    await button(page, say('organization.save')).first().click();
    await page.getByText(say('connection.groups-wrong')).first().waitFor();
    await page.locator('#organization-groups').fill('Engineers = admin');
    await page.getByRole('checkbox', { name: say('connection.require') }).check();
    await button(page, say('organization.save')).first().click();
    await page.getByText(say('connection.saved')).waitFor();
    const single = page.getByRole('region', { name: say('connection.title'), exact: true });
    await single.getByText(say('connection.required'), { exact: true }).waitFor();
    await expectGood(page);
    const [rules] = await db().query<{ enforced: boolean; roles: object }>(sql`
      select is_enforced as enforced, group_roles as roles from _plinth.organization_connections
      where organization_id = ${id}`);
    expect(rules).toEqual({ enforced: true, roles: [{ group: 'Engineers', role: 'admin' }] });

    await page
      .getByRole('button', {
        name: new RegExp(
          `^${say('setup.scim-revoke')}: ${say('setup.scim-token', { when: '' }).slice(0, 6)}`,
        ),
      })
      .click();
    await page.getByText(say('setup.token-revoked')).waitFor();
    await button(page, say('connection.remove')).click();
    await expectGood(page);
    await button(page, say('connection.remove')).click();
    await page.getByText(say('connection.removed')).waitFor();
  });

  test('managers see the history, newest first', withStates, async () => {
    const { id: userId, page, token } = await person(language);
    const id = await organizationOf(token);
    const domain = `company${count}.example`;
    const url = `${stage.backend.url}/account/organizations/${id}`;
    await page.goto(url);
    await page.getByText(say('history.none')).waitFor();
    const former = await makeUser(stage.backend, `former${count}@mail.example`);
    const employee = await makeUser(stage.backend, `employee${count}@${domain}`);
    await db().query(sql`
      insert into _plinth.organization_domains (organization_id, domain, token, verified_at, checked_at)
      values (${id}, ${domain}, 'x', now(), now())`);
    const record = (kind: string, actor: string, user: string | null = null, details: object = {}) =>
      db().query(sql`
        insert into _plinth.organization_events (organization_id, kind, actor, user_id, details)
        values (${id}, ${kind}, ${actor}, ${user}, ${details})`);
    await record('domain_added', 'user', userId, { domain });
    await record('domain_verified', 'setup', null, { domain });
    await record('domain_changed', 'user', userId, { domain, join_policy: 'join', join_role: 'member' });
    await record('connection_tested', 'setup', null, { ok: false });
    await record('connection_tested', 'setup', null, { ok: true });
    await record('connection_activated', 'setup', null, { kind: 'oidc' });
    await record('connection_changed', 'user', userId, { enforced: true, disabled: false });
    await record('member_added', 'scim', employee, { role: 'member' });
    await record('role_changed', 'scim', employee, { role: 'admin' });
    await record('member_removed', 'scim', employee);
    await record('member_added', 'user', former, { domain, role: 'member' });
    await record('member_added', 'server', former, { role: '<img src=x>' });
    await record('scim_token_created', 'setup');
    await record('emergency_sign_in', 'user', userId);
    await record('domain_lost', 'server', null, { domain });
    await page.reload();
    const entries = page
      .getByRole('region', { name: say('history.title'), exact: true })
      .getByRole('listitem');
    await page.getByText(say('history.domain_lost', { domain })).waitFor();
    expect(await entries.count()).toBe(6);
    await expectGood(page);
    await button(page, say('activity.older')).press('Enter');
    await expect.poll(() => entries.count()).toBe(15);
    // The button has disappeared, so the first entry that it has shown has focus.
    expect(await entries.nth(6).evaluate((entry) => entry === document.activeElement)).toBe(true);
    const shown = (await entries.allInnerTexts()).map((text) => text.replace(/[\u2066-\u2069]/g, ''));
    const own = `person${count}@mail.example`;
    const role = (key: 'member' | 'admin') => say(`role.${key}`);
    const who = `employee${count}@${domain}`;
    const plain = (text: string) => text.replace(/[\u2066-\u2069]/g, '');
    const expected = [
      [say('history.domain_lost', { domain }), say('history.by-server')],
      [say('history.emergency_sign_in', { who: own })],
      [say('history.scim_token_created'), say('history.by-setup')],
      [
        say('history.member_added', { who: say('history.former'), role: '<img src=x>' }),
        say('connection.title'),
      ],
      [say('history.member_joined', { who: say('history.former'), domain })],
      [say('history.member_removed', { who }), say('history.by-scim')],
      [say('history.role_changed', { who, role: role('admin') }), say('history.by-scim')],
      [say('history.member_added', { who, role: role('member') }), say('history.by-scim')],
      [say('history.connection_changed'), own, say('connection.required')],
      [say('history.connection_activated'), say('history.by-setup'), say('setup.oidc')],
      [say('history.connection_tested')],
      [say('history.connection_failed')],
      [say('history.domain_changed', { domain }), own, say('domains.join-join'), role('member')],
      [say('history.domain_verified', { domain }), say('history.by-setup')],
      [say('history.domain_added', { domain }), own],
    ];
    for (const [index, texts] of expected.entries())
      for (const text of texts) expect(shown[index]).toContain(plain(text));
    await expectGood(page);
  });

  test('an admin sees the domains, but not what only owners change', withStates, async () => {
    const owner = await person(language);
    const id = await organizationOf(owner.token);
    const admin = await person(language);
    await db().query(sql`
      insert into public.organization_memberships (organization_id, user_id, role) values (${id}, ${admin.id}, 'admin')`);
    await admin.page.goto(`${stage.backend.url}/account/organizations/${id}`);
    await admin.page.getByText(say('connection.owner')).waitFor();
    await admin.page.getByText(say('history.title'), { exact: true }).waitFor();
    expect(await button(admin.page, say('connection.link-create')).count()).toBe(0);
    await expectGood(admin.page);
  });
});
