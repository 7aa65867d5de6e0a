/** Tests machine-to-machine clients: how operators register them, and what their tokens can do at each service. */
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../../src/base/kernel/sql.ts';
import { createTestBackend } from '../../../src/entry/testing.ts';
import { basic, claimsOf, type Refusal, type Registered } from './client.ts';

type Backend = Awaited<ReturnType<typeof createTestBackend>>;
let backend: Backend;
let url: string;

beforeAll(async () => {
  backend = await createTestBackend({
    config: { auth: { oauth_server: { enabled: true, allow_dynamic_registration: true } } },
    sql: `
      create role exporter nologin noinherit;
      grant exporter to authenticator;
      grant usage on schema public to exporter;
      create role helper nologin;
      grant service_role to helper;
      grant helper to authenticator;
      create role outsider nologin;
      create table public.readings (id int primary key, place text not null);
      insert into public.readings values (1, 'roof'), (2, 'cellar');
      grant select on public.readings to anon, authenticated, exporter;
      alter table public.readings enable row level security;
      create policy clients on public.readings for select to anon, exporter
        using (auth.jwt() ->> 'client_id' is not null and 'readings:read' = any (string_to_array(auth.jwt() ->> 'scope', ' ')));
      create table public.diaries (id int primary key, user_id uuid, text text);
      insert into public.diaries values (1, null, 'of users');
      grant select, insert on public.diaries to anon, authenticated, exporter;
      alter table public.diaries enable row level security;
      create policy members on public.diaries for select to authenticated using (true);
      create policy signed_in on public.diaries for select using (auth.uid() is not null);
      create policy own on public.diaries for insert with check (user_id = auth.uid());`,
  });
  url = backend.url;
});
afterAll(() => backend.stop());

interface Client extends Registered {
  readonly scope?: string;
  readonly database_role?: string;
  readonly msg?: string;
  readonly redirect_uris?: string[];
  readonly response_types?: string[];
}

async function admin(path: string, method: string, json?: object) {
  const response = await fetch(`${url}/auth/v1/admin/oauth/clients${path}`, {
    method,
    headers: { authorization: `Bearer ${backend.keys.serviceRoleKey}`, 'content-type': 'application/json' },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Client };
}

const metadata = { client_name: 'Importer', grant_types: ['client_credentials'] };

async function machine(more: object = {}): Promise<Client> {
  const { status, body } = await admin('', 'POST', {
    ...metadata,
    scope: 'readings:read readings:write',
    ...more,
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}

interface TokenResponse extends Refusal {
  readonly access_token: string;
  readonly scope?: string;
  readonly expires_in?: number;
  readonly token_type?: string;
  readonly refresh_token?: string;
}

async function request(form: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/auth/v1/oauth/token`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ grant_type: 'client_credentials', ...form }),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as TokenResponse,
  };
}

async function tokenOf(client: Client, form: Record<string, string> = {}): Promise<string> {
  const { status, body } = await request(form, basic(client));
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.access_token;
}

const clientWith = (token: string) =>
  createClient(url, backend.keys.publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { headers: { authorization: `Bearer ${token}` } },
  });

describe('registering a machine-to-machine client', () => {
  test('as an operator needs no redirect URI, and grants scopes and a role', async () => {
    const client = await machine();
    expect(client).toMatchObject({
      client_type: 'confidential',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
      scope: 'readings:read readings:write',
      database_role: 'anon',
    });
    expect(client.client_secret).toMatch(/^[\w-]{43}$/);
    const read = await admin(`/${client.client_id}`, 'GET');
    expect(read.body).toMatchObject({ scope: 'readings:read readings:write', database_role: 'anon' });
    expect(read.body).not.toHaveProperty('client_secret');
  });

  test('isn’t possible for an app that registers itself', async () => {
    const response = await fetch(`${url}/auth/v1/oauth/clients/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...metadata, redirect_uris: ['https://app.example/'], scope: 'readings:read' }),
    });
    expect(response.status).toBe(400);
    expect(((await response.json()) as Refusal).msg).toContain('grant_types must only contain');
  });

  test.each([
    [{ token_endpoint_auth_method: 'none' }, 'requires a confidential client'],
    [{ grant_types: ['authorization_code', 'client_credentials'] }, 'redirect_uris is required'],
    [{ scope: 'openid' }, "scope 'openid' is for users"],
    [{ scope: 'a"b' }, "invalid scope 'a\"b'"],
    [{ database_role: 'service_role' }, "database_role 'service_role'"],
    [{ database_role: 'postgres' }, "database_role 'postgres'"],
    [{ database_role: 'authenticator' }, "database_role 'authenticator'"],
    [{ database_role: 'supabase_admin' }, "database_role 'supabase_admin'"],
    [{ database_role: 'helper' }, "database_role 'helper'"],
    [{ database_role: 'outsider' }, "database_role 'outsider'"],
    [{ database_role: 'missing' }, "database_role 'missing'"],
  ])('with %j is rejected', async (more, reason) => {
    const { status, body } = await admin('', 'POST', { ...metadata, ...more });
    expect(status).toBe(400);
    expect(body.msg).toContain(reason);
  });

  test('keeps what an update doesn’t name, and ends with the grant', async () => {
    const client = await machine({ database_role: 'exporter' });
    const path = `/${client.client_id}`;
    expect((await admin(path, 'PUT', { scope: 'readings:read' })).body).toMatchObject({
      scope: 'readings:read',
      database_role: 'exporter',
    });
    expect((await admin(path, 'PUT', { client_name: 'Renamed' })).body).toMatchObject({
      scope: 'readings:read',
      client_name: 'Renamed',
    });
    expect((await admin(path, 'PUT', { grant_types: ['authorization_code'] })).body.msg).toBe(
      'redirect_uris is required',
    );
    const changed = { grant_types: ['authorization_code'], redirect_uris: ['https://app.example/'] };
    expect((await admin(path, 'PUT', changed)).body).not.toHaveProperty('scope');
    expect((await request({}, basic(client))).body.error).toBe('unauthorized_client');
  });
});

