/** Tests the API keys that users create for their own account: managing them, and what requests with a key can do. */
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { currentStep, totpCode } from '../../src/base/shared/one-time-codes.ts';
import { createUserKey } from '../../src/base/shared/user-keys.ts';
import { createTestBackend } from '../../src/entry/testing.ts';

type Backend = Awaited<ReturnType<typeof createTestBackend>>;
let backend: Backend;
let url: string;

beforeAll(async () => {
  backend = await createTestBackend({
    config: {
      auth: {
        mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
        hook: { custom_access_token: { enabled: true, uri: 'pg-functions://postgres/public/claims' } },
      },
      plinth: {
        account: { deletion: true },
        auth: {
          api_keys: { enabled: true, scopes: ['notes:read', 'notes:write'] },
          security: { notices: 'account' },
        },
      },
    },
    sql: `
      create function public.claims(event jsonb) returns jsonb language sql as $$
        select jsonb_build_object('claims', (event -> 'claims') || case when event -> 'claims' ? 'key_id'
          then '{"plan": "team", "aal": "aal2", "scope": "all", "key_id": null}'::jsonb else '{}' end)
      $$;
      grant execute on function public.claims to supabase_auth_admin;
      create table public.notes (id int generated always as identity primary key,
        user_id uuid not null default auth.uid(), text text);
      grant select, insert on public.notes to authenticated;
      alter table public.notes enable row level security;
      create policy own on public.notes for select to authenticated using (user_id = auth.uid());
      create policy writing on public.notes for insert to authenticated with check (
        user_id = auth.uid() and (not (auth.jwt() ? 'key_id')
          or 'notes:write' = any (string_to_array(auth.jwt() ->> 'scope', ' '))));
      create function public.whoami() returns jsonb language sql stable as $$ select auth.jwt() $$;
      create function public.sent_headers() returns text language sql stable as
        $$ select current_setting('request.headers', true) $$;`,
  });
  url = backend.url;
});
afterAll(() => backend.stop());

const password = 'correct horse battery';
const options = { auth: { persistSession: false, autoRefreshToken: false } };
let count = 0;

interface Person {
  readonly id: string;
  readonly token: string;
  readonly client: SupabaseClient;
}

async function person(): Promise<Person> {
  const admin = createClient(url, backend.keys.secretKey, options);
  const email = `keys-${++count}@example.com`;
  const { data, error } = await admin.auth.admin.createUser({ email, password, email_confirm: true });
  if (error) throw error;
  const client = createClient(url, backend.keys.publishableKey, options);
  const signedIn = await client.auth.signInWithPassword({ email, password });
  if (signedIn.error) throw signedIn.error;
  return { id: data.user.id, token: signedIn.data.session.access_token, client };
}

interface KeyBody {
  readonly id: string;
  readonly key: string;
  readonly beginning: string;
  readonly scopes: string[];
  readonly last_used_at: string | null;
  readonly msg?: string;
  readonly error_code?: string;
  readonly keys: KeyBody[];
}

