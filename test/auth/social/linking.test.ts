/**
 * Tests how a provider's user is matched to an account, with GitHub as the provider. In each test, the user is found,
 * linked, created or rejected.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../../src/base/kernel/sql.ts';
import { type AuthServer, linkOf, newEmail, startAuth } from '../harness.ts';
import { createInternet, type Internet } from './internet.ts';
import { comeBack, leave, serveGithub, signIn, userOf } from './sign-in.ts';

const github = { enabled: true, client_id: 'github-client', secret: 'secret' };

let internet: Internet;
/** A server on which email addresses must be confirmed. */
let auth: AuthServer;
/** A server on which email addresses don't need to be confirmed, as on the local stack. */
let trusting: AuthServer;

beforeAll(async () => {
  internet = await createInternet();
  const { outgoing } = internet;
  [auth, trusting] = await Promise.all([
    startAuth(
      {
        enable_manual_linking: true,
        enable_anonymous_sign_ins: true,
        email: { enable_confirmations: true },
        external: { github },
      },
      { outgoing },
    ),
    startAuth({ external: { github: { ...github, email_optional: true } } }, { outgoing }),
  ]);
});
afterAll(async () => {
  await Promise.all([auth?.stop(), trusting?.stop()]);
  await internet?.stop();
});

const only = (email: string, verified = true) => [{ email, verified, primary: true }];
const password = 'correct horse battery';

async function confirmedUser(server: AuthServer, email: string) {
  const { data, error } = await server
    .admin()
    .auth.admin.createUser({ email, password, email_confirm: true });
  if (error) throw error;
  return data.user;
}

describe('an address verified by the provider', () => {
  it('links to the account that has it, also by a secondary address', async () => {
    const email = newEmail();
    const owner = await confirmedUser(auth, email);
    serveGithub(internet, [
      { email: newEmail(), verified: true, primary: true },
      { email: email.toUpperCase(), verified: true, primary: false },
    ]);
    const user = await userOf(auth, await signIn(auth, 'github'));
    expect(user).toMatchObject({
      id: owner.id,
      email,
      app_metadata: { provider: 'email', providers: ['email', 'github'] },
    });
    // The owner can still use their own sign-in method.
    const { error } = await auth.client().auth.signInWithPassword({ email, password });
    expect(error).toBeNull();
  });

  it('makes an unconfirmed account lose its earlier credentials (pre-account takeover)', async () => {
    const email = newEmail();
    const attacker = auth.client();
    await attacker.auth.signUp({ email, password, options: { data: { note: 'planted' } } });
    serveGithub(internet, only(email));
    const user = await userOf(auth, await signIn(auth, 'github'));
    expect(user.identities.map(({ provider }) => provider)).toEqual(['github']);
    expect(user.app_metadata).toEqual({ provider: 'github', providers: ['github'] });
    expect(user.user_metadata).not.toHaveProperty('note');
    const { error } = await attacker.auth.signInWithPassword({ email, password });
    expect(error?.code).toBe('invalid_credentials');
    // The link from the attacker's sign-up is no longer valid.
    const [mail] = await auth.inbox(email);
    const late = await fetch(linkOf(mail), { redirect: 'manual' });
    expect(late.headers.get('location')).toContain('otp_expired');
  });

  it('that two accounts have can’t be used to take over either of them', async () => {
    const email = newEmail();
    await Promise.all(
      [1, 2].map(async () => {
        const user = await confirmedUser(auth, newEmail());
        await auth.database.pool('supabase_admin').query(sql`
          insert into auth.identities (provider_id, user_id, identity_data, provider, created_at, updated_at)
          values (${crypto.randomUUID()}, ${user.id}, ${{ email, email_verified: true }}, 'gitlab', now(), now())`);
      }),
    );
    serveGithub(internet, only(email));
    expect((await signIn(auth, 'github')).fragment).toMatchObject({
      error: 'server_error',
      error_description: expect.stringContaining('Multiple accounts with the same email address'),
    });
  });
});

