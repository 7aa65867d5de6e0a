/** Tests codes and links by email: confirmation, one-time codes, magic links, recovery, email change and PKCE. */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuthServer, codeOf, linkOf, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';

describe('with confirmations on', () => {
  let server: AuthServer;
  beforeAll(async () => {
    server = await startAuth({
      site_url: 'http://127.0.0.1:3000',
      additional_redirect_urls: ['https://app.example.com/**'],
      email: { enable_confirmations: true },
      // Without phone confirmations, sign-up would reveal existing users (as upstream does).
      sms: { enable_confirmations: true },
    });
  });
  afterAll(() => server.stop());

  async function confirmedUser() {
    const email = newEmail();
    const client = server.client();
    await client.auth.signUp({ email, password });
    const [mail] = await server.inbox(email);
    const { data, error } = await client.auth.verifyOtp({ email, token: codeOf(mail), type: 'email' });
    expect(error).toBeNull();
    return { email, client, session: data.session };
  }

  test('sign-up emails a code, and only the code signs the user in', async () => {
    const email = newEmail();
    const client = server.client();
    const { data } = await client.auth.signUp({ email, password });
    expect(data.session).toBeNull();
    expect(data.user).toMatchObject({ email, user_metadata: { email_verified: false } });
    expect(data.user?.confirmation_sent_at).toMatch(/Z$/);
    expect((await client.auth.signInWithPassword({ email, password })).error).toMatchObject({
      status: 400,
      code: 'email_not_confirmed',
    });
    const [mail] = await server.inbox(email);
    expect(mail).toMatchObject({
      subject: 'Confirm your email address',
      from: { address: 'admin@email.com' },
    });
    expect(mail?.html).toContain(codeOf(mail));
    const wrong = await client.auth.verifyOtp({ email, token: '000000', type: 'email' });
    expect(wrong.error).toMatchObject({
      status: 403,
      code: 'otp_expired',
      message: 'Token has expired or is invalid',
    });
    const right = await client.auth.verifyOtp({ email, token: codeOf(mail), type: 'signup' });
    expect(right.data.user).toMatchObject({ email, user_metadata: { email_verified: true } });
    const again = await client.auth.verifyOtp({ email, token: codeOf(mail), type: 'signup' });
    expect(again.error).toMatchObject({ code: 'otp_expired' });
  });

  test('the link in the email redirects to the app with a session in the fragment', async () => {
    const email = newEmail();
    await server.client().auth.signUp({
      email,
      password,
      options: { emailRedirectTo: 'https://app.example.com/welcome' },
    });
    const [mail] = await server.inbox(email);
    const link = linkOf(mail);
    expect(link).toMatch(
      /\/auth\/v1\/verify\?token=[0-9a-f]{56}&type=signup&redirect_to=https:\/\/app\.example\.com\/welcome$/,
    );
    const response = await fetch(link, { redirect: 'manual' });
    expect(response.status).toBe(303);
    const target = response.headers.get('location') ?? '';
    expect(target).toMatch(/^https:\/\/app\.example\.com\/welcome#access_token=/);
    const fragment = new URLSearchParams(target.split('#')[1]);
    expect([...fragment.keys()]).toEqual([
      'access_token',
      'expires_at',
      'expires_in',
      'refresh_token',
      'sb',
      'token_type',
      'type',
    ]);
    const used = await fetch(link, { redirect: 'manual' });
    expect(used.headers.get('location')).toBe(
      'https://app.example.com/welcome#error=access_denied&error_code=otp_expired' +
        '&error_description=Email+link+is+invalid+or+has+expired&sb=',
    );
  });

  test('a redirect URL that isn’t allowed is replaced by the site URL', async () => {
    const email = newEmail();
    await server
      .client()
      .auth.signUp({ email, password, options: { emailRedirectTo: 'https://evil.example.org/' } });
    expect(linkOf((await server.inbox(email))[0])).toMatch(/redirect_to=http:\/\/127\.0\.0\.1:3000$/);
  });

  test('sign-up with a confirmed address returns a made-up user', async () => {
    const { email, session } = await confirmedUser();
    const { data, error } = await server.client().auth.signUp({ email, password: 'something else' });
    expect(error).toBeNull();
    expect(data.session).toBeNull();
    expect(data.user?.identities).toEqual([]);
    expect(data.user?.id).not.toBe(session?.user.id);
    expect(await server.inbox(email)).toHaveLength(1);
  });

  test('a one-time code request sends a confirmation email to unknown addresses and a sign-in code to known ones', async () => {
    const email = newEmail();
    const client = server.client();
    expect(
      (await client.auth.signInWithOtp({ email, options: { shouldCreateUser: false } })).error,
    ).toMatchObject({
      status: 422,
      code: 'otp_disabled',
    });
    expect((await client.auth.signInWithOtp({ email })).error).toBeNull();
    const [first] = await server.inbox(email);
    expect(first?.subject).toBe('Confirm your email address');
    expect((await client.auth.verifyOtp({ email, token: codeOf(first), type: 'email' })).error).toBeNull();
    await client.auth.signInWithOtp({ email });
    const [second] = await server.inbox(email);
    expect(second?.subject).toBe('Your sign-in link');
    const signedIn = await client.auth.verifyOtp({ email, token: codeOf(second), type: 'email' });
    expect(signedIn.data.session?.user.email).toBe(email);
  });

  test('recovery with a token hash allows a new password', async () => {
    const { email } = await confirmedUser();
    const client = server.client();
    expect((await client.auth.resetPasswordForEmail(email)).error).toBeNull();
    const hash = new URL(linkOf((await server.inbox(email))[0])).searchParams.get('token') ?? '';
    const { data, error } = await client.auth.verifyOtp({ token_hash: hash, type: 'recovery' });
    expect(error).toBeNull();
    expect(data.session).not.toBeNull();
    expect((await client.auth.updateUser({ password: 'new password' })).error).toBeNull();
    expect(
      (await server.client().auth.signInWithPassword({ email, password: 'new password' })).error,
    ).toBeNull();
    expect((await server.client().auth.resetPasswordForEmail(newEmail())).error).toBeNull();
  });

  test('codes and links expire', async () => {
    const { email } = await confirmedUser();
    await server.client().auth.signInWithOtp({ email });
    const [mail] = await server.inbox(email);
    server.clock.advance(3_601_000);
    const late = await server.client().auth.verifyOtp({ email, token: codeOf(mail), type: 'email' });
    expect(late.error).toMatchObject({ code: 'otp_expired' });
    const location = (await fetch(linkOf(mail), { redirect: 'manual' })).headers.get('location');
    expect(location).toContain('error_code=otp_expired');
  });

  test('an email change is confirmed at both addresses', async () => {
    const { email, client } = await confirmedUser();
    const next = newEmail();
    const changed = await client.auth.updateUser({ email: next });
    expect(changed.data.user).toMatchObject({ email, new_email: next });
    const [atNew] = await server.inbox(next);
    const [atOld] = await server.inbox(email);
    const half = await server.request('/verify', {
      json: { type: 'email_change', email: next, token: codeOf(atNew) },
    });
    expect(await half.json()).toEqual({
      msg: 'Confirmation link accepted. Please proceed to confirm link sent to the other email',
      code: '200',
    });
    const whole = await client.auth.verifyOtp({ email, token: codeOf(atOld), type: 'email_change' });
    expect(whole.data.user).toMatchObject({ email: next });
    expect(whole.data.user?.identities?.[0]?.identity_data).toMatchObject({
      email: next,
      email_verified: true,
    });
    expect((await server.client().auth.signInWithPassword({ email: next, password })).error).toBeNull();
  });

  test('with PKCE, the link contains a code that can be redeemed only with the verifier, and only once', async () => {
    const email = newEmail();
    const verifier = randomBytes(32).toString('hex');
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const signUp = await server.request('/signup', {
      json: { email, password, code_challenge: challenge, code_challenge_method: 'S256' },
    });
    expect(signUp.status).toBe(200);
    const link = linkOf((await server.inbox(email))[0]);
    expect(link).toContain('token=pkce_');
    const location = (await fetch(link, { redirect: 'manual' })).headers.get('location') ?? '';
    expect(location).toMatch(/^http:\/\/127\.0\.0\.1:3000\?code=[0-9a-f-]{36}$/);
    const code = new URL(location).searchParams.get('code');
    const exchange = (code_verifier: string) =>
      server.request('/token?grant_type=pkce', { json: { auth_code: code, code_verifier } });
    const wrong = await exchange('x'.repeat(64));
    expect([wrong.status, (await wrong.json()).error_code]).toEqual([400, 'bad_code_verifier']);
    const right = await exchange(verifier);
    expect(await right.json()).toMatchObject({ token_type: 'bearer', user: { email } });
    expect((await exchange(verifier)).status).toBe(404);
  });

  test('emails to one user have a minimum interval', async () => {
    const slow = await startAuth({ email: { enable_confirmations: true, max_frequency: 60_000 } });
    try {
      const email = newEmail();
      await slow.client().auth.signUp({ email, password });
      const { error } = await slow.client().auth.resend({ type: 'signup', email });
      expect(error).toMatchObject({ status: 429, code: 'over_email_send_rate_limit' });
      expect(error?.message).toMatch(
        /^For security purposes, you can only request this after \d+ seconds\.$/,
      );
      slow.clock.advance(61_000);
      expect((await slow.client().auth.resend({ type: 'signup', email })).error).toBeNull();
      expect(await slow.inbox(email)).toHaveLength(2);
    } finally {
      await slow.stop();
    }
  });

  test('an old session needs a reauthentication nonce for a new password', async () => {
    const strict = await startAuth({ email: { secure_password_change: true }, jwt_expiry: 604_800 });
    try {
      const email = newEmail();
      const client = strict.client();
      const { data } = await client.auth.signUp({ email, password });
      strict.clock.advance(25 * 3_600_000);
      const token = data.session?.access_token ?? '';
      const put = (json: object) => strict.request('/user', { method: 'PUT', token, json });
      expect((await (await put({ password: 'a new one' })).json()).error_code).toBe(
        'reauthentication_needed',
      );
      expect((await strict.request('/reauthenticate', { token })).status).toBe(200);
      const [mail] = await strict.inbox(email);
      expect(mail?.subject).toBe(`${codeOf(mail)} is your verification code`);
      expect((await (await put({ password: 'a new one', nonce: '1' })).json()).error_code).toBe(
        'reauthentication_not_valid',
      );
      expect((await put({ password: 'a new one', nonce: codeOf(mail) })).status).toBe(200);
    } finally {
      await strict.stop();
    }
  });
});
