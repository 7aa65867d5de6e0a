/**
 * Tests what "This wasn't me" removes and keeps, how devices are recognized, and which sign-in methods stop working
 * when a domain gets a connection (decisions 64 to 66).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { currentStep, totpCode } from '../../src/base/shared/one-time-codes.ts';
import { type CreationOptions, SoftwareAuthenticator } from './authenticator.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';
import { signIn as connectApp, register } from './oauth-server/client.ts';
import { buildAnswer, createIdp, postAnswer, signAnswer } from './saml-idp.ts';

const password = 'correct horse';
const hour = 3_600_000;
const origin = 'https://app.example';
let auth: AuthServer;
beforeAll(async () => {
  auth = await startAuth(
    {
      site_url: origin,
      enable_manual_linking: true,
      email: { double_confirm_changes: false, enable_confirmations: true },
      mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
      passkey: { enabled: true },
      webauthn: { rp_id: 'app.example', rp_display_name: 'Example', rp_origins: [origin] },
      oauth_server: { enabled: true, allow_dynamic_registration: true },
    },
    {
      servesAccount: true,
      trustedProxies: ['127.0.0.1'],
      plinth: {
        auth: {
          security: { notices: 'always', undo_period: 48 * hour },
          saml: { enabled: true, enforced_domains: ['*'] },
        },
      },
    },
  );
});
afterAll(() => auth.stop());

const own = () => auth.database.pool('supabase_admin');

async function newUser(email = newEmail()): Promise<{ email: string; id: string }> {
  const { data } = await auth.admin().auth.admin.createUser({ email, password, email_confirm: true });
  return { email, id: data.user?.id ?? '' };
}

interface Where {
  readonly ip?: string;
  readonly userAgent?: string;
}

/** Signs in with a stock client. Returns the access token, or undefined if the sign-in is rejected. */
async function signIn(email: string, { ip = '203.0.113.7', userAgent = '' }: Where = {}): Promise<string> {
  const response = await auth.request('/token?grant_type=password', {
    json: { email, password },
    headers: { 'x-forwarded-for': ip, 'user-agent': userAgent },
  });
  return (await response.json<{ access_token: string }>()).access_token;
}

async function post<T>(path: string, token: string, json: object = {}): Promise<T> {
  const response = await auth.request(path, { token, json });
  const body = await response.json<T>();
  if (response.status >= 300) throw new Error(`${path}: ${JSON.stringify(body)}`);
  return body;
}

/** Adds an authenticator app. Returns an access token of the session in which the app was verified. */
async function addFactor(token: string): Promise<string> {
  const { id, totp } = await post<{ id: string; totp: { secret: string } }>('/factors', token, {
    factor_type: 'totp',
    friendly_name: crypto.randomUUID(),
  });
  const { id: challenge_id } = await post<{ id: string }>(`/factors/${id}/challenge`, token);
  const code = totpCode(totp.secret, currentStep(auth.clock.now()));
  const raised = await post<{ access_token: string }>(`/factors/${id}/verify`, token, { challenge_id, code });
  return raised.access_token;
}

async function addPasskey(token: string): Promise<SoftwareAuthenticator> {
  const authenticator = new SoftwareAuthenticator(origin);
  const { challenge_id, options } = await post<{
    challenge_id: string;
    options: CreationOptions & Record<string, unknown>;
  }>('/passkeys/registration/options', token);
  await post('/passkeys/registration/verify', token, {
    challenge_id,
    credential: authenticator.create(options),
  });
  return authenticator;
}

/** Writes the rows that the provider's callback writes when an identity is linked. */
async function addIdentity(userId: string): Promise<void> {
  const [identity, now] = [crypto.randomUUID(), new Date(auth.clock.now()).toISOString()];
  await own().query(sql`
    insert into auth.identities (id, provider_id, user_id, identity_data, provider, created_at)
    values (${identity}, ${identity}, ${userId}, ${{ sub: identity }}::jsonb, 'github', ${now})`);
  await own().query(sql`
    insert into _plinth.security_events (id, user_id, kind, actor, details, created_at)
    values (gen_random_uuid(), ${userId}, 'identity_linked', 'user', ${{ identity_id: identity }}::jsonb, ${now})`);
}

/** Returns the number of factors, passkeys and other items in the account. */
async function contentsOf(userId: string) {
  const [row] = await own().query<Record<string, number>>(sql`select
    (select count(*)::int from auth.mfa_factors where user_id = ${userId}) as factors,
    (select count(*)::int from auth.webauthn_credentials where user_id = ${userId}) as passkeys,
    (select count(*)::int from auth.identities where user_id = ${userId}) as identities,
    (select count(*)::int from auth.oauth_consents where user_id = ${userId} and revoked_at is null) as apps,
    coalesce((select cardinality(hashes) from _plinth.recovery_codes where user_id = ${userId}), 0) as codes,
    (select count(*)::int from auth.sessions where user_id = ${userId}) as sessions`);
  return row;
}

