/** Tests responses field by field. Also tests GoTrue 2.196's error responses that don't belong to a single flow. */
import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type AuthServer, codeOf, linkOf, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';

interface SessionJson {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly user: { readonly id: string; readonly email: string; readonly aud: string };
}

let server: AuthServer;
beforeAll(async () => {
  server = await startAuth({
    enable_manual_linking: true,
    sms: {
      enable_signup: true,
      enable_confirmations: true,
      max_frequency: 0,
      test_otp: { '15550001111': '123456' },
    },
    hook: { send_sms: { enabled: true, uri: 'pg-functions://postgres/public/keep_code' } },
  });
  await db().exec(`
    create table public.codes (phone text, otp text);
    create function public.keep_code(event jsonb) returns jsonb language sql security definer as
      $$ insert into public.codes values (event #>> '{sms,phone}', event #>> '{sms,otp}'); select '{}'::jsonb $$;`);
});
afterAll(() => server.stop());

const db = () => server.database.pool('supabase_admin');
const service = () => server.keys.serviceRoleKey;
let phones = 0;
const newPhone = () => `1555${String(Date.now()).slice(-5)}${String(phones++).padStart(2, '0')}`;

const signUp = async (headers: Record<string, string> = {}, email = newEmail()) =>
  (await server.request('/signup', { json: { email, password }, headers })).json<SessionJson>();

/** Returns the status and error code, or the body of a successful response. */
async function said(path: string, init: Parameters<AuthServer['request']>[1] = {}): Promise<unknown[]> {
  const response = await server.request(path, init);
  const text = await response.text();
  const body = text === '' ? undefined : (JSON.parse(text) as { error_code?: string });
  return [response.status, response.status < 400 ? body : body?.error_code];
}

const messageOf = async (path: string, init: Parameters<AuthServer['request']>[1] = {}) =>
  (await (await server.request(path, init)).json()).msg;

describe('the audience', () => {
  const other = { 'x-jwt-aud': 'other' };

  test('from the header becomes the user’s, and is used in every lookup by address', async () => {
    const { user } = await signUp(other);
    expect(user.aud).toBe('other');
    const login = { json: { email: user.email, password } };
    expect(await said('/token?grant_type=password', login)).toEqual([400, 'invalid_credentials']);
    expect((await said('/token?grant_type=password', { ...login, headers: other }))[0]).toBe(200);
    expect(await said('/otp', { json: { email: user.email, create_user: false } })).toEqual([
      422,
      'otp_disabled',
    ]);
  });

  test('from the token is checked by GET /user', async () => {
    const { access_token: token } = await signUp(other);
    expect((await said('/user', { token }))[0]).toBe(200);
    expect(await said('/user', { token, headers: { 'x-jwt-aud': 'third' } })).toEqual([
      400,
      'validation_failed',
    ]);
  });

  test('for an administrator comes from the header, never from the token', async () => {
    const { user } = await signUp(other);
    const response = await server.request('/admin/users', { token: service(), headers: other });
    const { users, aud } = await response.json<{ users: { id: string; aud: string }[]; aud: string }>();
    expect([aud, new Set(users.map((each) => each.aud))]).toEqual(['other', new Set(['other'])]);
    expect(users.map(({ id }) => id)).toContain(user.id);
    const usual = await server.request('/admin/users', { token: service() });
    expect((await usual.json<{ aud: string }>()).aud).toBe('authenticated');
  });
});

