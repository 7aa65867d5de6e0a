/** Tests the pages about organizations: the list, invitations, and the page of an organization. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { organizationsMigration } from '../../src/entry/cli/organizations.ts';
import { openContext, scrollsSideways } from '../web/browser.ts';
import { describeEach, stateViolations, withStates } from '../web/states.ts';
import { openApp, type TestApp } from './app.ts';
import { addAuthenticatorApp, makeUser, openStage, password, type Stage, startSession } from './harness.ts';
import { say, speak } from './keyboard/texts.ts';
import { latestMail } from './mailbox.ts';

let stage: Stage;
let app: TestApp;
beforeAll(async () => {
  app = await openApp();
  stage = await openStage(
    {
      auth: {
        site_url: app.url,
        enable_anonymous_sign_ins: true,
        email: { enable_confirmations: true, max_frequency: 0 },
        mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
      },
      plinth: { account: { organizations: true } },
    },
    { sql: organizationsMigration() },
  );
});
afterAll(async () => {
  await stage.close();
  await app.close();
});

const contexts: BrowserContext[] = [];
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
});

async function newPage(javaScriptEnabled = true, language: 'en' | 'ar' = 'en'): Promise<Page> {
  await speak(language);
  const { context } = await openContext(stage.browser, {
    javaScriptEnabled,
    locale: language === 'ar' ? 'ar' : 'en-GB',
    viewport: { width: 360, height: 800 },
  });
  contexts.push(context);
  return context.newPage();
}

let count = 0;
const unique = (name: string) => `${name}-${++count}`;
const newEmail = () => `${unique('team')}@example.com`;

interface Person {
  readonly email: string;
  readonly page: Page;
  readonly token: string;
}

/** Creates a user and signs in with a new browser. */
async function person(scripts = true, language: 'en' | 'ar' = 'en', email = newEmail()): Promise<Person> {
  const page = await newPage(scripts, language);
  await makeUser(stage.backend, email);
  return { email, page, token: await startSession(page, stage.backend, email) };
}

const open = (page: Page, path = '') => page.goto(`${stage.backend.url}/account/organizations${path}`);
const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const status = (page: Page, text: string) => page.getByRole('status').getByText(text).first().waitFor();

/** Checks a state of a page in both color schemes. */
async function expectGood(page: Page): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    expect({ colorScheme, violations: await stateViolations(page) }).toEqual({ colorScheme, violations: [] });
  }
  expect(await scrollsSideways(page)).toBe(false);
}