/** Waits for a notice and returns its link. */
async function linkTo(email: string, subject: RegExp): Promise<string> {
  const found = async () => (await auth.inbox(email)).find((mail) => subject.test(mail.subject ?? ''));
  await expect.poll(found, { timeout: 10_000 }).toBeDefined();
  return /http\S+\/account\/not-me\?token=\S+/.exec((await found())?.text ?? '')?.[0] ?? '';
}

/** Presses the button on the page that a notice links to. Returns the address of the next page. */
async function press(link: string): Promise<string> {
  const page = await fetch(link);
  const cookie = page.headers.getSetCookie().map((one) => one.split(';', 1)[0]);
  const mark = /name="mark" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
  const response = await fetch(link, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookie.join('; '), origin: auth.url },
    body: new URLSearchParams({ mark, token: new URL(link).searchParams.get('token') ?? '' }),
  });
  return response.headers.get('location') ?? String(response.status);
}

const eventsOf = async (token: string) => {
  const { events } = await (await auth.request('/user/security-events', { token })).json<{
    events: readonly { readonly kind: string; readonly details: Record<string, unknown> }[];
  }>();
  return events;
};

describe('"This wasn’t me"', () => {
  test('removes everything that was added after the event', async () => {
    const { email, id } = await newUser();
    await signIn(email);
    const attacker = await addFactor(await signIn(email, { ip: '198.51.100.9' }));
    await addPasskey(attacker);
    await addIdentity(id);
    await post('/factors/recovery-codes', attacker);
    const client = await register(auth);
    const { tokens } = await connectApp(auth, client, { id, email, token: attacker }, { scope: 'openid' });
    expect(await contentsOf(id)).toMatchObject({
      factors: 1,
      passkeys: 1,
      identities: 2,
      apps: 1,
      codes: 10,
    });
    expect(await press(await linkTo(email, /New sign-in/))).toBe('/account/secured');
    expect(await contentsOf(id)).toEqual({
      factors: 0,
      passkeys: 0,
      identities: 1,
      apps: 0,
      codes: 0,
      sessions: 0,
    });
    const refresh = await fetch(`${auth.url}/auth/v1/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: tokens.refresh_token,
        client_id: client.client_id,
        ...(client.client_secret === undefined ? {} : { client_secret: client.client_secret }),
      }),
    });
    expect(refresh.status).toBe(400);
  });

  test('keeps the second factor and the passkey that the account had before', async () => {
    const { email, id } = await newUser();
    const owner = await addFactor(await signIn(email));
    await addPasskey(owner);
    await post('/factors/recovery-codes', owner);
    await signIn(email, { ip: '198.51.100.10' });
    expect(await press(await linkTo(email, /New sign-in/))).toBe('/account/secured-factor');
    expect(await contentsOf(id)).toMatchObject({ factors: 1, passkeys: 1, codes: 10, sessions: 0 });
  });

  test('leaves the account without an address if another confirmed account has the old one', async () => {
    const { email, id } = await newUser();
    const token = await signIn(email);
    await auth.request('/user', { method: 'PUT', token, json: { email: newEmail() } });
    const next = (await auth.admin().auth.admin.getUserById(id)).data.user?.new_email ?? '';
    const code = /(?<!\d)\d{6}(?!\d)/.exec((await auth.inbox(next))[0]?.text ?? '')?.[0];
    await auth.request('/verify', { json: { type: 'email_change', email: next, token: code } });
    await newUser(email);
    expect(await press(await linkTo(email, /address was changed/))).toBe('/account/secured-none');
    const { data } = await auth.admin().auth.admin.getUserById(id);
    expect([data.user?.email ?? '', data.user?.identities?.length ?? 0]).toEqual(['', 0]);
    expect(await signIn(next)).toBeUndefined();
  });

  test('sends an SSO user back to the identity provider', async () => {
    const { email, id } = await newUser();
    await signIn(email);
    await signIn(email, { ip: '198.51.100.11' });
    const link = await linkTo(email, /New sign-in/);
    // An account that was created through an SSO connection has no password to recover.
    await own().query(sql`update auth.users set is_sso_user = true where id = ${id}`);
    expect(await press(link)).toBe('/account/secured-sso');
  });
});

describe('a device', () => {
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0';
  const isNew = async (email: string, where: Where) =>
    (await eventsOf(await signIn(email, where)))[0]?.details.new_device === true;

  test('without cookies is recognized by its browser, its system and its network', async () => {
    const { email } = await newUser();
    const known = { ip: '203.0.113.7', userAgent: firefox };
    // The first device of an account isn't treated as new.
    expect(await isNew(email, known)).toBe(false);
    expect(await isNew(email, { ...known, ip: '203.0.113.200' })).toBe(false);
    expect(await isNew(email, { ...known, userAgent: firefox.replaceAll('150.0', '151.0') })).toBe(false);
    expect(
      await isNew(email, { ...known, userAgent: firefox.replace('X11; Linux x86_64', 'Windows NT 10.0') }),
    ).toBe(true);
    expect(await isNew(email, { ...known, ip: '203.0.114.7' })).toBe(true);
  });

  test('on the Account pages is recognized by its cookie, which doesn’t connect two users in the database', async () => {
    const device = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
    const enter = (email: string, cookie: string, ip: string) =>
      fetch(`${auth.url}/account/api/sign-in`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-plinth-request': '1',
          'x-forwarded-for': ip,
          cookie: `plinth-account-device=${cookie}`,
        },
        body: JSON.stringify({ email, password }),
      });
    const [one, other] = [await newUser(), await newUser()];
    for (const [email, ip] of [
      [one.email, '203.0.113.1'],
      [one.email, '198.51.100.1'],
      [other.email, '203.0.113.1'],
    ] as const)
      expect((await enter(email, device, ip)).status).toBe(200);
    const rows = await own().query<{ user_id: string; browser: string }>(sql`
      select user_id, browser from _plinth.session_browsers where user_id in (${one.id}, ${other.id})`);
    const browsersOf = (id: string) =>
      new Set(rows.filter((row) => row.user_id === id).map(({ browser }) => browser));
    expect([browsersOf(one.id).size, browsersOf(other.id).size]).toEqual([1, 1]);
    expect(new Set(rows.map(({ browser }) => browser)).size).toBe(2);
    expect(JSON.stringify(rows)).not.toContain(device);
    const devices = await own().query<{ device: string }>(
      sql`select device::text from _plinth.known_devices where user_id in (${one.id}, ${other.id})`,
    );
    expect(devices).toHaveLength(2);
    expect(JSON.stringify(devices)).not.toContain(device);
  });
});

describe('with "*", every domain that has a connection requires SSO', () => {
  const idp = createIdp();

  test('from the moment that it gets the connection, and existing sessions stay valid', async () => {
    const domain = 'later.example';
    const { email } = await newUser(`ada@${domain}`);
    const client = auth.client();
    expect((await client.auth.signInWithPassword({ email, password })).error).toBeNull();
    const token = (await client.auth.getSession()).data.session?.access_token ?? '';
    const passkey = await addPasskey(token);
    const byPasskey = async () => {
      const { challenge_id, options } = await (
        await auth.request('/passkeys/authentication/options', {
          json: {},
        })
      ).json<{
        challenge_id: string;
        options: { challenge: string; rpId: string } & Record<string, unknown>;
      }>();
      const credential = passkey.get(options);
      return auth.request('/passkeys/authentication/verify', { json: { challenge_id, credential } });
    };
    expect((await byPasskey()).status).toBe(200);

    const added = await auth.request('/admin/sso/providers', {
      token: auth.keys.serviceRoleKey,
      json: { type: 'saml', metadata_xml: idp.metadata(), domains: [domain] },
    });
    expect(added.status).toBe(201);
    expect((await client.auth.refreshSession()).error).toBeNull();
    expect((await client.auth.getUser()).error).toBeNull();
    expect((await auth.client().auth.signInWithPassword({ email, password })).error?.code).toBe(
      'sso_required',
    );
    const rejected = await byPasskey();
    expect([rejected.status, (await rejected.json()).error_code]).toEqual([422, 'sso_required']);
    const { email: free } = await newUser('ada@free.example');
    expect((await auth.client().auth.signInWithPassword({ email: free, password })).error).toBeNull();
  });

  test('a response that the provider sent without a request doesn’t sign any browser in on the Account pages', async () => {
    const email = 'portal@later.example';
    const answer = buildAnswer({
      acs: `${auth.url}/auth/v1/sso/saml/acs`,
      audience: `${auth.url}/auth/v1/sso/saml/metadata`,
      issuer: idp.entityId,
      nameId: email,
      email,
    });
    const relay = `${auth.url}/account/sign-in?redirect_to=${encodeURIComponent(origin)}&next=app`;
    const back = await postAnswer(auth, signAnswer(idp, answer, 'Assertion'), relay);
    const { location } = back;
    expect(location.pathname).toBe('/account/with');
    expect([...location.searchParams.keys()].sort()).toEqual(['next', 'redirect_to', 'sso']);
    expect(location.hash).toBe('');
    const sessions = await own().query(sql`
      select from auth.sessions s join auth.users u on u.id = s.user_id where u.email = ${email}`);
    expect(sessions).toEqual([]);
  });
});