describe('the caller', () => {
  test('an sb_ key represents its JWT, alone or as a bearer token', async () => {
    const { secretKey, publishableKey } = server.keys;
    const ask = async (headers: Record<string, string>) =>
      (await fetch(`${server.url}/auth/v1/admin/users?per_page=1`, { headers })).status;
    expect(await ask({ apikey: secretKey })).toBe(200);
    expect(await ask({ apikey: secretKey, authorization: `Bearer ${secretKey}` })).toBe(200);
    expect(await ask({ apikey: publishableKey })).toBe(403);
    expect(await ask({})).toBe(401);
  });

  test('an administrator’s token with a session ID is valid only while that session exists', async () => {
    const { access_token, user } = await signUp();
    const { session_id } = JSON.parse(
      Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString(),
    ) as { session_id: string };
    const exp = Math.floor(Date.now() / 1000) + 600;
    const as = (session: string) =>
      said('/admin/users?per_page=1', {
        token: server.keys.sign({ role: 'service_role', sub: user.id, exp, session_id: session }),
      });
    expect((await as(session_id))[0]).toBe(200);
    expect(await as(randomUUID())).toEqual([403, 'session_not_found']);
  });

  test('browsers can send the clients’ headers and read the headers that clients need', async () => {
    const names =
      'Accept, Authorization, Content-Type, X-Client-IP, X-Client-Info, X-JWT-AUD, x-use-cookie, X-Supabase-Api-Version, apikey';
    const response = await fetch(`${server.url}/auth/v1/signup`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': names.toLowerCase(),
      },
    });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const allowed = (response.headers.get('access-control-allow-headers') ?? '').toLowerCase();
    for (const name of names.toLowerCase().split(', ')) {
      expect([name, allowed === '*' || allowed.split(/,\s*/).includes(name)]).toEqual([name, true]);
    }
    const plain = await fetch(`${server.url}/auth/v1/settings`, {
      headers: { origin: 'https://app.example' },
    });
    expect(plain.headers.get('access-control-expose-headers')?.toLowerCase().split(/,\s*/)).toEqual(
      expect.arrayContaining(['x-total-count', 'link', 'x-supabase-api-version']),
    );
  });
});

test('the settings have the expected fields', async () => {
  const off =
    'apple azure bitbucket discord facebook figma fly github gitlab google kakao keycloak linkedin linkedin_oidc notion slack slack_oidc snapchat spotify twitch twitter workos zoom';
  const external = Object.fromEntries(off.split(' ').map((name) => [name, false]));
  expect(await said('/settings')).toEqual([
    200,
    {
      external: { ...external, anonymous_users: false, email: true, phone: true },
      disable_signup: false,
      mailer_autoconfirm: true,
      phone_autoconfirm: false,
      sms_provider: '',
      saml_enabled: false,
      saml_private_key_next_configured: false,
      passkeys_enabled: false,
    },
  ]);
});

describe('a user as JSON', () => {
  test('contains every field, in upstream’s order', async () => {
    const { access_token: token, user } = await signUp();
    await db().query(sql`
      update auth.users set invited_at = now(), phone = ${newPhone()}, phone_confirmed_at = now(), confirmation_sent_at = now(),
        recovery_sent_at = now(), email_change = 'new@b.cd', email_change_sent_at = now(), phone_change = '15559',
        phone_change_sent_at = now(), reauthentication_sent_at = now(), banned_until = '2001-01-01', deleted_at = now()
      where id = ${user.id}`);
    await db().query(sql`
      insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, phone,
        web_authn_aaguid, last_webauthn_challenge_data)
      values (gen_random_uuid(), ${user.id}, 'x', 'phone', 'unverified', now(), now(), '1', gen_random_uuid(), '{}')`);
    const response = await server.request('/user', { token });
    const shown = await response.json<Record<string, unknown>>();
    expect(Object.keys(shown).join(' ')).toBe(
      'id aud role email email_confirmed_at invited_at phone phone_confirmed_at confirmation_sent_at confirmed_at ' +
        'recovery_sent_at new_email email_change_sent_at new_phone phone_change_sent_at reauthentication_sent_at ' +
        'last_sign_in_at app_metadata user_metadata factors identities created_at updated_at banned_until deleted_at is_anonymous',
    );
    const first = (name: string) => Object.keys((shown[name] as object[])[0] ?? {}).join(' ');
    expect(first('identities')).toBe(
      'identity_id id user_id identity_data provider last_sign_in_at created_at updated_at email',
    );
    expect(first('factors')).toBe(
      'id created_at updated_at status friendly_name factor_type phone last_challenged_at web_authn_aaguid last_webauthn_challenge_data',
    );
  });
});