describe('an unverified address', () => {
  it('can’t be used to take over an existing account', async () => {
    const email = newEmail();
    const owner = await confirmedUser(auth, email);
    const id = serveGithub(internet, only(email, false));
    const arrival = await signIn(auth, 'github');
    expect(arrival.query).toEqual({
      error: 'access_denied',
      error_code: 'provider_email_needs_verification',
      error_description: 'Unverified email with github. Verify the email with github in order to sign in',
    });
    expect(arrival.fragment).toEqual({ ...arrival.query, sb: '' });
    const rows = await auth.database
      .pool('supabase_admin')
      .query<{ user_id: string; email: string | null }>(sql`
      select i.user_id, u.email from auth.identities i join auth.users u on u.id = i.user_id
      where i.provider_id = ${String(id)}`);
    expect(rows).toEqual([{ user_id: expect.not.stringMatching(owner.id), email: null }]);
    expect(await auth.inbox(email)).toEqual([]);
  });

  it('that is new must be confirmed by email before the account can be used', async () => {
    const email = newEmail();
    serveGithub(internet, only(email, false));
    const arrival = await signIn(auth, 'github');
    expect(arrival.query).toMatchObject({
      error: 'access_denied',
      error_description:
        'Unverified email with github. A confirmation email has been sent to your github email',
    });
    expect(arrival.fragment).not.toHaveProperty('access_token');
    const [mail] = await auth.inbox(email);
    const confirmed = await fetch(linkOf(mail), { redirect: 'manual' });
    expect(confirmed.headers.get('location')).toContain('access_token=');
    expect((await userOf(auth, await signIn(auth, 'github'))).email).toBe(email);
  });

  it('isn’t linked to an account even if confirmations are off, unlike upstream', async () => {
    const email = newEmail();
    const owner = await confirmedUser(trusting, email);
    serveGithub(internet, only(email, false));
    const user = await userOf(trusting, await signIn(trusting, 'github'));
    expect(user.id).not.toBe(owner.id);
    expect(user.email).toBe('');
  });
});

describe('users without an address', () => {
  it('are accepted if the provider’s settings allow them', async () => {
    const id = serveGithub(internet, []);
    const user = await userOf(trusting, await signIn(trusting, 'github'));
    expect(user).toMatchObject({ email: '', identities: [expect.objectContaining({ id: String(id) })] });
    expect(user.email_confirmed_at).toBeUndefined();
    expect((await userOf(trusting, await signIn(trusting, 'github'))).id).toBe(user.id);
  });

  it('need an ID in the profile', async () => {
    serveGithub(internet, only(newEmail()));
    internet.serve('api.github.com/user', () => ({ login: 'octocat' }));
    expect((await signIn(auth, 'github')).fragment).toMatchObject({
      error: 'server_error',
      error_description: 'Error getting user profile from external provider',
    });
  });
});

describe('a sign-in rejects', () => {
  it('a banned user', async () => {
    serveGithub(internet, only(newEmail()));
    const user = await userOf(auth, await signIn(auth, 'github'));
    await auth.admin().auth.admin.updateUserById(user.id, { ban_duration: '1h' });
    expect((await signIn(auth, 'github')).query).toEqual({
      error: 'access_denied',
      error_code: 'user_banned',
      error_description: 'User is banned',
    });
  });

  it('a new user, if sign-ups are disabled', async () => {
    const closed = await startAuth(
      { enable_signup: false, external: { github } },
      { outgoing: internet.outgoing },
    );
    try {
      const email = newEmail();
      serveGithub(internet, only(email));
      const refused = await signIn(closed, 'github');
      expect(refused.query).toMatchObject({ error: 'access_denied', error_code: 'signup_disabled' });
      // If an account with the address exists, the provider is still linked to the account.
      const owner = await confirmedUser(closed, email);
      expect((await userOf(closed, await signIn(closed, 'github'))).id).toBe(owner.id);
    } finally {
      await closed.stop();
    }
  });

  it('a user whom the project’s hook for new accounts rejects', async () => {
    const hooked = await startAuth(
      {
        external: { github },
        hook: { before_user_created: { enabled: true, uri: 'pg-functions://postgres/public/no_examples' } },
      },
      { outgoing: internet.outgoing },
    );
    try {
      await hooked.database.pool('supabase_admin').exec(`
        create function public.no_examples(event jsonb) returns jsonb language sql as $$
          select case when event->'user'->>'email' like 'refused%' then
            jsonb_build_object('error', jsonb_build_object('http_code', 403, 'message', 'Not you'))
          else jsonb_build_object() end $$;
        grant usage on schema public to supabase_auth_admin;
        grant execute on function public.no_examples to supabase_auth_admin;`);
      const email = `refused-${newEmail()}`;
      serveGithub(internet, only(email));
      expect((await signIn(hooked, 'github')).query).toMatchObject({
        error: 'access_denied',
        error_description: 'Not you',
      });
      const [row] = await hooked.database
        .pool('supabase_admin')
        .query<{ users: number }>(sql`select count(*)::int as users from auth.users`);
      expect(row).toEqual({ users: 0 });
      serveGithub(internet, only(newEmail()));
      expect((await signIn(hooked, 'github')).fragment).toHaveProperty('access_token');
    } finally {
      await hooked.stop();
    }
  });

  it('an exception from a project’s trigger is returned in one sentence', async () => {
    await auth.database.pool('supabase_admin').exec(`
      create function public.refuse() returns trigger language plpgsql as $$
        begin if new.email like 'trigger%' then raise 'secret detail'; end if; return new; end $$;
      create trigger refuse before insert on auth.users for each row execute function public.refuse();`);
    serveGithub(internet, only(`trigger-${newEmail()}`));
    expect((await signIn(auth, 'github')).query).toEqual({
      error: 'server_error',
      error_code: 'unexpected_failure',
      error_description: 'Database error saving new user',
    });
  });
});