/** Calls the REST service as a user. */
async function rest(token: string, path: string, json?: object, method = 'POST') {
  const response = await stage.backend.fetch(`/rest/v1${path}`, {
    method: json === undefined && method === 'POST' ? 'GET' : method,
    headers: {
      apikey: stage.backend.keys.publishableKey,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      prefer: 'return=representation',
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

async function organizationOf(owner: Person, name = unique('Mill')): Promise<{ id: string; name: string }> {
  const { body } = await rest(owner.token, '/rpc/create_organization', { name });
  return { id: body.id, name };
}

async function invite(owner: Person, id: string, fields: { email?: string; role?: string } = {}) {
  const { body } = await rest(owner.token, '/rpc/invite_to_organization', { organization_id: id, ...fields });
  return (body as { token: string }[])[0]?.token ?? '';
}

async function joins(owner: Person, id: string, member: Person, role = 'member'): Promise<void> {
  const token = await invite(owner, id, { role });
  await rest(member.token, '/rpc/accept_organization_invitation', { token });
}

/** Returns the link in the latest invitation to an address. */
async function invitationLink(email: string): Promise<string> {
  const { text } = await latestMail(stage.backend, email);
  return /http\S+\/account\/organizations\/join\?token=[0-9a-f]{64}/.exec(text)?.[0] ?? '';
}

const rolesIn = async (owner: Person, id: string): Promise<Record<string, string>> => {
  const { body } = await rest(owner.token, '/rpc/organization_members', { organization_id: id });
  const members = body as { email: string; role: string }[];
  return Object.fromEntries(members.map(({ email, role }) => [email, role]));
};

/** Verifies an email domain of an organization. Returns the domain. */
async function verifyDomain(id: string, policy: 'join' | 'request' | 'never'): Promise<string> {
  const domain = `${unique('company')}.example`;
  await stage.backend.database.pool('supabase_admin').query(sql`
    insert into _plinth.organization_domains (organization_id, domain, token, verified_at, checked_at, join_policy)
    values (${id}, ${domain}, 'x', now(), now(), ${policy})`);
  return domain;
}

describeEach([
  ['en', true],
  ['en', false],
  ['ar', true],
])('in %s, scripts %s', (language, scripts) => {
  test('a user creates an organization, and an invited person without an account joins it', {
    ...withStates,
    timeout: 120_000,
  }, async () => {
    const owner = await person(scripts, language);
    const { page } = owner;
    const check = async (one: Page) => {
      if (scripts) await expectGood(one);
    };
    await open(page);
    await heading(page, say('page.organizations'));
    await page.getByText(say('organizations.none')).waitFor();
    await check(page);
    await button(page, say('organizations.create')).click();
    await page.getByText(say('field.organization-missing')).waitFor();
    await check(page);
    const name = unique('Analytical Engines');
    await page.getByLabel(say('organizations.name')).fill(name);
    await button(page, say('organizations.create')).click();
    await status(page, say('organizations.created'));
    await page
      .getByRole('link', { name: say('organizations.current', { role: say('role.owner') }) })
      .waitFor();
    await check(page);
    const [{ id }] = (await rest(owner.token, `/organizations?name=eq.${name}`)).body;

    // The page on which the owner sends the invitation requires scripts.
    const email = newEmail();
    const sent = await stage.backend.fetch('/auth/v1/organizations/invitations', {
      method: 'POST',
      headers: {
        apikey: stage.backend.keys.publishableKey,
        authorization: `Bearer ${owner.token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ organization_id: id, email, role: 'admin' }),
    });
    expect(sent.status).toBe(201);
    const link = await invitationLink(email);

    const guest = await newPage(scripts, language);
    await guest.goto(link);
    await heading(guest, say('page.invitation-open'));
    await guest.getByText(say('invitation.text', { organization: name, role: say('role.admin') })).waitFor();
    await check(guest);
    await button(guest, say('sign-in.create')).click();
    await heading(guest, say('page.sign-up'));
    await expect.poll(() => guest.getByLabel(say('field.email')).inputValue()).toBe(email);
    await guest.locator('input[name=password]').fill(password);
    await button(guest, say('sign-up.submit')).click();
    await guest.locator('input[name=code]').waitFor();
    const { code } = await latestMail(stage.backend, email, /./, /\d{6}/);
    await guest.locator('input[name=code]').fill(code);
    if (!scripts) await button(guest, say('code.submit')).click();
    await heading(guest, say('page.invitation-open'));
    await guest.getByText(say('organizations.who', { who: email })).waitFor();
    await check(guest);
    await button(guest, say('invitation.join', { organization: name })).click();
    await status(guest, say('organizations.joined'));
    await check(guest);
    expect(await rolesIn(owner, id)).toEqual({ [owner.email]: 'owner', [email]: 'admin' });

    // The invitation works once.
    await guest.goto(link);
    await heading(guest, say('page.invitation-used'));
    await check(guest);
  });

  test('a user switches between organizations, and answers invitations in the list', {
    ...withStates,
    timeout: 120_000,
  }, async () => {
    const [owner, invited] = [await person(scripts, language), await person(scripts, language)];
    const { page, email } = invited;
    const [first, second, own] = [
      await organizationOf(owner),
      await organizationOf(owner),
      await organizationOf(invited),
    ];
    const invitation = await invite(owner, first.id, { email });
    await invite(owner, second.id, { email });
    await open(page);
    const of = (action: string, name: string) => button(page, `${action}: ${name}`);
    await of(say('invitation.decline'), second.name).click();
    await status(page, say('organizations.declined'));
    // The list doesn't accept an invitation, because only the email proves that the user has the address.
    await page.getByText(say('organizations.open-mail')).waitFor();
    await open(page, `/join?token=${invitation}`);
    await button(page, say('invitation.join', { organization: first.name })).click();
    await status(page, say('organizations.joined'));
    expect(await page.getByText(say('organizations.invitations')).count()).toBe(0);
    const current = (name: string, role: 'owner' | 'member') =>
      page
        .getByRole('link', { name: new RegExp(name) })
        .filter({ hasText: say('organizations.current', { role: say(`role.${role}`) }) });
    await current(first.name, 'member').waitFor();
    await of(say('organizations.switch'), own.name).click();
    await status(page, say('organizations.switched'));
    await current(own.name, 'owner').waitFor();
    if (scripts) await expectGood(page);
    // The claims are in the session's next access token.
    const session = await page.context().request.get(`${stage.backend.url}/account/api/session`, {
      headers: { 'x-plinth-request': '1' },
    });
    const { access_token: token } = ((await session.json()) as { session: { access_token: string } }).session;
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ org_id: own.id, org_role: 'owner' });
  });

  test('a user asks to join, and withdraws the request', async () => {
    const [owner, other] = [await person(), await person(scripts, language)];
    const { page } = other;
    const { id, name } = await organizationOf(owner);
    const slug = unique('mill');
    await rest(owner.token, `/organizations?id=eq.${id}`, { slug }, 'PATCH');
    await open(page);
    const ask = async () => {
      if (!(await page.locator('#slug').isVisible()))
        await page.getByText(say('organizations.ask-title')).click();
      await page.locator('#slug').fill(slug.toUpperCase());
      await page.locator('#message').fill('Hello');
      await button(page, say('organizations.ask')).click();
    };
    await ask();
    // Organizations that don't accept requests and unknown ones have the same error.
    await page.getByText(say('error.organization_not_found')).waitFor();
    expect(await page.locator('#slug').inputValue()).toBe(slug.toUpperCase());
    await rest(owner.token, `/organizations?id=eq.${id}`, { accepts_join_requests: true }, 'PATCH');
    await ask();
    await status(page, say('organizations.requested'));
    await button(page, `${say('organizations.withdraw')}: ${name}`).click();
    await status(page, say('organizations.withdrawn'));
    expect((await rest(owner.token, '/rpc/organization_requests', { organization_id: id })).body).toEqual([]);
  });

  test('a user joins the organization of the email domain, or asks to join', withStates, async () => {
    const owner = await person();
    const [direct, asking, closed] = [
      await organizationOf(owner),
      await organizationOf(owner),
      await organizationOf(owner),
    ];
    const check = async (page: Page) => {
      if (scripts) await expectGood(page);
    };
    const ada = await person(scripts, language, `ada@${await verifyDomain(direct.id, 'join')}`);
    await open(ada.page);
    await ada.page.getByText(say('organizations.available')).waitFor();
    await check(ada.page);
    await button(ada.page, `${say('organizations.available-join')}: ${direct.name}`).press('Enter');
    await status(ada.page, say('organizations.joined'));
    await ada.page.getByText(say('organizations.current', { role: say('role.member') })).waitFor();
    expect(await ada.page.getByText(say('organizations.available')).count()).toBe(0);
    expect(await rolesIn(owner, direct.id)).toMatchObject({ [ada.email]: 'member' });

    const bob = await person(scripts, language, `bob@${await verifyDomain(asking.id, 'request')}`);
    await open(bob.page);
    await button(bob.page, `${say('organizations.available-request')}: ${asking.name}`).click();
    await status(bob.page, say('organizations.requested'));
    await bob.page.getByText(say('organizations.waiting')).waitFor();
    expect(await bob.page.getByText(say('organizations.available')).count()).toBe(0);
    await check(bob.page);
    await button(bob.page, `${say('organizations.withdraw')}: ${asking.name}`).click();
    await button(bob.page, `${say('organizations.available-request')}: ${asking.name}`).waitFor();

    const eve = await person(scripts, language, `eve@${await verifyDomain(closed.id, 'never')}`);
    await open(eve.page);
    await heading(eve.page, say('page.organizations'));
    expect(await eve.page.getByText(say('organizations.available')).count()).toBe(0);
  });

  test('an organization that is no longer available is not joined', withStates, async () => {
    const owner = await person();
    const { id, name } = await organizationOf(owner, '<b data-section="requests">%PLINTH_NONCE%\u202eX</b>');
    const domain = await verifyDomain(id, 'join');
    const { page } = await person(scripts, language, `${unique('ada')}@${domain}`);
    await open(page);
    const joining = button(page, `${say('organizations.available-join')}: ${name}`);
    await joining.waitFor();
    expect(await page.locator('main b').count()).toBe(0);
    await stage.backend.database
      .pool('supabase_admin')
      .query(sql`update _plinth.organization_domains set join_policy = 'never' where domain = ${domain}`);
    await joining.click();
    await page.getByText(say('field.organization-closed')).waitFor();
    if (scripts) await expectGood(page);
    expect(Object.keys(await rolesIn(owner, id))).toEqual([owner.email]);
  });
});

describe('the page of an organization', () => {
  test('the owner invites, changes roles, approves requests, transfers and leaves', {
    ...withStates,
    timeout: 180_000,
  }, async () => {
    const [owner, member, asking] = [await person(), await person(), await person()];
    const { page } = owner;
    const { id, name } = await organizationOf(owner, `Mill & <b>Söhne</b> ${unique('x')}`);
    await joins(owner, id, member);
    await open(page);
    await page.getByRole('link', { name }).click();
    await heading(page, say('page.organization'));
    await page.getByRole('heading', { name, exact: true }).waitFor();
    const check = () => expectGood(page);
    await button(page, say('organization.switch')).click();
    await status(page, say('organization.switched', { organization: name }));
    await page.getByText(say('organization.current'), { exact: true }).waitFor();

    // A custom role, which the invitation uses.
    await button(page, say('roles.add')).click();
    await button(page, say('roles.add')).click();
    await page.getByText(say('roles.name-missing')).first().waitFor();
    await page.getByLabel(say('roles.name'), { exact: true }).first().fill('Billing team');
    await page.getByLabel(say('roles.rank-field')).fill('100');
    await button(page, say('roles.add')).click();
    await page
      .getByText(say('roles.rank-wrong', { max: 99 }))
      .first()
      .waitFor();
    await page.getByLabel(say('roles.rank-field')).fill('20');
    await check();
    await button(page, say('roles.add')).click();
    await status(page, say('roles.added', { role: 'Billing team' }));

    const email = newEmail();
    await page.locator('#invite-email').fill('eve');
    await button(page, say('invite.send')).click();
    await page.getByText(say('field.email-wrong')).first().waitFor();
    await page.locator('#invite-email').fill(email);
    await page.locator('#invite-role').selectOption('billing_team');
    await button(page, say('invite.send')).click();
    await status(page, say('invite.sent', { email }));
    expect(await invitationLink(email)).toContain(stage.backend.url);
    const withdraw = button(page, say('invite.withdraw-what', { name: email }));
    await withdraw.waitFor();
    await button(page, say('invite.resend-what', { email })).click();
    await status(page, say('invite.sent', { email }));
    await withdraw.click();
    await status(page, say('invite.withdrawn'));
    await withdraw.waitFor({ state: 'detached' });

    await button(page, say('invite.link')).click();
    const link = await page.locator('code').filter({ hasText: 'token=' }).innerText();
    await check();
    const joining = await person();
    await joining.page.goto(link);
    await button(joining.page, say('invitation.join', { organization: name })).click();
    await status(joining.page, say('organizations.joined'));
    expect((await rolesIn(owner, id))[joining.email]).toBe('billing_team');

    // Requests to join
    await button(page, say('requests.turn-on')).click();
    await button(page, say('requests.turn-off')).waitFor();
    const [{ slug }] = (await rest(owner.token, `/organizations?id=eq.${id}`)).body;
    await rest(asking.token, '/rpc/request_to_join_organization', { slug, message: 'Hello' });
    await page.reload();
    await page.getByText('Hello').waitFor();
    await button(page, say('requests.approve-what', { who: asking.email })).click();
    await check();
    await button(page, say('requests.approve')).click();
    await status(page, say('requests.approved', { who: asking.email }));

    // Roles and removal
    await button(page, say('members.role-what', { who: member.email })).click();
    await page
      .getByRole('form', { name: say('members.role-what', { who: member.email }) })
      .locator('select')
      .selectOption('admin');
    await check();
    await button(page, say('organization.save')).first().click();
    await status(page, say('members.role-changed', { who: member.email, role: say('role.admin') }));
    await button(page, say('members.remove-what', { who: asking.email })).click();
    await button(page, say('members.remove')).click();
    await status(page, say('members.removed', { who: asking.email }));
    expect(await rolesIn(owner, id)).toEqual({
      [owner.email]: 'owner',
      [member.email]: 'admin',
      [joining.email]: 'billing_team',
    });
    await button(page, say('roles.remove-what', { role: 'Billing team' })).click();
    await button(page, say('roles.remove')).click();
    await page.getByText(say('error.role_in_use')).waitFor();

    // The only owner can't leave, and transfers the organization first.
    await page.getByText(say('leave.owner')).waitFor();
    expect(await button(page, say('leave.leave')).count()).toBe(0);
    await button(page, say('leave.transfer')).click();
    await page.locator('#transfer-member').selectOption({ label: member.email });
    await check();
    await button(page, say('leave.transfer')).click();
    await status(page, say('leave.transferred', { who: member.email }));
    expect((await rolesIn(owner, id))[owner.email]).toBe('admin');
    await button(page, say('leave.leave')).click();
    await check();
    await button(page, say('leave.leave')).click();
    await status(page, say('organizations.left'));
    expect(Object.keys(await rolesIn(member, id))).not.toContain(owner.email);

    // The page of an organization of which the user isn't a member anymore, and of an unknown one.
    for (const one of [id, '00000000-0000-4000-8000-000000000000']) {
      await open(page, `/${one}`);
      await page.getByText(say('organization.gone')).waitFor();
    }
    expect((await open(page, '/nowhere'))?.status()).toBe(404);
  });

  test('the owner renames and deletes the organization, and confirms the identity first', {
    ...withStates,
    timeout: 120_000,
  }, async () => {
    const owner = await person();
    const { page, email } = owner;
    const [{ id, name }, other] = [await organizationOf(owner), await organizationOf(owner)];
    const slug = unique('short');
    await rest(owner.token, `/organizations?id=eq.${other.id}`, { slug }, 'PATCH');
    await open(page, `/${id}`);
    await page.locator('#organization-slug').fill('Not a slug');
    await button(page, say('organization.save')).click();
    await page.getByText(say('settings.slug-wrong')).first().waitFor();
    await page.locator('#organization-slug').fill(slug);
    await button(page, say('organization.save')).click();
    await page.getByText(say('error.slug_taken')).first().waitFor();
    await page.locator('#organization-slug').fill(unique('short'));
    await page.locator('#organization-name').fill(`${name} 2`);
    await button(page, say('organization.save')).click();
    await status(page, say('settings.saved'));
    await page.getByRole('heading', { name: `${name} 2`, exact: true }).waitFor();

    // The sign-in is too old.
    await stage.backend.database.pool('supabase_admin').query(
      sql`update auth.mfa_amr_claims set created_at = now() - interval '1 hour', updated_at = now() - interval '1 hour'
        where session_id in (select s.id from auth.sessions s join auth.users u on u.id = s.user_id where u.email = ${email})`,
    );
    await page.context().request.post(`${stage.backend.url}/account/api/refresh`, {
      headers: { 'x-plinth-request': '1' },
      data: {},
    });
    await page.reload();
    await button(page, say('leave.delete')).click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    const elsewhere = await dialog.getByRole('link', { name: say('reconfirm.other') }).getAttribute('href');
    expect(elsewhere).toBe(`/account/sign-in?next=organizations&organization=${id}&again=1`);
    await dialog.locator('input[type=password]').fill(password);
    await dialog.locator('button[type=submit]').first().click();
    await page.locator('#organization-confirm').fill(name);
    await button(page, say('leave.delete-confirm')).click();
    await page
      .getByText(say('leave.delete-mismatch', { organization: `${name} 2` }))
      .first()
      .waitFor();
    await page.locator('#organization-confirm').fill(`${name} 2`);
    await expectGood(page);
    await button(page, say('leave.delete-confirm')).click();
    await status(page, say('organizations.deleted'));
    expect((await rest(owner.token, `/organizations?id=eq.${id}`)).body).toEqual([]);
  });

  test('a member sees the members without their addresses, and nothing to manage', withStates, async () => {
    const [owner, member] = [await person(), await person()];
    const { page } = member;
    const { id } = await organizationOf(owner);
    await joins(owner, id, member);
    await open(page, `/${id}`);
    await page.getByText(say('members.count', { count: 2 })).waitFor();
    await page.getByText(say('members.unnamed')).waitFor();
    expect(await page.getByText(owner.email).count()).toBe(0);
    const headings = await page.getByRole('heading', { level: 2 }).allInnerTexts();
    expect(headings.slice(1)).toEqual([say('members.title'), say('leave.title-member')]);
    await expectGood(page);
    await button(page, say('leave.leave')).click();
    await button(page, say('leave.leave')).click();
    await status(page, say('organizations.left'));
  });

  test('after signing in, the user is back on the page', async () => {
    const owner = await person();
    const { id, name } = await organizationOf(owner);
    const page = await newPage();
    await open(page, `/${id}`);
    await heading(page, say('page.sign-in'));
    await page.getByLabel(say('field.email')).fill(owner.email);
    await button(page, say('sign-in.next')).click();
    await page.locator('input[name=password]').fill(password);
    await button(page, say('sign-in.submit')).click();
    await page.getByRole('heading', { name, exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/account/organizations/${id}`);
  });

  test('the account page leads to the list', async () => {
    const { page } = await person();
    await page.goto(`${stage.backend.url}/account/security`);
    await page.getByRole('link', { name: say('security.organizations'), exact: true }).click();
    await heading(page, say('page.organizations'));
  });

  test('without scripts, the page leads to the list', async () => {
    const owner = await person(false);
    const { id } = await organizationOf(owner);
    // If Playwright disables scripts, Chromium doesn't show noscript elements.
    await owner.page.route(`**/account/organizations/${id}`, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace(/<\/?noscript[^>]*>/g, '');
      await route.fulfill({ response, body });
    });
    await open(owner.page, `/${id}`);
    await owner.page.getByText(say('organization.scripts')).waitFor();
    await owner.page.getByRole('link', { name: say('organization.all') }).click();
    await heading(owner.page, say('page.organizations'));
  });
});

describe('invitations', () => {
  test('for another address, the user adds the right account', {
    ...withStates,
    timeout: 120_000,
  }, async () => {
    const [owner, wrong] = [await person(), await person()];
    const { page } = wrong;
    const { id, name } = await organizationOf(owner);
    const email = newEmail();
    await makeUser(stage.backend, email);
    const token = await invite(owner, id, { email });
    await open(page, `/join?token=${token}`);
    await heading(page, say('page.invitation-other'));
    await page.getByText(say('invitation.wrong', { email, who: wrong.email })).waitFor();
    await expectGood(page);
    await button(page, say('invitation.other')).click();
    await heading(page, say('page.sign-in'));
    await expect.poll(() => page.getByLabel(say('field.email')).inputValue()).toBe(email);
    await button(page, say('sign-in.next')).click();
    await page.locator('input[name=password]').fill(password);
    await button(page, say('sign-in.submit')).click();
    await button(page, say('invitation.join', { organization: name })).click();
    await status(page, say('organizations.joined'));
    expect(await rolesIn(owner, id)).toEqual({ [owner.email]: 'owner', [email]: 'member' });
  });

  test('expired, withdrawn, unknown, and of an inviter who lost the role', withStates, async () => {
    const [owner, admin, reader] = [await person(), await person(), await person()];
    const { page } = reader;
    const { id } = await organizationOf(owner);
    await joins(owner, id, admin, 'admin');
    const expired = await invite(owner, id);
    await stage.backend.database
      .pool('postgres')
      .query(sql`update public.organization_invitations set expires_at = now() - interval '1 minute'
        where organization_id = ${id} and accepted_at is null`);
    const opened = await open(page, `/join?token=${expired}`);
    expect(opened?.status()).toBe(410);
    await heading(page, say('page.invitation-expired'));
    await expectGood(page);
    const ofAdmin = await invite(admin, id);
    await rest(
      owner.token,
      `/organization_memberships?organization_id=eq.${id}&role=eq.admin`,
      { role: 'member' },
      'PATCH',
    );
    await open(page, `/join?token=${ofAdmin}`);
    await heading(page, say('page.invitation-expired'));
    for (const token of ['0'.repeat(64), 'x', '', `${'0'.repeat(64)}%27`]) {
      const response = await open(page, `/join?token=${token}`);
      expect(response?.status()).toBe(404);
      await heading(page, say('page.invitation-none'));
    }
    await expectGood(page);
  });

  test('a member who opens another invitation learns that nothing changes', async () => {
    const owner = await person();
    const { page } = owner;
    const { id, name } = await organizationOf(owner);
    const token = await invite(owner, id);
    await open(page, `/join?token=${token}`);
    await button(page, say('invitation.join', { organization: name })).click();
    await heading(page, say('page.invitation-member'));
    expect(await rolesIn(owner, id)).toEqual({ [owner.email]: 'owner' });
  });

  test('a sign-up that is confirmed with the link in the email leads back to the invitation', async () => {
    const owner = await person();
    const { id, name } = await organizationOf(owner);
    const email = newEmail();
    const page = await newPage();
    await open(page, `/join?token=${await invite(owner, id, { email })}`);
    await button(page, say('sign-in.create')).click();
    await page.locator('input[name=password]').fill(password);
    await button(page, say('sign-up.submit')).click();
    await page.locator('input[name=code]').waitFor();
    await page.goto((await latestMail(stage.backend, email, /./, /\/account\/confirm/)).link);
    // The browser in which the user signed up continues without another click.
    await button(page, say('invitation.join', { organization: name })).waitFor();
  });

  test('a guest signs in first', async () => {
    const owner = await person();
    const { id } = await organizationOf(owner);
    const token = await invite(owner, id);
    const page = await newPage();
    await page.context().request.post(`${stage.backend.url}/account/api/guest`, {
      headers: { 'x-plinth-request': '1' },
      data: {},
    });
    await open(page, `/join?token=${token}`);
    await page.getByText(say('invitation.sign-in-link')).waitFor();
    await open(page);
    await page.getByText(say('organizations.guest')).waitFor();
  });
});

/** Posts a form of the page, with the page's cookies and CSRF token. */
async function post(page: Page, path: string, form: Record<string, string>, hasMark = true) {
  const mark =
    (await page.context().cookies()).find(({ name }) => name === 'plinth-account-form')?.value ?? '';
  return page.context().request.post(`${stage.backend.url}/account/organizations${path}`, {
    form: { ...form, ...(hasMark ? { mark } : {}) },
    maxRedirects: 0,
  });
}

describe('security', () => {
  test('of two people who accept the same link at the same time, one joins', async () => {
    const [owner, one, two] = [await person(), await person(), await person()];
    const { id } = await organizationOf(owner);
    const token = await invite(owner, id);
    for (const { page } of [one, two]) await open(page, `/join?token=${token}`);
    const responses = await Promise.all(
      [one, two].map(({ page }) => post(page, `/join?token=${token}`, { do: 'accept' })),
    );
    const targets = responses.map((response) => response.headers().location ?? '');
    expect(targets.filter((target) => target.endsWith('done=joined'))).toHaveLength(1);
    const loser = targets[0]?.endsWith('done=joined') ? two : one;
    await open(loser.page, `/join?token=${token}`);
    await heading(loser.page, say('page.invitation-used'));
    expect(Object.values(await rolesIn(owner, id)).sort()).toEqual(['member', 'owner']);
  });

  test('opening an invitation accepts nothing, and forms without the token are rejected', async () => {
    const [owner, invited] = [await person(), await person()];
    const { page, email } = invited;
    const { id } = await organizationOf(owner);
    const token = await invite(owner, id, { email });
    await open(page, `/join?token=${token}`);
    await open(page);
    expect((await post(page, `/join?token=${token}`, { do: 'accept' }, false)).status()).toBe(403);
    expect((await post(page, '', { name: 'Forged' }, false)).status()).toBe(403);
    expect(await rolesIn(owner, id)).toEqual({ [owner.email]: 'owner' });
    expect((await rest(invited.token, '/organizations')).body).toEqual([]);
  });

  test("guessed IDs don't switch to, join or change another organization", async () => {
    const [owner, stranger] = [await person(), await person()];
    const { page } = stranger;
    const { id } = await organizationOf(owner);
    await organizationOf(stranger);
    const email = newEmail();
    await invite(owner, id, { email });
    const [invitation] = (await rest(owner.token, `/organization_invitations?organization_id=eq.${id}`)).body;
    await rest(owner.token, `/organizations?id=eq.${id}`, { accepts_join_requests: true }, 'PATCH');
    await open(page);
    const forms: readonly Record<string, string>[] = [
      { switch: id },
      { decline: invitation.id },
      { withdraw: invitation.id },
    ];
    for (const form of forms) await post(page, '', form);
    await open(page);
    expect(await page.getByText(say('organizations.current', { role: say('role.owner') })).count()).toBe(0);
    expect(await rolesIn(owner, id)).toEqual({ [owner.email]: 'owner' });
    const left = (await rest(owner.token, `/organization_invitations?organization_id=eq.${id}`)).body;
    expect(left).toHaveLength(1);
    // The owner of another organization reads and changes nothing with the calls that the page makes.
    for (const [path, json, method] of [
      [`/organizations?id=eq.${id}`, { name: 'Mine' }, 'PATCH'],
      [`/organization_memberships?organization_id=eq.${id}`, { role: 'member' }, 'PATCH'],
      [`/organization_memberships?organization_id=eq.${id}`, {}, 'DELETE'],
      [`/organization_invitations?organization_id=eq.${id}`, {}, 'DELETE'],
    ] as const)
      expect((await rest(stranger.token, path, json, method)).body).toEqual([]);
    for (const name of ['organization_members', 'organization_requests'])
      expect((await rest(stranger.token, `/rpc/${name}`, { organization_id: id })).body).toEqual([]);
  });

  test("a member who isn't a manager can't do more over REST than on the page", async () => {
    const [owner, member, asking] = [await person(), await person(), await person()];
    const { id } = await organizationOf(owner);
    await joins(owner, id, member);
    await rest(owner.token, `/organizations?id=eq.${id}`, { accepts_join_requests: true }, 'PATCH');
    const [{ slug }] = (await rest(owner.token, `/organizations?id=eq.${id}`)).body;
    const { body: requestId } = await rest(asking.token, '/rpc/request_to_join_organization', { slug });
    expect((await rest(member.token, '/rpc/organization_requests', { organization_id: id })).body).toEqual(
      [],
    );
    const refused = [
      ['/rpc/approve_organization_join_request', { request_id: requestId }],
      ['/rpc/invite_to_organization', { organization_id: id }],
      [
        '/rpc/transfer_organization',
        { organization_id: id, user_id: '00000000-0000-4000-8000-000000000000' },
      ],
      ['/rpc/delete_organization', { organization_id: id }],
      ['/organization_roles', { organization_id: id, key: 'boss', name: 'Boss', rank: 99 }],
    ] as const;
    for (const [path, json] of refused)
      expect([403, 404]).toContain((await rest(member.token, path, json)).status);
    expect(await rolesIn(owner, id)).toEqual({ [owner.email]: 'owner', [member.email]: 'member' });
    // Managers see who asks. An address that isn't confirmed could belong to another person.
    const asked = async () =>
      (await rest(owner.token, '/rpc/organization_requests', { organization_id: id })).body[0].email;
    expect(await asked()).toBe(asking.email);
    await stage.backend.database
      .pool('supabase_admin')
      .query(sql`update auth.users set email_confirmed_at = null where email = ${asking.email}`);
    expect(await asked()).toBe(null);
  });

  test('a second factor is required before the pages', async () => {
    const email = newEmail();
    await makeUser(stage.backend, email);
    await addAuthenticatorApp(stage.backend, email);
    const page = await newPage();
    await startSession(page, stage.backend, email);
    const owner = await person();
    const invitation = await invite(owner, (await organizationOf(owner)).id, { email });
    for (const path of ['', '/00000000-0000-4000-8000-000000000000', `/join?token=${invitation}`]) {
      await open(page, path);
      await heading(page, say('page.mfa'));
    }
    expect(new URL(page.url()).searchParams.get('invitation')).toBe(invitation);
  });

  test('names are text', async () => {
    const owner = await person();
    const name = '<img src=x onerror=alert(1)>%PLINTH_NONCE%';
    const { id } = await organizationOf(owner, name);
    await open(owner.page);
    await owner.page.getByText(name).waitFor();
    const token = await invite(owner, id);
    await open(owner.page, `/join?token=${token}`);
    await button(owner.page, say('invitation.join', { organization: name })).waitFor();
    expect(await owner.page.locator('main img').count()).toBe(0);
  });
});

test('an app that opens the list gets a session in the organization that the user chooses', async () => {
  const owner = await person();
  const { page } = owner;
  const { id, name } = await organizationOf(owner);
  const { search, verifier } = app.startSignIn();
  const { url, keys } = stage.backend;
  await page.goto(`${url}/auth/v1/authorize?provider=custom:account&page=organizations&${search.slice(1)}`);
  await button(page, `${say('organizations.switch')}: ${name}`).click();
  await page.getByRole('link', { name: say('plain.continue', { host: new URL(app.url).host }) }).click();
  await page.waitForURL(`${app.url}?code=*`);
  const claimsAfter = async (grant: string, json: object) => {
    const response = await stage.backend.fetch(`/auth/v1/token?grant_type=${grant}`, {
      method: 'POST',
      headers: { apikey: keys.publishableKey, 'content-type': 'application/json' },
      body: JSON.stringify(json),
    });
    const tokens = (await response.json()) as { access_token: string; refresh_token: string };
    const claims = Buffer.from(tokens.access_token.split('.')[1] ?? '', 'base64url').toString();
    return { claims: JSON.parse(claims) as object, refresh_token: tokens.refresh_token };
  };
  const auth_code = new URL(page.url()).searchParams.get('code');
  const first = await claimsAfter('pkce', { auth_code, code_verifier: verifier });
  expect(first.claims).toMatchObject({ org_id: id, org_role: 'owner' });
  const { refresh_token } = first;
  const next = await claimsAfter('refresh_token', { refresh_token });
  expect(next.claims).toMatchObject({ org_id: id, org_role: 'owner' });
});

test('the list offers no way to an app that the project does not allow', async () => {
  const { page } = await person();
  await open(page, `?redirect_to=https%3A%2F%2Fevil.example&code_challenge=${'a'.repeat(43)}`);
  await heading(page, say('page.organizations'));
  expect(await page.getByRole('link', { name: /evil/ }).count()).toBe(0);
});

test.each([
  ['the setting is off', { account: { organizations: false } }, organizationsMigration()],
  ['the migration is missing', { account: { organizations: true } }, undefined],
])('if %s, the pages answer 404', async (_, plinth, script) => {
  const own = await openStage({ plinth }, script === undefined ? {} : { sql: script });
  try {
    const { context } = await openContext(own.browser);
    contexts.push(context);
    const page = await context.newPage();
    await makeUser(own.backend, 'ada@example.com');
    await startSession(page, own.backend, 'ada@example.com');
    const statusOf = async (path: string) =>
      (await page.goto(`${own.backend.url}/account/organizations${path}`))?.status();
    expect(await statusOf('')).toBe(404);
    expect(await statusOf(`/join?token=${'0'.repeat(64)}`)).toBe(404);
    if (!plinth.account.organizations) {
      expect(await statusOf('/00000000-0000-4000-8000-000000000000')).toBe(404);
      await page.goto(`${own.backend.url}/account/security`);
      await page.getByText('ada@example.com').first().waitFor();
      expect(await page.getByRole('link', { name: 'Organizations' }).count()).toBe(0);
    }
  } finally {
    await own.backend.stop();
  }
});
