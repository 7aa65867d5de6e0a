/** Tests that every service except auth accepts tokens from a third-party issuer. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/kernel/log.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { configFrom } from '../../src/platform/config/index.ts';
import { createThirdParty, thirdPartyIssuer } from '../../src/platform/keys/third-party.ts';
import { type Issuer, startIssuer } from './issuer.ts';

let issuer: Issuer;
let backend: Backend;
let projectDir: string;

beforeAll(async () => {
  issuer = await startIssuer();
  projectDir = await mkdtemp(join(tmpdir(), 'plinth-third-party-'));
  const hello = join(projectDir, 'supabase', 'functions', 'hello');
  await mkdir(hello, { recursive: true });
  await writeFile(join(hello, 'index.ts'), "Deno.serve(() => new Response('hello'));");
  backend = await createTestBackend({
    projectDir,
    config: { auth: { third_party: { workos: { enabled: true, issuer_url: issuer.url } } } },
    sql: `
      create table notes (id int primary key, owner text default auth.jwt()->>'sub');
      alter table notes enable row level security;
      create policy own on notes for all to authenticated using (owner = auth.jwt()->>'sub');
      grant all on notes to authenticated;
      insert into storage.buckets (id, name) values ('files', 'files');
      create policy files on storage.objects for all to authenticated
        using (owner_id = auth.jwt()->>'sub') with check (owner_id = auth.jwt()->>'sub');`,
  });
});
afterAll(async () => {
  await backend?.stop();
  await issuer?.stop();
  if (projectDir !== undefined) await rm(projectDir, { recursive: true, force: true });
});

const insert = (token: string, id: number): Promise<Response> =>
  backend.fetch('/rest/v1/notes', {
    method: 'POST',
    headers: {
      apikey: backend.keys.publishableKey,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ id }),
  });

const person = { sub: 'user_01', role: 'authenticated' };

it('REST accepts the token with its claims', async () => {
  expect((await insert(issuer.token(person), 1)).status).toBe(201);
  const { data } = await createClient(backend.url, backend.keys.publishableKey, {
    accessToken: async () => issuer.token(person),
  })
    .from('notes')
    .select('*');
  expect(data).toEqual([{ id: 1, owner: 'user_01' }]);
});

it('storage accepts the token', async () => {
  const client = createClient(backend.url, backend.keys.publishableKey, {
    accessToken: async () => issuer.token(person),
  });
  const { error } = await client.storage.from('files').upload('a.txt', 'hello');
  expect(error).toBeNull();
  const { data } = await client.storage.from('files').download('a.txt');
  expect(await data?.text()).toBe('hello');
});

it('functions accept the token', async () => {
  const call = (token: string) =>
    backend.fetch('/functions/v1/hello', { headers: { authorization: `Bearer ${token}` } });
  const response = await call(issuer.token(person));
  expect(await response.text()).toBe('hello');
  expect((await call(issuer.token({ ...person, iss: 'https://other.example' }))).status).toBe(401);
});

it('realtime accepts the token', async () => {
  const client = createClient(backend.url, backend.keys.publishableKey, {
    accessToken: async () => issuer.token(person),
  });
  await client.realtime.setAuth();
  const status = await new Promise((done) => {
    client.channel('room').subscribe((state) => done(state));
  });
  expect(status).toBe('SUBSCRIBED');
  await client.removeAllChannels();
});

it('the auth service doesn’t accept the token, regardless of its role', async () => {
  const headers = (token: string) => ({
    apikey: backend.keys.publishableKey,
    authorization: `Bearer ${token}`,
  });
  const user = issuer.token({ ...person, sub: crypto.randomUUID() });
  const admin = issuer.token({ ...person, role: 'service_role' });
  expect((await backend.fetch('/auth/v1/user', { headers: headers(user) })).status).toBe(403);
  expect((await backend.fetch('/auth/v1/admin/users', { headers: headers(admin) })).status).toBe(403);
});

describe('rejected tokens', () => {
  it.each([
    [
      'another issuer with the same keys (another project of the same provider)',
      () => issuer.token({ ...person, iss: 'https://other.example' }),
    ],
    ['no issuer', () => issuer.token({ ...person, iss: undefined })],
    ['an issuer with the same prefix', () => issuer.token({ ...person, iss: `${issuer.url}.evil.example` })],
    ['no signature', () => issuer.token(person, { alg: 'none' })],
    [
      'the public key as an HMAC secret',
      () => issuer.token(person, { alg: 'HS256', secret: JSON.stringify(issuer.publicJwk()) }),
    ],
    [
      'a key in the token',
      () => {
        const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
        return issuer.token(person, {
          key: privateKey,
          header: { jwk: publicKey.export({ format: 'jwk' }), jku: 'https://evil.example/jwks' },
        });
      },
    ],
    ['expired', () => issuer.token({ ...person, exp: Math.floor(Date.now() / 1000) - 120 })],
  ])('%s', async (_name, make) => {
    expect((await insert(make(), 2)).status).toBe(401);
  });
});

it('an unknown key is requested only a limited number of times', async () => {
  const before = issuer.asked.length;
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => insert(issuer.token(person, { kid: `invented-${i}` }), 3)),
  );
  expect(answers.every(({ status }) => status === 401)).toBe(true);
  // The discovery document and the key set are each requested at most once.
  expect(issuer.asked.length - before).toBeLessThanOrEqual(2);
});

it('the key set for functions contains the issuer’s keys, but none of Plinth’s secrets', () => {
  expect(backend.keys.internalJwks().keys).toContainEqual(
    expect.objectContaining({ kid: 'key-0', kty: 'RSA' }),
  );
  expect(backend.keys.publicJwks().keys).not.toContainEqual(expect.objectContaining({ kid: 'key-0' }));
});

it.each([
  [{ firebase: { enabled: true, project_id: 'p' } }, 'https://securetoken.google.com/p'],
  [{ auth0: { enabled: true, tenant: 't' } }, 'https://t.auth0.com'],
  [{ auth0: { enabled: true, tenant: 't', tenant_region: 'eu' } }, 'https://t.eu.auth0.com'],
  [
    { aws_cognito: { enabled: true, user_pool_id: 'eu-1_x', user_pool_region: 'eu-1' } },
    'https://cognito-idp.eu-1.amazonaws.com/eu-1_x',
  ],
  [{ clerk: { enabled: true, domain: 'clerk.example.com' } }, 'https://clerk.example.com'],
  [{ workos: { enabled: true, issuer_url: 'https://api.workos.com/x/' } }, 'https://api.workos.com/x'],
  [{}, undefined],
])('with %j, the issuer is %s', (third_party, expected) => {
  expect(thirdPartyIssuer(configFrom({ auth: { third_party } }).auth.third_party)).toBe(expected);
});

it('while connections are open, old keys are fetched again, and a changed set changes the generation', async () => {
  let nowMs = Date.now();
  let fetches = 0;
  let kids = ['one', 'two'];
  const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  const outgoing = {
    async send({ url }: { url: string }) {
      const isDiscovery = url.endsWith('openid-configuration');
      if (!isDiscovery) fetches++;
      const document = isDiscovery
        ? { jwks_uri: 'https://issuer.example/keys', issuer: 'https://issuer.example' }
        : { keys: kids.map((kid) => ({ ...jwk, kid, alg: 'ES256' })) };
      return { status: 200, text: JSON.stringify(document) };
    },
  };
  const thirdParty = createThirdParty({
    issuer: 'https://issuer.example',
    outgoing: outgoing as never,
    now: () => nowMs,
    log: silentLogger,
  });
  const before = thirdParty.generation();
  expect(fetches).toBe(0);
  await thirdParty.warm();
  const first = thirdParty.generation();
  expect(first).not.toBe(before);
  kids = ['two'];
  nowMs += 601_000;
  thirdParty.generation();
  await expect.poll(() => thirdParty.generation()).not.toBe(first);
  expect(fetches).toBe(2);
});
