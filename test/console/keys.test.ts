/**
 * Tests API keys and signing keys in the Console API: how they are created, used and revoked. Only owners can see
 * secrets.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateSigningKey } from '../../src/platform/keys/index.ts';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';

const dir = mkdtempSync(join(tmpdir(), 'plinth-console-keys-'));
let backend: Backend;
let owner: Operator;
let dev: Operator;
beforeAll(async () => {
  const file = join(dir, 'signing.json');
  writeFileSync(file, JSON.stringify([generateSigningKey('ES256')]));
  backend = await startBackend({ config: { auth: { signing_keys_path: file } } });
  await backend.operators.createOperator('dev', 'developer');
  owner = await operator(backend);
  dev = await operator(backend, 'dev');
});
afterAll(async () => {
  await backend?.stop();
  rmSync(dir, { recursive: true });
});

/** Only the service role can list users. */
const usersWith = async (apikey: string): Promise<number> =>
  (await backend.fetch('/auth/v1/admin/users', { headers: { apikey } })).status;

describe('API keys', () => {
  test('a secret key works until it is revoked, and only its creator sees it', async () => {
    const { body } = await owner.call('POST', '/keys/api', { kind: 'secret', name: '<b>CI</b>' });
    expect(await usersWith(body.key)).toBe(200);
    for (const by of [owner, dev]) {
      const { body: listed } = await by.call('GET', '/keys');
      expect(JSON.stringify(listed)).not.toContain(body.key);
      expect(listed.apiKeys).toEqual([
        expect.objectContaining({
          name: '<b>CI</b>',
          kind: 'secret',
          createdBy: 'owner',
          lastUsedAt: expect.any(String),
        }),
      ]);
    }
    expect((await dev.call('DELETE', `/keys/api/${body.entry.id}`)).status).toBe(403);
    expect((await owner.call('DELETE', `/keys/api/${body.entry.id}`)).status).toBe(204);
    expect(await usersWith(body.key)).toBe(401);
    expect((await owner.call('DELETE', `/keys/api/${body.entry.id}`)).status).toBe(404);
    const { entries } = (await owner.call('GET', '/audit?action=key')).body;
    expect(entries.map(({ action }: { action: string }) => action)).toEqual(['key.revoke', 'key.create']);
    expect(JSON.stringify(entries)).not.toContain(body.key);
  });

  test('secrets are revealed only after a recent sign-in', async () => {
    const stale = await operator(backend);
    await backend.database.pool('supabase_admin').exec(`
      update _plinth.operator_sessions set created_at = now() - interval '11 minutes'
      where csrf_token = '${stale.csrfToken}'`);
    const asked = [
      ['/keys/reveal', { name: 'secret' }],
      ['/keys/reveal', { name: 'service_role' }],
      ['/keys/reveal', { name: 'jwt_secret' }],
      ['/keys/api', { kind: 'secret', name: 'stale' }],
      ['/tokens', { name: 'stale', role: 'owner', lifetimeDays: 7 }],
    ] as const;
    for (const [path, body] of asked) {
      const answer = await stale.call('POST', path, body);
      expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'sign_in_again']);
    }
    expect((await stale.call('POST', '/keys/reveal', { name: 'anon' })).status).toBe(200);
    const fresh = await operator(backend);
    expect((await fresh.call('POST', '/keys/reveal', { name: 'secret' })).body.value).toBe(
      backend.keys.secretKey,
    );
  });

  test('a publishable key has the anonymous role', async () => {
    const { body } = await owner.call('POST', '/keys/api', { kind: 'publishable', name: 'web' });
    const client = createClient(backend.url, body.key, { auth: { persistSession: false } });
    const { error } = await client.auth.signUp({ email: 'key@example.com', password: 'a-Good-password-1' });
    expect(error).toBeNull();
    expect((await backend.fetch('/auth/v1/admin/users', { headers: { apikey: body.key } })).status).not.toBe(
      200,
    );
  });

  test.each([
    [{ kind: 'root', name: 'x' }],
    [{ kind: 'secret', name: '' }],
    [{ kind: 'secret', name: 'a\u0000b' }],
  ])('%j is rejected', async (body) => {
    expect((await owner.call('POST', '/keys/api', body)).status).toBe(400);
  });
});