describe('codes', () => {
  test('are stored as SHA-224 of the address and the code, and links have a separate hash', async () => {
    const { user } = await signUp();
    const { data } = await server.admin().auth.admin.generateLink({ type: 'recovery', email: user.email });
    const hash = createHash('sha224').update(`${user.email}${data.properties?.email_otp}`).digest('hex');
    const rows = await db().query(sql`
      select u.recovery_token as column, t.token_hash as row, t.token_type as type, t.relates_to
      from auth.users u join auth.one_time_tokens t on t.user_id = u.id where u.id = ${user.id}`);
    const linked = data.properties?.hashed_token;
    expect(rows).toEqual([{ column: hash, row: linked, type: 'recovery_token', relates_to: user.email }]);
    expect(linked).toMatch(/^[0-9a-f]{56}$/);
    expect(linked).not.toBe(hash);
  });

  test("a confirmation invalidates the user's links but not a pending phone code", async () => {
    const phone = newPhone();
    const { user } = await signUp();
    await server.admin().auth.admin.updateUserById(user.id, { phone, phone_confirm: true });
    await server.request('/otp', { json: { phone } });
    const [sent] = await db().query<{ otp: string }>(
      sql`select otp from public.codes where phone = ${phone}`,
    );
    await server.request('/otp', { json: { email: user.email } });
    const link = linkOf((await server.inbox(user.email))[0]);
    expect((await fetch(link, { redirect: 'manual' })).headers.get('location')).toContain('type=magiclink');
    const left = await db().query(sql`select from auth.one_time_tokens where user_id = ${user.id}`);
    expect(left).toEqual([]);
    expect((await said('/verify', { json: { type: 'sms', phone, token: sent?.otp } }))[0]).toBe(200);
  });

  test('for phones are valid for 6000 seconds', async () => {
    for (const [seconds, status] of [
      [5_990, 200],
      [6_010, 403],
    ] as const) {
      const phone = newPhone();
      await server.request('/otp', { json: { phone } });
      const [sent] = await db().query<{ otp: string }>(
        sql`select otp from public.codes where phone = ${phone}`,
      );
      server.clock.advance(seconds * 1000);
      expect((await said('/verify', { json: { type: 'sms', phone, token: sent?.otp } }))[0]).toBe(status);
      server.clock.advance(-seconds * 1000);
    }
  });

  test.each([
    ['no type', { token: '1', email: 'a@b.cd' }, 'Verify requires a verification type'],
    ['neither', { type: 'signup' }, 'Verify requires either a token or a token hash'],
    [
      'both',
      { type: 'signup', token: '1', token_hash: '2' },
      'Verify requires either a token or a token hash',
    ],
    [
      'a hash and an address',
      { type: 'signup', token_hash: '2', email: 'a@b.cd' },
      'Only the token_hash and type should be provided',
    ],
    [
      'a code for an unknown user',
      { type: 'signup', token: '1' },
      'Only an email address or phone number should be provided on verify',
    ],
    ['a hash that isn’t for an email', { type: 'sms', token_hash: '2' }, 'Invalid email verification type'],
  ])('POST /verify with %s is rejected', async (_name, json, msg) => {
    expect([await said('/verify', { json }), await messageOf('/verify', { json })]).toEqual([
      [400, 'validation_failed'],
      msg,
    ]);
  });
});

