/**
 * Tests user administration in the Console's API. Each operation follows auth's rules and is recorded in the audit log.
 */
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { totp } from '../account/harness.ts';
import { type Backend, type Operator, operator } from './harness.ts';

const password = 'a-Good-password-1';
let backend: Backend;
let owner: Operator;
beforeAll(async () => {
  backend = await createTestBackend({
    config: {
      auth: { enable_manual_linking: true, mfa: { totp: { enroll_enabled: true, verify_enabled: true } } },
      plinth: { auth: { api_keys: { enabled: true, scopes: ['notes:read'] } } },
    },
  });
  owner = await operator(backend);
});
afterAll(() => backend?.stop());

const client = () =>
  createClient(backend.url, backend.keys.publishableKey, { auth: { persistSession: false } });

let count = 0;
async function newUser(): Promise<{ id: string; email: string }> {
  const email = `user-${++count}@example.com`;
  const { status, body } = await owner.call('POST', '/users', { email, password });
  expect(status).toBe(200);
  return { id: body.id, email };
}

async function lastAudit(): Promise<{ action: string; target: string; detail: Record<string, unknown> }> {
  const [row] = await backend.database
    .pool('supabase_admin')
    .query<{ action: string; target: string; detail: Record<string, unknown> }>(
      sql`select action, target, detail from _plinth.audit_log order by id desc limit 1`,
    );
  if (row === undefined) throw new Error('the audit log is empty');
  return row;
}

test('users can be found by email, phone, ID and the beginning of an ID', async () => {
  const { id, email } = await newUser();
  const { body } = await owner.call('POST', '/users', { phone: '+49 170 5550123' });
  for (const [search, wanted] of [
    [email, id],
    ['+49 170', body.id],
    ['5550123', body.id],
    [id, id],
    [id.slice(0, 8), id],
  ]) {
    const found = await owner.call('GET', `/users?${new URLSearchParams({ search: search as string })}`);
    expect([search, found.body.users.map((user: { id: string }) => user.id)]).toEqual([search, [wanted]]);
    const { body: counted } = await owner.call(
      'GET',
      `/users/count?${new URLSearchParams({ search: search as string })}`,
    );
    expect(counted).toEqual({ count: 1, precision: 'exact' });
  }
  expect((await owner.call('GET', '/users?search=%25%25%25')).body.users).toEqual([]);
  expect((await owner.call('GET', "/users?search=123'--")).body.users).toEqual([]);
});

test('an invitation is sent, and an error from auth is shown', async () => {
  const { status, body } = await owner.call('POST', '/users/invite', { email: 'invited@example.com' });
  expect([status, body.email]).toEqual([200, 'invited@example.com']);
  expect(await lastAudit()).toMatchObject({ action: 'user.invite', target: 'invited@example.com' });
  const { body: inbox } = await owner.call('GET', '/inbox?search=invited@example.com');
  expect(inbox.messages).toHaveLength(1);
  const { email } = await newUser();
  const again = await owner.call('POST', '/users/invite', { email });
  expect([again.status, again.body.detail]).toEqual([400, 'email_exists']);
});

test("a banned user can't sign in until the ban is lifted", async () => {
  const { id, email } = await newUser();
  expect((await owner.call('POST', `/users/${id}/ban`, { hours: 24 })).body.banned_until).toMatch(/^20/);
  expect(await lastAudit()).toMatchObject({ action: 'user.ban', target: email, detail: { hours: 24 } });
  expect((await lastAudit()).detail).toMatchObject({
    changes: [{ name: 'banned_until', from: null, to: expect.stringMatching(/^20/) }],
  });
  expect((await client().auth.signInWithPassword({ email, password })).error?.code).toBe('user_banned');
  await owner.call('POST', `/users/${id}/ban`, { hours: 0 });
  expect((await lastAudit()).action).toBe('user.unban');
  expect((await client().auth.signInWithPassword({ email, password })).error).toBeNull();
  expect((await owner.call('POST', `/users/${id}/ban`, { hours: -1 })).status).toBe(400);
});

