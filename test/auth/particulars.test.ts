/** Tests details of GoTrue 2.196's behavior for links, factors and hooks, one per test. */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { totpCode } from '../../src/base/shared/one-time-codes.ts';
import { type AuthServer, linkOf, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';

interface SessionJson {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_at: number;
  readonly user: { readonly id: string; readonly email: string };
}

let server: AuthServer;
beforeAll(async () => {
  const factor = { enroll_enabled: true, verify_enabled: true };
  const hook = (name: string) => ({ enabled: true, uri: `pg-functions://postgres/public/${name}` });
  server = await startAuth({
    enable_anonymous_sign_ins: true,
    additional_redirect_urls: ['https://app.example.com/**'],
    sms: { enable_signup: true, enable_confirmations: true, max_frequency: 0 },
    mfa: { totp: factor, phone: { ...factor, max_frequency: 0 } },
    hook: { send_sms: hook('keep_sms'), custom_access_token: hook('add_claims') },
  });
  await db().exec(`
    create table public.texts (event jsonb);
    create function public.keep_sms(event jsonb) returns jsonb language sql security definer as
      $$ insert into public.texts values (event); select '{}'::jsonb $$;
    create function public.add_claims(event jsonb) returns jsonb language sql as $$
      select jsonb_build_object('claims', case when event #>> '{claims,user_metadata,short}' is null then event -> 'claims'
        else (event -> 'claims') || jsonb_build_object('exp', (event #>> '{claims,iat}')::int + 60) end) $$;`);
});
afterAll(() => server.stop());

const db = () => server.database.pool('supabase_admin');
const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
const signUp = async (json: object = {}) =>
  (await server.request('/signup', { json: { email: newEmail(), password, ...json } })).json<SessionJson>();
const signIn = async (email: string) =>
  (await server.request('/token?grant_type=password', { json: { email, password } })).json<SessionJson>();
const post = (path: string, token: string, json: object = {}) => server.request(path, { token, json });
const now = (secret: string, steps = 0) => totpCode(secret, Math.floor(Date.now() / 30_000) + steps) ?? '';

interface Enrolled {
  readonly id: string;
  readonly totp: { readonly secret: string; readonly uri: string; readonly qr_code: string };
}
const enroll = async (token: string, json: object = {}) =>
  (await post('/factors', token, { factor_type: 'totp', ...json })).json<Enrolled>();
const challenge = async (token: string, id: string) =>
  (await (await post(`/factors/${id}/challenge`, token)).json<{ id: string }>()).id;

describe('the redirect URL in a link', () => {
  const redirectIn = async (path: string, headers: Record<string, string> = {}) => {
    const email = newEmail();
    await server.admin().auth.admin.createUser({ email, email_confirm: true });
    await server.request(path, { json: { email }, headers });
    const link = new URL(linkOf((await server.inbox(email))[0]));
    return link.searchParams.get('redirect_to');
  };
  const at = (name: string) => `https://app.example.com/${name}`;

  test('comes from the header, then the query, then the Referer, then the site URL', async () => {
    const query = `/recover?redirect_to=${at('query')}`;
    const headers = { redirect_to: at('header'), referer: at('referer') };
    expect(await redirectIn(query, headers)).toBe(at('header'));
    expect(await redirectIn(query, { referer: at('referer') })).toBe(at('query'));
    expect(await redirectIn('/recover', { referer: at('referer') })).toBe(at('referer'));
    expect(await redirectIn('/recover')).toBe('http://127.0.0.1:3000');
  });

  test('is ignored without an error if it isn’t allowed', async () => {
    const headers = { redirect_to: 'https://evil.example/', referer: at('referer') };
    expect(await redirectIn('/recover', headers)).toBe(at('referer'));
    expect(await redirectIn('/recover', { redirect_to: 'http://10.0.0.1/' })).toBe('http://127.0.0.1:3000');
    expect(await redirectIn('/recover', { redirect_to: 'http://127.9.9.9:99/x' })).toBe(
      'http://127.9.9.9:99/x',
    );
  });

  test('an invalid PKCE link also returns the error in the query', async () => {
    const location =
      (await server.request('/verify?type=signup&token=pkce_nothing')).headers.get('location') ?? '';
    const said =
      'error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid+or+has+expired';
    expect(location).toBe(`http://127.0.0.1:3000?${said}#${said}&sb=`);
  });

  test.each([
    ['recovery', '/recover', (email: string) => ({ email })],
    ['email_change', '/user', (email: string) => ({ email: `new-${email}` })],
  ] as const)('the lifetime of the PKCE code for %s starts with the request', async (type, path, bodyOf) => {
    const { user, access_token: token } = await signUp();
    const verifier = randomBytes(32).toString('hex');
    const pkce = {
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 's256',
    };
    const method = path === '/user' ? 'PUT' : 'POST';
    await server.request(path, { method, token, json: { ...bodyOf(user.email), ...pkce } });
    const to = type === 'recovery' ? user.email : `new-${user.email}`;
    const link = linkOf((await server.inbox(to))[0]);
    server.clock.advance(301_000);
    const location = (await fetch(link, { redirect: 'manual' })).headers.get('location') ?? '';
    const auth_code = new URL(location).searchParams.get('code');
    const response = await server.request('/token?grant_type=pkce', {
      json: { auth_code, code_verifier: verifier },
    });
    server.clock.advance(-301_000);
    expect([response.status, (await response.json()).error_code]).toEqual([422, 'flow_state_expired']);
  });
});

describe('for second factors,', () => {
  test('two factors without a name conflict, and a user without an address can’t enroll TOTP', async () => {
    const { access_token: token, user } = await signUp();
    await enroll(token);
    const again = await post('/factors', token, { factor_type: 'totp' });
    expect([again.status, (await again.json()).error_code]).toEqual([422, 'mfa_factor_name_conflict']);
    await db().query(sql`update auth.users set email = null, phone = '15550100' where id = ${user.id}`);
    const nameless = await post('/factors', token, { factor_type: 'totp', friendly_name: 'b' });
    expect([nameless.status, (await nameless.json()).msg]).toEqual([500, 'Error generating QR Code']);
  });

  test('a custom issuer works, and a code from the previous step is accepted, but not an earlier one', async () => {
    const { access_token: token, user } = await signUp();
    const { id, totp } = await enroll(token, { issuer: 'My App' });
    const uri = new URL(totp.uri);
    expect(decodeURIComponent(uri.pathname)).toBe(`//totp/My App:${user.email}`.replace('//totp', ''));
    expect(uri.searchParams.get('issuer')).toBe('My App');
    expect(totp.qr_code.startsWith('<svg ')).toBe(true);
    const verify = async (code: string) =>
      (await post(`/factors/${id}/verify`, token, { challenge_id: await challenge(token, id), code })).status;
    expect(await verify(now(totp.secret, -3))).toBe(422);
    expect(await verify(now(totp.secret, -1))).toBe(200);
  });

  test('a challenge contains its type and expiration time', async () => {
    const { access_token: token } = await signUp();
    const { id } = await enroll(token);
    const response = await (await post(`/factors/${id}/challenge`, token)).json<{ expires_at: number }>();
    expect(response).toEqual({ id: expect.any(String), type: 'totp', expires_at: expect.any(Number) });
    expect(Math.abs(response.expires_at - Date.now() / 1000 - 300)).toBeLessThan(10);
  });

  test('a verified factor ends other sessions at aal1, but not sessions without a level', async () => {
    const { access_token: token, user } = await signUp();
    const [below, without] = [await signIn(user.email), await signIn(user.email)];
    const sessionId = String(claimsOf(without.access_token).session_id);
    await db().query(sql`update auth.sessions set aal = null where id = ${sessionId}`);
    const { id, totp } = await enroll(token);
    const raised = await post(`/factors/${id}/verify`, token, {
      challenge_id: await challenge(token, id),
      code: now(totp.secret),
    });
    const session = await raised.json<SessionJson>();
    expect(claimsOf(session.access_token)).toMatchObject({
      aal: 'aal2',
      amr: expect.arrayContaining([{ method: 'totp', timestamp: expect.any(Number) }]),
    });
    const [row] = await db().query(sql`
      select s.factor_id, s.aal from auth.sessions s where id = ${String(claimsOf(token).session_id)}`);
    expect(row).toEqual({ factor_id: id, aal: 'aal2' });
    expect((await server.request('/user', { token: below.access_token })).status).toBe(403);
    expect((await server.request('/user', { token: without.access_token })).status).toBe(200);

    // A session at aal1 isn't sufficient for these changes.
    const weak = (await signIn(user.email)).access_token;
    for (const json of [{ email: newEmail() }, { phone: '15550199' }, { password: 'another horse' }]) {
      const refused = await server.request('/user', { method: 'PUT', token: weak, json });
      expect([refused.status, (await refused.json()).error_code]).toEqual([401, 'insufficient_aal']);
    }
    // Sessions that used the factor fall back to aal1, but no session ends.
    const strong = session.access_token;
    expect(
      (await server.request(`/factors/${id}`, { method: 'DELETE', token: strong, json: {} })).status,
    ).toBe(200);
    expect((await server.request('/user', { token: strong })).status).toBe(200);
    const refreshed = await (
      await server.request('/token?grant_type=refresh_token', {
        json: { refresh_token: session.refresh_token },
      })
    ).json<SessionJson>();
    expect(claimsOf(refreshed.access_token)).toMatchObject({ aal: 'aal1', amr: [{ method: 'password' }] });
  });

  test('codes for phone numbers and for factors are both sent to the hook', async () => {
    const { access_token: token, user } = await signUp();
    const { id } = await (await post('/factors', token, { factor_type: 'phone', phone: '+15550177' })).json<{
      id: string;
    }>();
    const challenge_id = await challenge(token, id);
    const [row] = await db().query<{ event: { user: { id: string }; sms: Record<string, string> } }>(
      sql`select event from public.texts where event #>> '{sms,phone}' = '15550177'`,
    );
    expect(row?.event.user.id).toBe(user.id);
    expect(row?.event.sms).toEqual({
      otp: expect.stringMatching(/^\d{6}$/),
      phone: '15550177',
      sms_type: 'mfa',
    });
    const code = row?.event.sms.otp;
    expect((await post(`/factors/${id}/verify`, token, { challenge_id, code })).status).toBe(200);
  });
});

describe('custom_access_token', () => {
  test('can set exp without changing expires_at', async () => {
    const session = await signUp({ data: { short: true } });
    const { exp, iat } = claimsOf(session.access_token) as { exp: number; iat: number };
    expect([exp - iat, session.expires_at - iat]).toEqual([60, 3600]);
  });
});

describe('users inserted with SQL', () => {
  const insert = async (columns: Record<string, string>) => {
    const all: Record<string, string> = {
      instance_id: `'00000000-0000-0000-0000-000000000000'`,
      aud: `'authenticated'`,
      role: `'authenticated'`,
      encrypted_password: `extensions.crypt('${password}', extensions.gen_salt('bf', 4))`,
      email_confirmed_at: 'now()',
      created_at: 'now()',
      updated_at: 'now()',
      ...columns,
    };
    const email = newEmail();
    await db().exec(
      `insert into auth.users (id, email, ${Object.keys(all).join()}) values (gen_random_uuid(), '${email}', ${Object.values(all).join()})`,
    );
    return email;
  };

  test.each([
    ['no instance', { instance_id: 'null' }, 400],
    ['no creation time', { created_at: 'null' }, 200],
    ['no role', { role: 'null' }, 200],
    ['no confirmed address', { email_confirmed_at: 'null' }, 400],
  ])('with %s get the same response to a sign-in as upstream', async (_name, columns, status) => {
    const email = await insert(columns);
    const response = await server.request('/token?grant_type=password', { json: { email, password } });
    expect(response.status).toBe(status);
  });

  test('are found even if the address contains uppercase letters', async () => {
    const email = newEmail().toUpperCase();
    const made = await insert({});
    await db().query(sql`update auth.users set email = ${email} where email = ${made}`);
    const response = await server.request('/token?grant_type=password', { json: { email, password } });
    expect(response.status).toBe(200);
  });
});