describe('resend', () => {
  test('resending a change of address sends both emails again', async () => {
    const { user, access_token: token } = await signUp();
    const next = newEmail();
    await server.request('/user', { method: 'PUT', token, json: { email: next } });
    expect(await said('/resend', { json: { type: 'email_change', email: user.email } })).toEqual([200, {}]);
    const [atNew, atOld] = [await server.inbox(next), await server.inbox(user.email)];
    expect([atNew.length, atOld.length]).toEqual([2, 2]);
    const json = { type: 'email_change', email: next, token: codeOf(atNew[0]) };
    expect((await said('/verify', { json }))[0]).toBe(200);
  });

  test('codes for a phone sign-up and for a new phone number can be sent again', async () => {
    const phone = newPhone();
    await server.request('/signup', { json: { phone, password } });
    expect(await said('/resend', { json: { type: 'sms', phone } })).toEqual([200, {}]);
    const sent = await db().query<{ otp: string }>(sql`select otp from public.codes where phone = ${phone}`);
    expect(sent).toHaveLength(2);
    const json = { type: 'sms', phone, token: sent[1]?.otp };
    const { access_token: token } = await (await server.request('/verify', { json })).json<SessionJson>();
    const next = newPhone();
    await server.request('/user', { method: 'PUT', token, json: { phone: next } });
    expect(await said('/resend', { json: { type: 'phone_change', phone } })).toEqual([200, {}]);
    const codes = await db().query<{ otp: string }>(sql`select otp from public.codes where phone = ${next}`);
    const change = { type: 'phone_change', phone: next, token: codes[1]?.otp };
    expect((await said('/verify', { json: change }))[0]).toBe(200);
  });

  test('the response for a fixed code differs only in message_id', async () => {
    const phone = '15550001111';
    expect(await said('/otp', { json: { phone } })).toEqual([200, {}]);
    expect(await said('/resend', { json: { type: 'sms', phone } })).toEqual([
      200,
      { message_id: 'test-otp' },
    ]);
  });

  test.each([
    [
      { type: 'recovery', email: 'a@b.cd' },
      'Missing one of these types: signup, email_change, sms, phone_change',
    ],
    [{ type: 'signup' }, 'Type provided requires an email address'],
    [{ type: 'sms' }, 'Type provided requires a phone number'],
    [{ type: 'email_change' }, 'Missing email address or phone number'],
    [
      { type: 'signup', email: 'a@b.cd', phone: '15550' },
      'Only an email address or phone number should be provided.',
    ],
  ])('%j is rejected', async (json, msg) => {
    expect([await said('/resend', { json }), await messageOf('/resend', { json })]).toEqual([
      [400, 'validation_failed'],
      msg,
    ]);
  });
});

describe('a user’s own requests', () => {
  test('a taken address, an unknown logout scope and an unconfirmed address are rejected', async () => {
    const [{ access_token: token, user }, other] = [await signUp(), await signUp()];
    const taken = { method: 'PUT', token, json: { email: other.user.email } };
    expect(await said('/user', taken)).toEqual([422, 'email_exists']);
    expect(await said('/logout?scope=all', { method: 'POST', token })).toEqual([400, 'validation_failed']);
    expect(await messageOf('/logout?scope=all', { method: 'POST', token })).toBe(
      'Unsupported logout scope "all"',
    );
    await db().query(sql`update auth.users set email_confirmed_at = null where id = ${user.id}`);
    expect(await said('/reauthenticate', { token })).toEqual([422, 'email_not_confirmed']);
    await db().query(sql`update auth.users set email = null, phone = ${newPhone()} where id = ${user.id}`);
    expect(await said('/reauthenticate', { token })).toEqual([422, 'phone_not_confirmed']);
  });

  test('logout deletes the sessions and their tokens', async () => {
    const { access_token: token, user } = await signUp();
    expect((await said('/logout', { method: 'POST', token }))[0]).toBe(204);
    const left = await db().query(sql`
      select (select count(*)::int from auth.sessions where user_id = ${user.id}) as sessions,
        (select count(*)::int from auth.refresh_tokens where user_id = ${user.id}) as tokens`);
    expect(left).toEqual([{ sessions: 0, tokens: 0 }]);
  });

  test('an empty password doesn’t remove the password', async () => {
    const { access_token: token } = await signUp();
    expect(await said('/user', { method: 'PUT', token, json: { password: '' } })).toEqual([
      422,
      'weak_password',
    ]);
  });
});

