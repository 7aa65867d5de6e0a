/** Tests the error responses to factor enrollment, challenges, verification and administration. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { totpCode } from '../../src/base/shared/one-time-codes.ts';
import { type AuthServer, codeOf, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';

let server: AuthServer;
beforeAll(async () => {
  const factor = { enroll_enabled: true, verify_enabled: true };
  server = await startAuth({ mfa: { totp: factor, phone: { ...factor, max_frequency: 0 } } });
});
afterAll(() => server.stop());

interface Enrolled {
  readonly id: string;
  readonly totp: { readonly secret: string };
}

async function newUser(at = server): Promise<{ id: string; token: string }> {
  const response = await at.request('/signup', { json: { email: newEmail(), password } });
  const { access_token: token, user } = await response.json<{ access_token: string; user: { id: string } }>();
  return { id: user.id, token };
}

async function enrolTotp(token: string, friendly_name = 'app'): Promise<Enrolled> {
  const response = await server.request('/factors', { json: { factor_type: 'totp', friendly_name }, token });
  expect(response.status).toBe(200);
  return response.json<Enrolled>();
}

async function challenge(token: string, factorId: string): Promise<string> {
  const response = await server.request(`/factors/${factorId}/challenge`, { json: {}, token });
  expect(response.status).toBe(200);
  return (await response.json<{ id: string }>()).id;
}

const verify = (token: string, factorId: string, json: object) =>
  server.request(`/factors/${factorId}/verify`, { json, token });

const now = (secret: string) => totpCode(secret, Math.floor(Date.now() / 30_000));

test('an expired challenge is rejected', async () => {
  const { token } = await newUser();
  const { id, totp } = await enrolTotp(token);
  const challenge_id = await challenge(token, id);
  server.clock.advance(301_000);
  const late = await verify(token, id, { challenge_id, code: now(totp.secret) });
  server.clock.advance(-301_000);
  expect(late.status).toBe(422);
  expect(await late.json()).toMatchObject({
    error_code: 'mfa_challenge_expired',
    msg: `MFA challenge ${challenge_id} has expired, verify against another challenge or create a new challenge.`,
  });
  const gone = await verify(token, id, { challenge_id, code: now(totp.secret) });
  expect(await gone.json()).toMatchObject({ error_code: 'mfa_factor_not_found' });
});

test('a user’s challenge can’t be used for another user’s factor', async () => {
  const victim = await newUser();
  const thief = await newUser();
  const theirs = await enrolTotp(victim.token);
  const own = await enrolTotp(thief.token);
  const challenge_id = await challenge(victim.token, theirs.id);
  const foreign = await verify(thief.token, own.id, { challenge_id, code: now(own.totp.secret) });
  expect(foreign.status).toBe(422);
  expect(await foreign.json()).toMatchObject({ error_code: 'mfa_factor_not_found' });
  for (const [method, path] of [
    ['POST', `/factors/${theirs.id}/challenge`],
    ['POST', `/factors/${theirs.id}/verify`],
    ['DELETE', `/factors/${theirs.id}`],
  ] as const) {
    const refused = await server.request(path, { method, json: {}, token: thief.token });
    expect(refused.status).toBe(404);
    expect(await refused.json()).toMatchObject({ error_code: 'mfa_factor_not_found' });
  }
});

test('a phone that is already a verified factor can’t be enrolled again', async () => {
  const { token } = await newUser();
  const enroll = (as: string) =>
    server.request('/factors', {
      json: { factor_type: 'phone', friendly_name: 'mobile', phone: '+15557654321' },
      token: as,
    });
  const { id } = await (await enroll(token)).json<Enrolled>();
  const challenge_id = await challenge(token, id);
  const [message] = await server.inbox('15557654321');
  const verified = await verify(token, id, { challenge_id, code: codeOf(message) });
  const { access_token } = await verified.json<{ access_token: string }>();
  const again = await enroll(access_token);
  expect(again.status).toBe(422);
  expect(await again.json()).toMatchObject({
    error_code: 'mfa_verified_factor_exists',
    msg: 'A verified phone factor already exists, unenroll the existing factor to continue',
  });
});

test('every step of a disabled factor type returns an error', async () => {
  const plain = await startAuth();
  try {
    const { id: userId, token } = await newUser(plain);
    for (const [type, name] of [
      ['totp', 'TOTP'],
      ['phone', 'Phone'],
    ]) {
      const enrolled = await plain.request('/factors', {
        json: { factor_type: type, phone: '15550001111' },
        token,
      });
      expect(enrolled.status).toBe(422);
      expect(await enrolled.json()).toMatchObject({
        error_code: `mfa_${type}_enroll_not_enabled`,
        msg: `MFA enroll is disabled for ${name}`,
      });
      const id = crypto.randomUUID();
      await plain.database.pool('postgres').query(sql`
        insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, phone)
        values (${id}, ${userId}, ${type}, ${type}, 'verified', now(), now(), ${type === 'phone' ? '15550001111' : null})`);
      for (const [step, json] of [
        ['challenge', {}],
        ['verify', { challenge_id: id, code: '123456' }],
      ] as const) {
        const refused = await plain.request(`/factors/${id}/${step}`, { json, token });
        expect(refused.status).toBe(422);
        expect(await refused.json()).toMatchObject({
          error_code: `mfa_${type}_verify_not_enabled`,
          msg: `MFA verification is disabled for ${name}`,
        });
      }
    }
  } finally {
    await plain.stop();
  }
});

describe('administrators', () => {
  test('can list, rename and remove factors', async () => {
    const { id: userId, token } = await newUser();
    const { id, totp } = await enrolTotp(token);
    const raised = await verify(token, id, {
      challenge_id: await challenge(token, id),
      code: now(totp.secret),
    });
    expect(raised.status).toBe(200);
    const admin = server.admin().auth.admin.mfa;
    const listed = await admin.listFactors({ userId });
    expect(listed.data?.factors).toMatchObject([{ id, status: 'verified', friendly_name: 'app' }]);
    const path = `/admin/users/${userId}/factors/${id}`;
    const renamed = await server.request(path, {
      method: 'PUT',
      json: { friendly_name: 'old app' },
      token: server.keys.serviceRoleKey,
    });
    expect(await renamed.json()).toMatchObject({ id, friendly_name: 'old app' });
    expect((await admin.deleteFactor({ userId, id })).error).toBeNull();
    expect((await admin.listFactors({ userId })).data?.factors).toEqual([]);
  });

  test('can’t change a factor through another user’s ID', async () => {
    const owner = await newUser();
    const other = await newUser();
    const { id } = await enrolTotp(owner.token);
    const token = server.keys.serviceRoleKey;
    for (const method of ['PUT', 'DELETE']) {
      const missed = await server.request(`/admin/users/${other.id}/factors/${id}`, {
        method,
        json: {},
        token,
      });
      expect(missed.status).toBe(404);
      expect(await missed.json()).toMatchObject({ error_code: 'mfa_factor_not_found' });
      const refused = await server.request(`/admin/users/${owner.id}/factors/${id}`, {
        method,
        json: {},
        token: owner.token,
      });
      expect(refused.status).toBe(403);
      expect(await refused.json()).toMatchObject({ error_code: 'not_admin' });
    }
    const unknown = await server.request(`/admin/users/${crypto.randomUUID()}/factors`, { token });
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ error_code: 'user_not_found' });
  });
});