test('a ban can end the user’s sessions', async () => {
  const { id, email } = await newUser();
  await client().auth.signInWithPassword({ email, password });
  await owner.call('POST', `/users/${id}/ban`, { hours: 1 });
  expect((await owner.call('GET', `/users/${id}/sessions`)).body.sessions).toHaveLength(1);
  await owner.call('POST', `/users/${id}/ban`, { hours: 1, endSessions: true });
  expect((await owner.call('GET', `/users/${id}/sessions`)).body.sessions).toEqual([]);
  expect(await lastAudit()).toMatchObject({ action: 'user.ban', detail: { endSessions: true } });
});

test('a password can be set, and reset by email or link', async () => {
  const { id, email } = await newUser();
  await owner.call('PATCH', `/users/${id}`, { password: 'another-Good-1' });
  const { detail } = await lastAudit();
  expect(detail).toEqual({
    userId: id,
    fields: ['password'],
    changes: [{ name: 'password', hidden: 'changed' }],
  });
  expect((await client().auth.signInWithPassword({ email, password: 'another-Good-1' })).error).toBeNull();
  expect((await owner.call('POST', `/users/${id}/reset`, { by: 'mail' })).status).toBe(200);
  expect((await owner.call('GET', `/inbox?search=${email}`)).body.messages).toHaveLength(1);
  const { body } = await owner.call('POST', `/users/${id}/reset`, { by: 'link' });
  expect(body.link).toContain('type=recovery');
  expect(JSON.stringify(await lastAudit())).not.toContain(new URL(body.link).searchParams.get('token'));
});

test('an address can be confirmed', async () => {
  const email = 'later@example.com';
  const { body } = await owner.call('POST', '/users', { email, password, confirmed: false });
  expect(body.email_confirmed_at ?? null).toBeNull();
  const confirmed = await owner.call('POST', `/users/${body.id}/confirm`, { what: 'email' });
  expect(confirmed.body.email_confirmed_at).toMatch(/^20/);
});

test('metadata is replaced with the editor’s text', async () => {
  const { id } = await newUser();
  await owner.call('PATCH', `/users/${id}`, { user_metadata: { name: 'Ada', old: 1 } });
  const { body } = await owner.call('PATCH', `/users/${id}`, { user_metadata: { name: 'Ada L.' } });
  expect(body.user_metadata).toMatchObject({ name: 'Ada L.' });
  expect(body.user_metadata).not.toHaveProperty('old');
  expect((await owner.call('PATCH', `/users/${id}`, { role: 'service_role' })).status).toBe(400);
});