describe('refresh', () => {
  const refresh = (refresh_token: string) =>
    said('/token?grant_type=refresh_token', { json: { refresh_token } });

  test('is rejected for a banned user, without a session, and after the session has ended', async () => {
    const [banned, orphan, over] = [await signUp(), await signUp(), await signUp()];
    await server.admin().auth.admin.updateUserById(banned.user.id, { ban_duration: '1h' });
    expect(await refresh(banned.refresh_token)).toEqual([400, 'user_banned']);
    await db().query(sql`update auth.refresh_tokens set session_id = null where user_id = ${orphan.user.id}`);
    expect(await refresh(orphan.refresh_token)).toEqual([400, 'session_not_found']);
    expect(await refresh(orphan.refresh_token)).toEqual([400, 'refresh_token_not_found']);
    await db().query(
      sql`update auth.sessions set not_after = now() - interval '1 second' where user_id = ${over.user.id}`,
    );
    expect(await refresh(over.refresh_token)).toEqual([400, 'session_expired']);
    // The session's limits are checked only when a token is refreshed.
    expect((await said('/user', { token: over.access_token }))[0]).toBe(200);
  });

  test('gets a conflict error if another transaction locks the row for five seconds', async () => {
    const { refresh_token, user } = await signUp();
    await db().transaction(async (tx) => {
      await tx.query(sql`select from auth.refresh_tokens where user_id = ${user.id} for update`);
      expect(await refresh(refresh_token)).toEqual([409, 'conflict']);
    });
    expect((await refresh(refresh_token))[0]).toBe(200);
  });
});

describe('administration', () => {
  test('lists fifty users, oldest or newest first, and returns the total count', async () => {
    await db().query(sql`
      insert into auth.users (instance_id, id, aud, role, email, created_at)
      select '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'many', '', 'u' || n || '@many.example',
        '2020-01-01'::timestamptz + n * interval '1 minute' from generate_series(1, 60) n`);
    const list = async (query: string) => {
      const response = await server.request(`/admin/users${query}`, {
        token: service(),
        headers: { 'x-jwt-aud': 'many' },
      });
      const { users } = await response.json<{ users: { email: string }[] }>();
      return { total: response.headers.get('x-total-count'), emails: users.map(({ email }) => email) };
    };
    const first = await list('');
    expect([first.total, first.emails.length, first.emails[0]]).toEqual(['60', 50, 'u60@many.example']);
    expect((await list('?sort=created_at%20asc&per_page=2')).emails).toEqual([
      'u1@many.example',
      'u2@many.example',
    ]);
    expect((await list('?page=2')).emails).toHaveLength(10);
    expect((await list('?filter=u5@')).emails).toEqual(['u5@many.example']);
    for (const query of ['?sort=email', '?sort=created_at%20up', '?page=x', '?per_page=-1']) {
      expect([query, (await said(`/admin/users${query}`, { token: service() }))[1]]).toEqual([
        query,
        'validation_failed',
      ]);
    }
  });

  test('creates users with an ID, an audience, a role, a hash and a ban', async () => {
    const [id, email] = [randomUUID(), newEmail()];
    const { data } = await server.admin().auth.admin.createUser({
      id,
      email,
      role: 'editor',
      ban_duration: '24h',
      phone: newPhone(),
      phone_confirm: true,
    });
    expect(data.user).toMatchObject({ id, email, role: 'editor', banned_until: expect.any(String) });
    expect(data.user?.phone_confirmed_at).toBeDefined();
    const create = (json: object) =>
      said('/admin/users', { token: service(), json: { email: newEmail(), ...json } });
    expect(await create({ aud: 'theirs' })).toEqual([200, expect.objectContaining({ aud: 'theirs' })]);
    const hash = `$2a$10$${'a'.repeat(53)}`;
    expect(await create({ password, password_hash: hash })).toEqual([400, 'validation_failed']);
    expect(await create({ password_hash: 'md5' })).toEqual([500, 'unexpected_failure']);
    expect(await create({ password: 'x'.repeat(73) })).toEqual([400, 'validation_failed']);
    expect((await create({ password: 'x'.repeat(72) }))[0]).toBe(200);
    expect(await create({ id: 'x' })).toEqual([400, 'validation_failed']);
    expect(await said('/admin/users', { token: service(), json: {} })).toEqual([400, 'validation_failed']);
  });

  test('doesn’t change an address to that of another user', async () => {
    const [one, other] = [await signUp(), await signUp()];
    const response = await server.request(`/admin/users/${one.user.id}`, {
      method: 'PUT',
      token: service(),
      json: { email: other.user.email },
    });
    const { error_code } = await response.json();
    expect([response.status, error_code]).toEqual([422, 'email_exists']);
  });

  test('keeps only hashes of the personal data after a soft deletion', async () => {
    const { user } = await signUp();
    await server.admin().auth.admin.deleteUser(user.id, true);
    const [row] = await db().query(sql`
      select u.email, i.provider_id, i.identity_data::text as data, u.raw_user_meta_data::text as meta
      from auth.users u join auth.identities i on i.user_id = u.id where u.id = ${user.id}`);
    const hidden = (text: string) =>
      createHash('sha256')
        .update(user.id + text)
        .digest('base64url');
    expect(row).toEqual({
      email: hidden(user.email),
      provider_id: hidden(`email:${user.id}`),
      data: '{}',
      meta: '{}',
    });
  });

  test('searches the audit log by author, action and type', async () => {
    const { user } = await signUp();
    const search = async (query: string) =>
      (
        await server.request(`/admin/audit?per_page=1000&query=${encodeURIComponent(query)}`, {
          token: service(),
        })
      ).json<{ id: string; payload: Record<string, unknown>; created_at: string; ip_address: string }[]>();
    const [newest] = await search(`author:${user.email}`);
    expect(Object.keys(newest ?? {})).toEqual(['id', 'payload', 'created_at', 'ip_address']);
    expect(newest?.payload).toMatchObject({
      actor_id: user.id,
      actor_username: user.email,
      actor_via_sso: false,
      action: expect.any(String),
      log_type: expect.any(String),
    });
    const [byAction, byType] = [await search('action:login'), await search('type:team')];
    expect([byAction.length > 0, byType.length > 0]).toEqual([true, true]);
    expect(new Set(byAction.map(({ payload }) => payload.action))).toEqual(new Set(['login']));
    expect(new Set(byType.map(({ payload }) => payload.log_type))).toEqual(new Set(['team']));
  });
});