describe('manual linking', () => {
  const link = async (client: ReturnType<AuthServer['client']>) => {
    const { data, error } = await client.auth.linkIdentity({
      provider: 'github',
      options: { skipBrowserRedirect: true },
    });
    if (error) throw error;
    return new URL(data.url ?? '').searchParams.get('state') ?? '';
  };
  const signedIn = async () => {
    const email = newEmail();
    await confirmedUser(auth, email);
    const client = auth.client();
    const { data } = await client.auth.signInWithPassword({ email, password });
    return { client, id: data.user?.id ?? '', email };
  };

  it('adds and removes an identity with another address', async () => {
    const { client, id, email } = await signedIn();
    serveGithub(internet, only(newEmail()));
    const arrival = await comeBack(auth, { code: 'good-code', state: await link(client) });
    expect(await userOf(auth, arrival)).toMatchObject({
      id,
      email,
      app_metadata: { providers: ['email', 'github'] },
    });
    const { data } = await client.auth.getUserIdentities();
    const added = data?.identities.find(({ provider }) => provider === 'github');
    if (!added) throw new Error('no identity');
    expect((await client.auth.unlinkIdentity(added)).error).toBeNull();
    const left = await client.auth.getUser();
    expect(left.data.user?.identities?.map(({ provider }) => provider)).toEqual(['email']);
    const last = left.data.user?.identities?.[0];
    if (!last) throw new Error('no identity');
    expect((await client.auth.unlinkIdentity(last)).error?.code).toBe('single_identity_not_deletable');
  });

  it('removes only the user’s own existing identities', async () => {
    const { client, id, email } = await signedIn();
    serveGithub(internet, only(newEmail()));
    await comeBack(auth, { code: 'good-code', state: await link(client) });
    const { data } = await client.auth.getSession();
    const token = data.session?.access_token ?? '';
    const remove = async (identity: string, headers = {}) => {
      const path = `/user/identities/${identity}`;
      return (await auth.request(path, { method: 'DELETE', token, headers })).json();
    };
    expect(await remove(crypto.randomUUID())).toMatchObject({ error_code: 'identity_not_found' });
    expect(await remove('1')).toMatchObject({ error_code: 'validation_failed' });
    expect(await remove(crypto.randomUUID(), { 'x-jwt-aud': 'others' })).toMatchObject({
      error_code: 'unexpected_audience',
    });

    // Without its email identity, the account would get the address of the remaining identity, but another user now has
    // that address.
    const { data: listed } = await client.auth.getUserIdentities();
    const byEmail = listed?.identities.find((identity) => identity.provider === 'email');
    const other = listed?.identities.find((identity) => identity.provider === 'github')?.identity_data?.email;
    const rival = await confirmedUser(auth, newEmail());
    await auth.database
      .pool('supabase_admin')
      .query(sql`update auth.users set email = ${String(other)} where id = ${rival.id}`);
    expect(await remove(byEmail?.identity_id ?? '')).toMatchObject({
      error_code: 'email_conflict_identity_not_deletable',
    });
    expect((await auth.admin().auth.admin.getUserById(id)).data.user?.email).toBe(email);
  });

  it('rejects another user’s identity', async () => {
    const { client } = await signedIn();
    serveGithub(internet, only(newEmail()));
    await signIn(auth, 'github');
    expect((await comeBack(auth, { code: 'good-code', state: await link(client) })).query).toEqual({
      error: 'server_error',
      error_code: 'identity_already_exists',
      error_description: 'Identity is already linked to another user',
    });
    serveGithub(internet, only(newEmail()));
    await comeBack(auth, { code: 'good-code', state: await link(client) });
    expect((await comeBack(auth, { code: 'good-code', state: await link(client) })).query).toMatchObject({
      error_description: 'Identity is already linked',
    });
  });

  it('makes a guest a permanent user', async () => {
    const client = auth.client();
    const { data } = await client.auth.signInAnonymously();
    const email = newEmail();
    serveGithub(internet, only(email));
    const arrival = await comeBack(auth, { code: 'good-code', state: await link(client) });
    expect(await userOf(auth, arrival)).toMatchObject({ id: data.user?.id, email, is_anonymous: false });
  });

  it('requires a guest to confirm an unverified address, and rejects an address that is in use', async () => {
    const client = auth.client();
    await client.auth.signInAnonymously();
    const email = newEmail();
    serveGithub(internet, only(email, false));
    expect((await comeBack(auth, { code: 'good-code', state: await link(client) })).query).toMatchObject({
      error_code: 'email_not_confirmed',
    });
    expect(await auth.inbox(email)).toHaveLength(1);

    const taken = newEmail();
    await confirmedUser(auth, taken);
    const other = auth.client();
    await other.auth.signInAnonymously();
    serveGithub(internet, only(taken));
    expect((await comeBack(auth, { code: 'good-code', state: await link(other) })).query).toMatchObject({
      error_code: 'email_exists',
    });
  });

  it('rejects a user who was deleted before the browser returned', async () => {
    const { client, id } = await signedIn();
    const state = await link(client);
    await auth.admin().auth.admin.deleteUser(id);
    const arrival = await comeBack(auth, { code: 'good-code', state });
    expect(arrival).toMatchObject({ status: 303, query: { error_code: 'user_not_found' } });
  });

  it('requires a user, and must be enabled', async () => {
    expect((await auth.request('/user/identities/authorize?provider=github')).status).toBe(401);
    const { data } = await trusting.client().auth.signUp({ email: newEmail(), password });
    const response = await trusting.request('/user/identities/authorize?provider=github', {
      token: data.session?.access_token ?? '',
    });
    expect(response.status).toBe(404);
    expect((await response.json()).error_code).toBe('manual_linking_disabled');
  });
});