async function call(method: string, path: string, token: string, json?: object) {
  const response = await fetch(`${url}/auth/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as KeyBody };
}

async function keyOf(owner: Person, more: object = {}): Promise<KeyBody> {
  const { status, body } = await call('POST', '/user/api-keys', owner.token, { name: 'Script', ...more });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}

const rest = (path: string, headers: Record<string, string>) => fetch(`${url}/rest/v1${path}`, { headers });
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const withKey = (key: string) =>
  createClient(url, backend.keys.publishableKey, { ...options, accessToken: async () => key });

/** Moves the time at which keys were last read into the past. */
async function afterRecheck<T>(work: () => Promise<T>): Promise<T> {
  const now = Date.now();
  vi.spyOn(Date, 'now').mockImplementation(() => now + 6000);
  try {
    return await work();
  } finally {
    vi.restoreAllMocks();
  }
}

describe('managing keys', () => {
  test('a key is shown once, and stored as a hash', async () => {
    const owner = await person();
    const created = await keyOf(owner, { scopes: ['notes:read'], expires_in_days: 7 });
    expect(created.key).toMatch(/^plinth_uk_[0-9A-Za-z]{46}$/);
    const { key, ...rest } = created;
    const listed = await call('GET', '/user/api-keys', owner.token);
    expect(listed.body).toEqual({ keys: [rest], available_scopes: ['notes:read', 'notes:write'] });
    expect(key.startsWith(rest.beginning)).toBe(true);
    const stored = await backend.database.pool('supabase_admin').query(sql`
      select to_jsonb(k)::text as row from _plinth.user_api_keys k where id = ${rest.id}`);
    expect(JSON.stringify(stored)).not.toContain(key.slice(14));
  });

  test.each([
    [{ name: ' ' }, 'name is required'],
    [{ name: 'x'.repeat(101) }, 'name must be text'],
    [{ name: 'a\u0000b' }, 'name must be text'],
    [{ scopes: ['admin'] }, 'scopes contains an unknown scope'],
    [{ expires_in_days: 0 }, 'expires_in_days must be between 1 and 365'],
    [{ expires_in_days: 366 }, 'expires_in_days must be between 1 and 365'],
    [{ expires_in_days: 1.5 }, 'expires_in_days must be between 1 and 365'],
    [{ expires_in_days: '7' }, 'expires_in_days must be between 1 and 365'],
  ])('%j is rejected', async (more, message) => {
    const { status, body } = await call('POST', '/user/api-keys', (await person()).token, {
      name: 'x',
      ...more,
    });
    expect([status, body.msg]).toEqual([400, expect.stringContaining(message)]);
  });

  test('users can neither see nor revoke the keys of others', async () => {
    const [owner, other] = [await person(), await person()];
    const { id } = await keyOf(owner);
    expect((await call('GET', '/user/api-keys', other.token)).body.keys).toEqual([]);
    expect((await call('DELETE', `/user/api-keys/${id}`, other.token)).status).toBe(404);
    expect((await call('DELETE', '/user/api-keys/x', other.token)).status).toBe(404);
    expect((await call('DELETE', `/user/api-keys/${id}`, owner.token)).status).toBe(204);
    expect((await call('GET', '/user/api-keys', owner.token)).body.keys).toEqual([]);
    const events = await backend.database.pool('supabase_admin').query<{ kind: string; name: string }>(sql`
      select kind, details ->> 'name' as name from _plinth.security_events
      where user_id = ${owner.id} and kind like 'api_key%' order by created_at`);
    expect(events).toEqual([
      { kind: 'api_key_created', name: 'Script' },
      { kind: 'api_key_revoked', name: 'Script' },
    ]);
  });

  test('administrators list and revoke the keys of users', async () => {
    const owner = await person();
    const { id } = await keyOf(owner);
    const path = `/admin/users/${owner.id}/api-keys`;
    const { serviceRoleKey } = backend.keys;
    expect((await call('GET', path, owner.token)).status).toBe(403);
    expect((await call('GET', path, serviceRoleKey)).body.keys.map((key) => key.id)).toEqual([id]);
    expect((await call('DELETE', `${path}/${id}`, owner.token)).status).toBe(403);
    expect((await call('DELETE', `${path}/${id}`, serviceRoleKey)).status).toBe(204);
    expect((await call('DELETE', `${path}/${id}`, serviceRoleKey)).status).toBe(404);
  });

  test('a user with a second factor must have used it', async () => {
    const owner = await person();
    const enrolled = await owner.client.auth.mfa.enroll({ factorType: 'totp' });
    if (enrolled.error) throw enrolled.error;
    const { id: factorId, totp } = enrolled.data;
    const verified = await owner.client.auth.mfa.challengeAndVerify({
      factorId,
      code: totpCode(totp.secret, currentStep(Date.now())) ?? '',
    });
    if (verified.error) throw verified.error;
    const refused = await call('POST', '/user/api-keys', owner.token, { name: 'x' });
    expect([refused.status, refused.body.error_code]).toEqual([403, 'insufficient_aal']);
    expect((await call('POST', '/user/api-keys', verified.data.access_token, { name: 'x' })).status).toBe(
      201,
    );
  });

  test('creating a key requires a recent sign-in, revoking doesn’t', async () => {
    const owner = await person();
    const { id } = await keyOf(owner);
    const now = Date.now();
    vi.spyOn(Date, 'now').mockImplementation(() => now + 16 * 60_000);
    try {
      const refused = await call('POST', '/user/api-keys', owner.token, { name: 'x' });
      expect([refused.status, refused.body.error_code]).toEqual([400, 'reauthentication_needed']);
      expect((await call('DELETE', `/user/api-keys/${id}`, owner.token)).status).toBe(204);
    } finally {
      vi.restoreAllMocks();
    }
  });

  test('users are notified of keys that are created on the Account pages', async () => {
    const owner = await person();
    const { email = '' } = (await owner.client.auth.getUser()).data.user ?? {};
    const search = `${backend.status().MAILPIT_URL}/api/v1/search?query=${encodeURIComponent(`to:"${email}"`)}`;
    const subjects = async () =>
      ((await (await fetch(search)).json()) as { messages: { Subject: string }[] }).messages.map(
        ({ Subject }) => Subject,
      );
    // The notice is sent before the response.
    await keyOf(owner);
    expect(await subjects()).toEqual([]);
    const onPage = await fetch(`${url}/auth/v1/user/api-keys`, {
      method: 'POST',
      headers: {
        ...bearer(owner.token),
        'content-type': 'application/json',
        referer: `${url}/account/security`,
      },
      body: JSON.stringify({ name: 'Script' }),
    });
    expect(onPage.status).toBe(201);
    expect(await subjects()).toEqual([expect.stringMatching(/^An API key was created for your .* account$/)]);
  });

  test('an account has up to 50 keys, even if requests are concurrent', async () => {
    const owner = await person();
    await backend.database.pool('supabase_admin').query(sql`
      insert into _plinth.user_api_keys (id, user_id, name, hash, beginning, scopes, created_at, expires_at)
      select gen_random_uuid(), ${owner.id}, 'x', gen_random_uuid()::text, 'x', '{}', now(), now()
      from generate_series(1, 49)`);
    const both = await Promise.all(
      [1, 2].map(() => call('POST', '/user/api-keys', owner.token, { name: 'x' })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
  });
});

describe('a request with a key', () => {
  test('has the user’s claims at aal1, the key’s ID and its scopes, whatever the hook returns', async () => {
    const owner = await person();
    const { id, key } = await keyOf(owner, { scopes: ['notes:read'] });
    const { data } = await withKey(key).rpc('whoami');
    expect(data).toMatchObject({
      sub: owner.id,
      role: 'authenticated',
      aal: 'aal1',
      key_id: id,
      client_id: id,
      scope: 'notes:read',
      plan: 'team',
      amr: [{ method: 'api_key' }],
    });
    expect(data).not.toHaveProperty('session_id');
    expect(data.exp - data.iat).toBeLessThanOrEqual(150);
    const { keys } = (await call('GET', '/user/api-keys', owner.token)).body;
    expect(keys[0]?.last_used_at).toEqual(expect.any(String));
  });

  test('reads and writes what policies allow for its scopes', async () => {
    const owner = await person();
    const writer = withKey((await keyOf(owner, { scopes: ['notes:write'] })).key);
    expect((await writer.from('notes').insert({ text: 'from a script' })).error).toBeNull();
    const reader = withKey((await keyOf(owner, { scopes: ['notes:read'] })).key);
    expect((await reader.from('notes').select('text')).data).toEqual([{ text: 'from a script' }]);
    expect((await reader.from('notes').insert({ text: 'x' })).error?.code).toBe('42501');
    const other = withKey((await keyOf(await person())).key);
    expect((await other.from('notes').select('text')).data).toEqual([]);
  });

  test.each([
    ['the header Authorization', (key: string) => bearer(key)],
    ['the header apikey', (key: string) => ({ apikey: key })],
    ['both headers, as the stock client sends it', (key: string) => ({ apikey: key, ...bearer(key) })],
  ])('can contain the key in %s, which SQL can’t read', async (_, headersWith) => {
    const owner = await person();
    const { key } = await keyOf(owner);
    const sent = await rest('/rpc/sent_headers', headersWith(key));
    expect(sent.status).toBe(200);
    expect(await sent.text()).not.toContain(key.slice(14));
    expect(await (await rest('/rpc/whoami', headersWith(key))).json()).toMatchObject({ sub: owner.id });
  });

  test('works with storage', async () => {
    const admin = createClient(url, backend.keys.secretKey, options);
    await admin.storage.createBucket('files');
    await backend.database.pool('postgres').exec(`
      create policy files on storage.objects for all to authenticated using (bucket_id = 'files')`);
    const storage = withKey((await keyOf(await person())).key).storage.from('files');
    expect((await storage.upload('a.txt', 'text')).error).toBeNull();
  });

  test.each([
    ['an unknown key', async () => createUserKey((size) => crypto.getRandomValues(new Uint8Array(size)))],
    ['a key with a wrong checksum', async () => `${(await keyOf(await person())).key.slice(0, -1)}-`],
    [
      'a key that has expired',
      async () => {
        const { id, key } = await keyOf(await person());
        await backend.database.pool('supabase_admin').query(sql`
        update _plinth.user_api_keys set expires_at = now() where id = ${id}`);
        return key;
      },
    ],
    [
      'the key of a banned user',
      async () => {
        const owner = await person();
        const { key } = await keyOf(owner);
        const admin = createClient(url, backend.keys.secretKey, options);
        await admin.auth.admin.updateUserById(owner.id, { ban_duration: '1h' });
        return key;
      },
    ],
    [
      'the key of a deleted user',
      async () => {
        const owner = await person();
        const { key } = await keyOf(owner);
        const admin = createClient(url, backend.keys.secretKey, options);
        await admin.auth.admin.deleteUser(owner.id);
        return key;
      },
    ],
    [
      'the key of a user with an admin role',
      async () => {
        const owner = await person();
        const { key } = await keyOf(owner);
        await backend.database.pool('postgres').query(sql`
        update auth.users set role = 'service_role' where id = ${owner.id}`);
        return key;
      },
    ],
  ])('is rejected with %s', async (_, create) => {
    const response = await rest('/notes', bearer(await create()));
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ code: 'invalid_user_api_key', message: 'Invalid API key' });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });

  test('is rejected seconds after the key was revoked, with the role that the user has then', async () => {
    const owner = await person();
    const { id, key } = await keyOf(owner);
    expect((await rest('/notes', bearer(key))).status).toBe(200);
    await call('DELETE', `/user/api-keys/${id}`, owner.token);
    expect((await afterRecheck(() => rest('/notes', bearer(key)))).status).toBe(401);
  });

  test.each([
    ['GET', '/user'],
    ['PUT', '/user'],
    ['GET', '/user/api-keys'],
    ['POST', '/user/api-keys'],
    ['GET', '/user/sessions'],
    ['POST', '/factors'],
    ['POST', '/logout'],
    ['GET', '/user/oauth/grants'],
    ['DELETE', '/user'],
  ])('can’t use %s %s of the auth service', async (method, path) => {
    const { key } = await keyOf(await person());
    const { status } = await call(method, path, key, method === 'GET' ? undefined : { name: 'x' });
    expect(status).toBe(403);
  });

  test.each([
    ['PUT', '/user'],
    ['POST', '/user/api-keys'],
    ['POST', '/factors'],
    ['POST', '/logout'],
    ['GET', '/oauth/userinfo'],
  ])('leads to a token that %s %s rejects, if a function passes the token on', async (method, path) => {
    const { key } = await keyOf(await person());
    const sent = (await (await rest('/rpc/sent_headers', bearer(key))).json()) as string;
    const token = (JSON.parse(sent) as { authorization: string }).authorization.slice('Bearer '.length);
    expect((await call('GET', '/user', token)).status).toBe(200);
    const { status } = await call(method, path, token, method === 'GET' ? undefined : { name: 'x' });
    expect(status).toBe(path === '/oauth/userinfo' ? 404 : 403);
  });
});