describe('the token endpoint', () => {
  test('announces the grant', async () => {
    const response = await fetch(`${url}/.well-known/oauth-authorization-server`);
    expect(await response.json()).toMatchObject({
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    });
  });

  test('issues a short-lived token without a user or a refresh token', async () => {
    const client = await machine();
    const { status, headers, body } = await request({}, basic(client));
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: 'bearer',
      expires_in: 300,
      scope: 'readings:read readings:write',
    });
    const claims = claimsOf(body.access_token) as { exp: number; iat: number };
    expect(claims).toEqual({
      iss: `${url}/auth/v1`,
      aud: 'authenticated',
      iat: expect.any(Number),
      exp: claims.iat + 300,
      jti: expect.any(String),
      role: 'anon',
      client_id: client.client_id,
      scope: 'readings:read readings:write',
    });
  });

  test('accepts the secret in the body from a client that is registered for it', async () => {
    const client = await machine({ token_endpoint_auth_method: 'client_secret_post' });
    const form = { client_id: client.client_id, client_secret: client.client_secret ?? '' };
    expect((await request(form)).status).toBe(200);
    expect((await request({}, basic(client))).body.error).toBe('invalid_client');
  });

  test('narrows the scope, and rejects scopes that aren’t granted', async () => {
    const client = await machine();
    expect((await request({ scope: 'readings:read' }, basic(client))).body.scope).toBe('readings:read');
    const { status, body } = await request({ scope: 'readings:read admin' }, basic(client));
    expect([status, body.error]).toEqual([400, 'invalid_scope']);
  });

  test.each([
    ['another secret', (client: Client) => basic({ ...client, client_secret: 'guessed' })],
    ['an unknown client', (client: Client) => basic({ ...client, client_id: crypto.randomUUID() })],
  ])('rejects %s with status 401', async (_, headers) => {
    const { status, headers: received, body } = await request({}, headers(await machine()));
    expect([status, body.error]).toEqual([401, 'invalid_client']);
    expect(received.get('www-authenticate')).toBe('Basic realm="OAuth"');
  });

  test('rejects a deleted client and a replaced secret', async () => {
    const client = await machine();
    await admin(`/${client.client_id}/regenerate_secret`, 'POST', {});
    expect((await request({}, basic(client))).body.error).toBe('invalid_client');
    const other = await machine();
    await admin(`/${other.client_id}`, 'DELETE');
    expect((await request({}, basic(other))).body.error).toBe('invalid_client');
  });

  test('checks the role again, because its attributes can change', async () => {
    const client = await machine({ database_role: 'exporter' });
    await backend.database.pool('supabase_admin').query(sql`alter role exporter bypassrls`);
    try {
      expect((await request({}, basic(client))).body.error).toBe('unauthorized_client');
    } finally {
      await backend.database.pool('supabase_admin').query(sql`alter role exporter nobypassrls`);
    }
  });

  test('records each token in the audit log, without the token', async () => {
    const client = await machine();
    const token = await tokenOf(client);
    const rows = await backend.database.pool('postgres').query<{ payload: Record<string, unknown> }>(sql`
      select payload from auth.audit_log_entries where payload ->> 'actor_id' = ${client.client_id}`);
    expect(rows.map(({ payload }) => payload)).toEqual([
      expect.objectContaining({
        action: 'client_token_issued',
        actor_username: 'Importer',
        log_type: 'token',
      }),
    ]);
    expect(JSON.stringify(rows)).not.toContain(token);
  });
});

describe('a machine token', () => {
  test('reads the rows of policies for its client and scope', async () => {
    const client = await machine();
    const { data } = await clientWith(await tokenOf(client))
      .from('readings')
      .select('place')
      .order('id');
    expect(data).toEqual([{ place: 'roof' }, { place: 'cellar' }]);
    const narrowed = await tokenOf(client, { scope: 'readings:write' });
    expect((await clientWith(narrowed).from('readings').select()).data).toEqual([]);
  });

  test('has the role that the operator chose', async () => {
    const client = await machine({ database_role: 'exporter' });
    const token = await tokenOf(client);
    expect(claimsOf(token).role).toBe('exporter');
    expect((await clientWith(token).from('readings').select('id')).data).toHaveLength(2);
  });

  test('doesn’t match policies for users', async () => {
    const reader = clientWith(await tokenOf(await machine()));
    expect((await reader.from('diaries').select()).data).toEqual([]);
    expect((await reader.from('diaries').insert({ id: 2, user_id: null })).error?.code).toBe('42501');
    const exporter = clientWith(await tokenOf(await machine({ database_role: 'exporter' })));
    expect((await exporter.from('diaries').select()).data).toEqual([]);
  });

  test.each([
    ['GET', '/user'],
    ['PUT', '/user'],
    ['GET', '/user/sessions'],
    ['GET', '/oauth/userinfo'],
    ['GET', '/user/oauth/grants'],
    ['POST', '/factors'],
    ['POST', '/logout'],
    ['GET', '/admin/users'],
  ])('is rejected by %s %s', async (method, path) => {
    const token = await tokenOf(await machine({ database_role: 'authenticated' }));
    const response = await fetch(`${url}/auth/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(method === 'GET' ? {} : { body: '{}' }),
    });
    expect(response.status).toBe(403);
  });
});
