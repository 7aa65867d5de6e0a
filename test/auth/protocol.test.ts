/** Tests the format of errors, headers, bodies and tokens, and attacks on them. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Logger, silentLogger } from '../../src/base/kernel/log.ts';
import { sql } from '../../src/base/kernel/sql.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

let server: AuthServer;
beforeAll(async () => {
  server = await startAuth({ enable_anonymous_sign_ins: true });
});
afterAll(() => server.stop());

interface KeySet {
  readonly keys: readonly { readonly kty: string; readonly kid?: string }[];
}

interface SessionJson {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly user: { readonly id: string };
}

const versioned = { 'x-supabase-api-version': '2024-01-01' };

describe('errors', () => {
  test('have the older format by default', async () => {
    const response = await server.request('/token?grant_type=password', {
      json: { email: 'a@b.cd', password: 'x' },
    });
    expect(response.status).toBe(400);
    expect(response.headers.get('x-sb-error-code')).toBe('invalid_credentials');
    expect(response.headers.get('x-supabase-api-version')).toBeNull();
    expect(await response.json()).toEqual({
      code: 400,
      error_code: 'invalid_credentials',
      msg: 'Invalid login credentials',
    });
  });

  test('have the newer format with its API version, which browsers can read', async () => {
    const response = await server.request('/token?grant_type=password', {
      json: { email: 'a@b.cd', password: 'x' },
      headers: { ...versioned, origin: 'http://localhost:5173' },
    });
    expect(response.headers.get('x-supabase-api-version')).toBe('2024-01-01');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-expose-headers')?.toLowerCase()).toContain(
      'x-supabase-api-version',
    );
    expect(await response.json()).toEqual({
      code: 'invalid_credentials',
      message: 'Invalid login credentials',
    });
  });

  test('contain the reasons for weak passwords in both formats', async () => {
    const json = { email: newEmail(), password: '1' };
    const old = await (await server.request('/signup', { json })).json();
    expect(old).toMatchObject({
      code: 422,
      error_code: 'weak_password',
      weak_password: { reasons: ['length'] },
    });
    const newer = await (await server.request('/signup', { json, headers: versioned })).json();
    expect(newer).toMatchObject({ code: 'weak_password', weak_password: { reasons: ['length'] } });
  });

  test.each([
    ['', 400, 'bad_json'],
    ['{', 400, 'bad_json'],
    ['[]', 400, 'bad_json'],
    ['{"email":1}', 400, 'bad_json'],
    [`{"email":"${'x'.repeat(1_048_600)}"}`, 413, 'request_entity_too_large'],
  ])('body %.20s is rejected', async (body, status, code) => {
    const response = await server.request('/signup', { method: 'POST', body });
    expect([response.status, (await response.json()).error_code]).toEqual([status, code]);
  });

  test('bodies are parsed as JSON regardless of their type', async () => {
    const response = await server.request('/signup', { json: {}, headers: { 'content-type': 'text/plain' } });
    expect(response.status).toBe(200);
  });

  test('an exception from a project’s trigger is returned to the client and logged as a warning', async () => {
    const logged: string[] = [];
    const log: Logger = {
      ...silentLogger,
      warn: ({ code }) => logged.push(`warn ${code}`),
      error: ({ error }) => logged.push(`error ${error}`),
    };
    const own = await startAuth({}, { log });
    try {
      await own.database.pool('supabase_admin').exec(`
        create function public.refuse() returns trigger language plpgsql as
          $$ begin raise exception 'no more users' using hint = 'come back later'; end $$;
        create trigger refuse before insert on auth.users for each row execute function public.refuse();`);
      const json = { email: newEmail(), password: 'correct horse' };
      const old = await own.request('/signup', { json });
      expect([old.status, await old.json()]).toEqual([
        500,
        { code: 'P0001', message: 'no more users', hint: 'come back later' },
      ]);
      const newer = await own.request('/signup', { json, headers: versioned });
      expect(await newer.json()).toEqual({
        code: 'unexpected_failure',
        message: 'Database error saving new user',
      });
      expect(logged).toEqual(['warn P0001', 'warn P0001']);
    } finally {
      await own.stop();
    }
  });

  test.each([
    ['GET', '/authorize?provider=google', 400, 'validation_failed'],
    ['GET', '/authorize?provider=nosuch', 400, 'validation_failed'],
    ['POST', '/sso', 404, 'saml_provider_disabled'],
    ['POST', '/token?grant_type=magic', 400, 'invalid_credentials'],
    ['GET', '/.well-known/oauth-authorization-server', 404, 'feature_disabled'],
    ['GET', '/user', 401, 'no_authorization'],
    ['GET', '/verify', 400, 'validation_failed'],
  ])('%s %s is rejected', async (method, path, status, code) => {
    const response = await fetch(`${server.url}/auth/v1${path}`, {
      method,
      ...(method === 'POST' ? { body: '{}' } : {}),
    });
    const { error_code } = (await response.json()) as { error_code?: string };
    expect([response.status, error_code]).toEqual([status, code]);
  });
});

describe('tokens', () => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const forge = (header: object, claims: object, key = 'x') => {
    const body = `${encode(header)}.${encode(claims)}`;
    return `${body}.${createHmac('sha256', key).update(body).digest('base64url')}`;
  };
  const soon = () => Math.floor(Date.now() / 1000) + 600;

  async function user() {
    const { data } = await server.client().auth.signUp({ email: newEmail(), password: 'correct horse' });
    return { id: data.user?.id ?? '', token: data.session?.access_token ?? '' };
  }

  test('no token, other projects’ keys, and the public key as a secret are rejected', async () => {
    const { id } = await user();
    const claims = { sub: id, role: 'service_role', aud: 'authenticated', exp: soon() };
    const [jwk] = (await (await server.request('/.well-known/jwks.json')).json<KeySet>()).keys;
    const forged = [
      `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims)}.`,
      forge({ alg: 'HS256', typ: 'JWT' }, claims),
      forge({ alg: 'HS256', typ: 'JWT', kid: jwk?.kid }, claims, JSON.stringify(jwk)),
      forge({ alg: 'HS256', typ: 'JWT', kid: '../../etc/passwd' }, claims),
      'a.b.c',
      'x',
    ];
    for (const token of forged) {
      for (const path of ['/user', '/admin/users']) {
        const response = await server.request(path, { token });
        expect([response.status, (await response.json()).error_code]).toEqual([403, 'bad_jwt']);
      }
    }
  });

  test('tokens signed with the project’s secret are checked by sub, expiry and session', async () => {
    const { id } = await user();
    const secret = server.keys.jwtSecret;
    const ask = async (claims: object) => {
      const response = await server.request('/user', {
        token: forge({ alg: 'HS256', typ: 'JWT' }, claims, secret),
      });
      return [response.status, (await response.json()).error_code];
    };
    const good = { sub: id, aud: 'authenticated', role: 'authenticated', exp: soon() };
    expect(await ask(good)).toEqual([200, undefined]);
    // The issuer and the audience aren't checked. A token that is signed with the secret can omit the expiry, but the
    // expiry can't be a string.
    expect(await ask({ ...good, iss: 'https://other.example', aud: 'other' })).toEqual([200, undefined]);
    expect(await ask({ ...good, exp: undefined })).toEqual([200, undefined]);
    expect(await ask({ ...good, exp: String(soon()) })).toEqual([403, 'bad_jwt']);
    expect(await ask({ ...good, nbf: soon() })).toEqual([403, 'bad_jwt']);
    expect(await ask({ ...good, exp: 1 })).toEqual([403, 'bad_jwt']);
    expect(await ask({ ...good, sub: undefined })).toEqual([403, 'bad_jwt']);
    expect(await ask({ ...good, sub: 'x' })).toEqual([400, 'bad_jwt']);
    expect(await ask({ ...good, sub: crypto.randomUUID() })).toEqual([403, 'user_not_found']);
    expect(await ask({ ...good, session_id: crypto.randomUUID() })).toEqual([403, 'session_not_found']);
    expect(await ask({ ...good, session_id: 'x' })).toEqual([403, 'bad_jwt']);
  });

  test('the public key set contains no secrets', async () => {
    const response = await server.request('/.well-known/jwks.json');
    expect(response.headers.get('cache-control')).toBe('public, max-age=600');
    const { keys } = await response.json<KeySet>();
    for (const key of keys) {
      expect(key.kty).not.toBe('oct');
      expect(key).not.toHaveProperty('d');
    }
  });
});

test('triggers see an INSERT without a role, and then updates', async () => {
  const own = await startAuth();
  try {
    const db = own.database.pool('supabase_admin');
    await db.exec(`
      create table public.seen (ordinal bigint generated always as identity, op text, role text, meta jsonb, confirmed bool);
      create function public.watch() returns trigger language plpgsql security definer as $$
      begin
        insert into public.seen (op, role, meta, confirmed)
        values (tg_op, new.role, new.raw_user_meta_data, new.email_confirmed_at is not null);
        return new;
      end $$;
      create trigger watch after insert or update on auth.users for each row execute function public.watch();`);
    await own
      .client()
      .auth.signUp({ email: newEmail(), password: 'correct horse', options: { data: { name: 'Ann' } } });
    const rows = await db.query<{ op: string; role: string; meta: object; confirmed: boolean }>(
      sql`select op, role, meta, confirmed from public.seen order by ordinal`,
    );
    expect(rows[0]).toEqual({ op: 'INSERT', role: '', meta: { name: 'Ann' }, confirmed: false });
    expect(rows[1]).toMatchObject({ op: 'UPDATE', role: 'authenticated' });
    expect(rows.at(-1)).toMatchObject({
      role: 'authenticated',
      meta: { name: 'Ann', email_verified: true },
      confirmed: true,
    });
  } finally {
    await own.stop();
  }
});

test('a code for the Account pages creates a separate session, but only once', async () => {
  const { createHash } = await import('node:crypto');
  const client = server.client();
  const { data } = await client.auth.signUp({ email: newEmail(), password: 'correct horse' });
  const verifier = 'v'.repeat(64);
  const codeChallenge = createHash('sha256').update(verifier).digest('base64url');
  const accessToken = data.session?.access_token ?? '';
  const code = await server.issueCode({
    accessToken,
    codeChallenge,
    codeChallengeMethod: 's256',
    redirectTo: 'https://app.example/in',
  });
  const exchange = () =>
    server.request('/token?grant_type=pkce', { json: { auth_code: code, code_verifier: verifier } });
  const session = await (await exchange()).json<SessionJson>();
  expect(session.user.id).toBe(data.user?.id);
  expect(session.refresh_token).not.toBe(data.session?.refresh_token);
  const claimsOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  expect(claimsOf(session.access_token).amr).toMatchObject([{ method: 'password' }]);
  expect(claimsOf(session.access_token).session_id).not.toBe(claimsOf(accessToken).session_id);
  expect((await exchange()).status).toBe(404);
  await client.auth.signOut();
  await expect(
    server.issueCode({
      accessToken,
      codeChallenge,
      codeChallengeMethod: 's256',
      redirectTo: 'https://app.example/in',
    }),
  ).rejects.toMatchObject({
    code: 'session_not_found',
  });
});