describe('generate_link', () => {
  const generate = (json: object) => said('/admin/generate_link', { token: service(), json });

  test.each(['signup', 'invite'] as const)(
    '%s for a new user returns the flat user and a working link',
    async (type) => {
      const email = newEmail();
      const [status, body] = (await generate({ type, email, password, data: { a: 1 } })) as [
        number,
        Record<string, string>,
      ];
      expect(status).toBe(200);
      expect(body).toMatchObject({
        id: expect.any(String),
        aud: 'authenticated',
        email,
        user_metadata: { a: 1 },
        action_link: expect.stringContaining(`/verify?token=${body.hashed_token}&type=${type}&redirect_to=`),
        email_otp: expect.stringMatching(/^\d{6}$/),
        verification_type: type,
        redirect_to: 'http://127.0.0.1:3000',
      });
      expect('invited_at' in body).toBe(type === 'invite');
      const location = (await fetch(body.action_link ?? '', { redirect: 'manual' })).headers.get('location');
      expect(location).toContain(`type=${type}`);
      expect(await generate({ type, email, password })).toEqual([422, 'email_exists']);
    },
  );

  test('email_change_current works, and invalid requests are rejected', async () => {
    const { user } = await signUp();
    const [status, body] = (await generate({
      type: 'email_change_current',
      email: user.email,
      new_email: newEmail(),
    })) as [number, Record<string, string>];
    expect(status).toBe(200);
    expect(body.verification_type).toBe('email_change_current');
    expect(body.action_link).toContain(`token=${body.hashed_token}&type=email_change`);
    expect(await generate({ type: 'email_change_new', email: user.email })).toEqual([
      400,
      'validation_failed',
    ]);
    expect(await generate({ type: 'sms', email: user.email })).toEqual([400, 'validation_failed']);
    expect(await generate({ type: 'signup', email: newEmail() })).toEqual([400, 'validation_failed']);
    expect(await generate({ type: 'email_change_new', email: newEmail(), new_email: newEmail() })).toEqual([
      404,
      'user_not_found',
    ]);
  });
});