describe('a generated default key', () => {
  let served: Backend;
  let own: Operator;
  beforeAll(async () => {
    served = await startBackend({
      mode: 'production',
      config: { auth: { publishable_key: 'sb_publishable_set' } },
    });
    await served.operators.createOperator('dev', 'developer');
    await served.operators.createOperator('viewer', 'read-only');
    own = await operator(served);
  });
  afterAll(() => served?.stop());
  const rotate = (by: Operator, kind = 'secret', headers = {}) =>
    by.call('POST', '/keys/default/rotate', { kind }, headers);
  const statusWith = async (apikey: string): Promise<number> =>
    (await served.fetch('/auth/v1/admin/users', { headers: { apikey } })).status;

  test('is rotated, and the old key works until it is revoked', async () => {
    const old = served.keys.secretKey;
    const { status, body } = await rotate(own);
    expect([status, served.keys.secretKey, served.status().SECRET_KEY]).toEqual([200, body.key, body.key]);
    expect([await statusWith(old), await statusWith(body.key)]).toEqual([200, 200]);
    const { body: listed } = await own.call('GET', '/keys');
    expect(listed).toMatchObject({
      secretKeyHint: body.key.slice(0, 14),
      defaultKeys: { secret: 'generated', publishable: 'setting' },
    });
    expect(listed.apiKeys).toEqual([
      expect.objectContaining({ id: body.previous.id, wasDefault: true, lastUsedAt: expect.any(String) }),
    ]);
    expect((await own.call('DELETE', `/keys/api/${body.previous.id}`)).status).toBe(204);
    expect([await statusWith(old), await statusWith(body.key)]).toEqual([401, 200]);
    const { entries } = (await own.call('GET', '/audit?action=key.rotate')).body;
    expect(entries).toEqual([expect.objectContaining({ operator_name: 'owner', target: 'secret' })]);
    expect(JSON.stringify(entries)).not.toContain(body.key);
  });

  test('can’t be rotated without the permission, a recent sign-in or the CSRF token', async () => {
    const { secretKey } = served.keys;
    for (const name of ['dev', 'viewer'])
      expect((await rotate(await operator(served, name))).status).toBe(403);
    const stale = await operator(served);
    await served.database.pool('supabase_admin').exec(`
      update _plinth.operator_sessions set created_at = now() - interval '11 minutes'
      where csrf_token = '${stale.csrfToken}'`);
    expect((await rotate(stale)).body.code).toBe('sign_in_again');
    expect((await rotate(own, 'secret', { 'x-plinth-csrf': 'x' })).body.code).toBe('csrf');
    expect((await rotate(own, 'secret', { origin: 'https://evil.example' })).status).toBe(403);
    expect((await rotate(own, 'anon')).status).toBe(400);
    expect(served.keys.secretKey).toBe(secretKey);
    expect((await own.call('GET', '/keys')).body.apiKeys).toEqual([]);
  });

  test('can’t be rotated if a setting defines it or another command is changing the keys', async () => {
    expect((await rotate(own, 'publishable')).body).toMatchObject({
      code: 'refused',
      hint: 'Change the setting auth.publishable_key and restart the server.',
    });
    expect((await rotate(owner)).body.code).toBe('refused');
  });
});

describe('a secret', () => {
  test('is shown to an owner on request, with an audit log entry', async () => {
    const { body } = await owner.call('POST', '/keys/reveal', { name: 'secret' });
    expect(body.value).toBe(backend.keys.secretKey);
    const { entries } = (await owner.call('GET', '/audit?action=key.reveal')).body;
    expect(entries[0]).toMatchObject({ target: 'secret', operator_name: 'owner' });
    expect(JSON.stringify(entries)).not.toContain(backend.keys.secretKey);
  });

  test('isn’t in the list and isn’t available to a developer', async () => {
    const text = JSON.stringify((await owner.call('GET', '/keys')).body);
    for (const secret of [backend.keys.secretKey, backend.keys.serviceRoleKey, backend.keys.jwtSecret])
      expect(text).not.toContain(secret);
    expect((await dev.call('POST', '/keys/reveal', { name: 'secret' })).status).toBe(403);
    expect((await owner.call('POST', '/keys/reveal', { name: 'constructor' })).status).toBe(400);
  });
});

interface SigningKey {
  kid: string;
  state: string;
  uses: number;
  subjects: string[];
}

describe('signing keys', () => {
  const list = async (): Promise<SigningKey[]> => (await owner.call('GET', '/keys')).body.signing;
  const kidOf = (keys: readonly SigningKey[], state: string): string =>
    keys.find((key) => key.state === state)?.kid ?? '';

  test('a standby key can replace the current key, which can be revoked, and the list shows clients that still use it', async () => {
    const client = createClient(backend.url, backend.keys.publishableKey, {
      auth: { persistSession: false },
    });
    const { data } = await client.auth.signUp({ email: 'old@example.com', password: 'a-Good-password-1' });
    const old = kidOf(await list(), 'in use');
    expect((await owner.call('DELETE', `/keys/signing/${old}`)).body).toMatchObject({ code: 'refused' });
    expect((await owner.call('POST', '/keys/signing/rotate', {})).body.code).toBe('refused');

    const { body } = await owner.call('POST', '/keys/signing', { algorithm: 'RS256' });
    const standby = kidOf(body.signing, 'standby');
    await owner.call('POST', '/keys/signing/rotate', { kid: standby });
    expect(kidOf(await list(), 'in use')).toBe(standby);
    expect(kidOf(await list(), 'previous')).toBe(old);

    // A token signed with the previous key still works, and the list shows which users still have such tokens.
    expect((await client.auth.getUser()).error).toBeNull();
    const previous = (await list()).find(({ kid }) => kid === old);
    expect(previous?.subjects).toContain(data.user?.id);
    expect((await dev.call('DELETE', `/keys/signing/${old}`)).status).toBe(403);
    expect((await owner.call('DELETE', `/keys/signing/${old}`)).status).toBe(200);
    // Servers check the key file once per second.
    await expect.poll(async () => (await client.auth.getUser()).error?.status).toBe(403);
    expect((await list()).map(({ kid }) => kid)).not.toContain(old);
  });
});