describe('invitations', () => {
  const invite = async (email: string) => {
    await auth.admin().auth.admin.inviteUserByEmail(email);
    const [mail] = await auth.inbox(email);
    return new URL(linkOf(mail)).searchParams.get('token') ?? '';
  };

  it('can be accepted through a provider that verified the address, without information for the provider', async () => {
    const email = newEmail();
    const token = await invite(email);
    const { url, state } = await leave(auth, 'github', { invite_token: token });
    expect(url.href).not.toContain(token);
    serveGithub(internet, [
      { email: newEmail(), verified: true, primary: true },
      { email, verified: true, primary: false },
    ]);
    const user = await userOf(auth, await comeBack(auth, { code: 'good-code', state }));
    expect(user).toMatchObject({
      email,
      email_confirmed_at: expect.any(String),
      app_metadata: { providers: ['github'] },
    });
    expect((await auth.request(`/authorize?provider=github&invite_token=${token}`)).status).toBe(404);
  });

  it('can’t be accepted with another address, or if they are unknown or expired', async () => {
    const token = await invite(newEmail());
    const { state } = await leave(auth, 'github', { invite_token: token });
    serveGithub(internet, only(newEmail()));
    expect((await comeBack(auth, { code: 'good-code', state })).query).toMatchObject({
      error: 'invalid_request',
      error_description: 'Invited email does not match emails from external provider',
    });
    expect((await auth.request('/authorize?provider=github&invite_token=unknown')).status).toBe(404);

    // The invitation is deleted while the browser is at the provider.
    const second = await leave(auth, 'github', { invite_token: token });
    await auth.database.pool('supabase_admin').exec('delete from auth.one_time_tokens');
    expect((await comeBack(auth, { code: 'good-code', state: second.state })).query).toMatchObject({
      error_code: 'invite_not_found',
    });

    const old = await invite(newEmail());
    auth.clock.advance(7 * 86_400_000 + 1000);
    expect((await auth.request(`/authorize?provider=github&invite_token=${old}`)).status).toBe(404);
  });
});