describe('a signed-in user', () => {
  test('has sessions, which can be listed and ended', async () => {
    const { id, email } = await newUser();
    const [one, two, three] = [client(), client(), client()];
    for (const each of [one, two, three]) await each.auth.signInWithPassword({ email, password });
    const { body } = await owner.call('GET', `/users/${id}/sessions`);
    expect(body.sessions).toHaveLength(3);
    expect((await owner.call('DELETE', `/users/${id}/sessions/${body.sessions[0].id}`)).status).toBe(204);
    expect((await owner.call('GET', `/users/${id}/sessions`)).body.sessions).toHaveLength(2);
    expect((await owner.call('DELETE', `/users/${id}/sessions`)).status).toBe(204);
    expect(await lastAudit()).toMatchObject({ action: 'user.end-sessions', target: email });
    expect((await owner.call('GET', `/users/${id}/sessions`)).body.sessions).toEqual([]);
    expect((await one.auth.getUser()).error?.name).toBe('AuthSessionMissingError');
    const { body: activity } = await owner.call('GET', `/users/${id}/events`);
    expect(
      activity.events.map((event: { kind: string; actor: string }) => [event.kind, event.actor]),
    ).toEqual([
      ['sessions_ended', 'operator'],
      ['sessions_ended', 'operator'],
      ['sign_in', 'user'],
      ['sign_in', 'user'],
      ['sign_in', 'user'],
    ]);
    expect(activity.next).toBeNull();
    expect((await owner.call('GET', `/users/${id}/events?before=x`)).status).toBe(400);
  });

  test("doesn't end another user's session", async () => {
    const [victim, other] = [await newUser(), await newUser()];
    await client().auth.signInWithPassword({ email: victim.email, password });
    const { body } = await owner.call('GET', `/users/${victim.id}/sessions`);
    const path = `/users/${other.id}/sessions/${body.sessions[0].id}`;
    expect((await owner.call('DELETE', path)).status).toBe(404);
    expect((await owner.call('GET', `/users/${victim.id}/sessions`)).body.sessions).toHaveLength(1);
  });

  test('has API keys, which can be listed and revoked', async () => {
    const [{ id, email }, other] = [await newUser(), await newUser()];
    const { data } = await client().auth.signInWithPassword({ email, password });
    const created = await backend.fetch('/auth/v1/user/api-keys', {
      method: 'POST',
      headers: {
        apikey: backend.keys.publishableKey,
        authorization: `Bearer ${data.session?.access_token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ name: 'Import', scopes: ['notes:read'] }),
    });
    const { key, ...shown } = (await created.json()) as { id: string; key: string };
    const listed = await owner.call('GET', `/users/${id}/api-keys`);
    expect([listed.status, listed.body]).toEqual([200, { keys: [shown] }]);
    expect(JSON.stringify(listed.body)).not.toContain(key.slice(14));
    expect((await owner.call('GET', `/users/${other.id}/api-keys`)).body).toEqual({ keys: [] });
    expect((await owner.call('DELETE', `/users/${other.id}/api-keys/${shown.id}`)).status).toBe(404);

    await backend.operators.createOperator('keys-looker', 'read-only');
    const looker = await operator(backend, 'keys-looker');
    expect((await looker.call('GET', `/users/${id}/api-keys`)).body.keys).toHaveLength(1);
    expect((await looker.call('DELETE', `/users/${id}/api-keys/${shown.id}`)).status).toBe(403);

    expect((await owner.call('DELETE', `/users/${id}/api-keys/${shown.id}`)).status).toBe(204);
    expect(await lastAudit()).toEqual({
      action: 'user.revoke-api-key',
      target: email,
      detail: { userId: id, keyId: shown.id },
    });
    expect((await owner.call('GET', `/users/${id}/api-keys`)).body).toEqual({ keys: [] });
    expect((await owner.call('DELETE', `/users/${id}/api-keys/${shown.id}`)).status).toBe(404);
    const { body } = await owner.call('GET', `/users/${id}/events`);
    expect(body.events[0]).toMatchObject({
      kind: 'api_key_revoked',
      actor: 'operator',
      details: { name: 'Import' },
    });
  });

  test('can lose a factor, but not the last identity', async () => {
    const { id, email } = await newUser();
    const app = client();
    await app.auth.signInWithPassword({ email, password });
    const { data } = await app.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'phone' });
    expect((await owner.call('DELETE', `/users/${id}/factors/${data?.id}`)).status).toBe(204);
    expect((await lastAudit()).action).toBe('user.remove-factor');
    const { body } = await owner.call('GET', `/users/${id}`);
    expect(body.factors ?? []).toEqual([]);
    const unlink = await owner.call('DELETE', `/users/${id}/identities/${body.identities[0].identity_id}`);
    expect([unlink.status, unlink.body.detail]).toEqual([400, 'single_identity_not_deletable']);
  });

  test('who has lost the second factor can be reset, and is then signed out and notified', async () => {
    const { id, email } = await newUser();
    const app = client();
    await app.auth.signInWithPassword({ email, password });
    const { data } = await app.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'phone' });
    if (data?.type !== 'totp') throw new Error('enrollment failed');
    const code = totp(data.totp.secret);
    const { error } = await app.auth.mfa.challengeAndVerify({ factorId: data.id, code });
    expect(error).toBeNull();
    expect((await owner.call('DELETE', `/users/${id}/factors`)).status).toBe(204);
    expect((await lastAudit()).action).toBe('user.reset-factors');
    expect((await owner.call('GET', `/users/${id}`)).body.factors ?? []).toEqual([]);
    expect((await owner.call('GET', `/users/${id}/sessions`)).body.sessions).toEqual([]);
    const { body } = await owner.call('GET', `/users/${id}/events`);
    expect(body.events[0]).toMatchObject({ kind: 'factors_reset', actor: 'operator' });
    const { body: inbox } = await owner.call('GET', `/inbox?search=${encodeURIComponent(email)}`);
    expect(JSON.stringify(inbox)).toContain('wo-step verification');
  });
});

describe('acting as a user', () => {
  test('issues a short-lived token that stock supabase-js accepts, with an audit entry', async () => {
    const { id, email } = await newUser();
    const { body } = await owner.call('POST', `/users/${id}/impersonate`);
    const claims = JSON.parse(Buffer.from(body.accessToken.split('.')[1], 'base64url').toString());
    expect(claims).toMatchObject({
      sub: id,
      role: 'authenticated',
      email,
      act: { sub: 'operator:owner' },
    });
    expect(claims.exp - claims.iat).toBe(900);
    const app = createClient(body.url, body.publishableKey, { accessToken: async () => body.accessToken });
    expect((await app.rpc('nothing')).error?.code).toBe('PGRST202');
    const user = await backend.fetch('/auth/v1/user', {
      headers: { authorization: `Bearer ${body.accessToken}`, apikey: body.publishableKey },
    });
    expect(((await user.json()) as { id: string }).id).toBe(id);
    expect(await lastAudit()).toEqual({
      action: 'user.impersonate',
      target: email,
      detail: { userId: id, expiresAt: body.expiresAt },
    });
    const { body: active } = await owner.call('GET', '/impersonations');
    expect(active.impersonations[0]).toEqual({ userId: id, name: email, expiresAt: body.expiresAt });
    await backend.operators.createOperator('dev', 'developer');
    const other = await operator(backend, 'dev');
    expect((await other.call('GET', '/impersonations')).body.impersonations).toEqual([]);
  });

  test('is rejected for a user whose role bypasses policies', async () => {
    const { id } = await newUser();
    await backend.database
      .pool('supabase_admin')
      .query(sql`update auth.users set role = 'service_role' where id = ${id}`);
    const { status, body } = await owner.call('POST', `/users/${id}/impersonate`);
    expect([status, body.accessToken]).toEqual([400, undefined]);
  });
});

test.each(['factors', 'sessions', 'identities', 'api-keys'])(
  'an ID below %s can’t be used as a path',
  async (what) => {
    const { id } = await newUser();
    for (const bad of ['..%2f..', 'x', '%00'])
      expect([bad, (await owner.call('DELETE', `/users/${id}/${what}/${bad}`)).status]).toEqual([bad, 404]);
  },
);

test('a banned user’s sessions can be listed and ended', async () => {
  const { id, email } = await newUser();
  await owner.call('POST', `/users/${id}/confirm`, { what: 'email' });
  for (const _ of ['phone', 'laptop', 'tablet']) {
    expect((await client().auth.signInWithPassword({ email, password })).error).toBeNull();
  }
  await owner.call('POST', `/users/${id}/ban`, { hours: 24 });
  const { status, body } = await owner.call('GET', `/users/${id}/sessions`);
  expect([status, body.sessions.length]).toEqual([200, 3]);
  expect((await owner.call('DELETE', `/users/${id}/sessions/${body.sessions[0].id}`)).status).toBe(204);
  expect(await lastAudit()).toMatchObject({ action: 'user.end-session', target: email });
  expect((await owner.call('DELETE', `/users/${id}/sessions`)).status).toBe(204);
  expect((await owner.call('GET', `/users/${id}/sessions`)).body.sessions).toEqual([]);
});
