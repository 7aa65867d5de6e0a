/**
 * Tests that a reused refresh token revokes its family, and that a token from before the second factor never gets the
 * higher assurance level.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { totpCode } from '../../src/base/shared/one-time-codes.ts';
import { encodeRefreshToken } from '../../src/services/auth/sessions/refresh-token-v2.ts';
import { type AuthServer, newEmail, startAuth } from '../auth/harness.ts';

interface SessionJson {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly error_code?: string;
}

let server: AuthServer;
beforeAll(async () => {
  server = await startAuth({ mfa: { totp: { enroll_enabled: true, verify_enabled: true } } });
});
afterAll(() => server?.stop());

const claimsOf = ({ access_token }: SessionJson): { aal: string; session_id: string } =>
  JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString());

async function signUp(): Promise<SessionJson> {
  const json = { email: newEmail(), password: 'secret-123' };
  return (await server.request('/signup', { json })).json<SessionJson>();
}

async function refresh(refresh_token: string): Promise<SessionJson & { status: number }> {
  const response = await server.request('/token?grant_type=refresh_token', { json: { refresh_token } });
  return { status: response.status, ...(await response.json<SessionJson>()) };
}

const userStatus = async ({ access_token }: SessionJson): Promise<number> =>
  (await server.request('/user', { token: access_token })).status;

interface Enrolled {
  readonly id: string;
  readonly totp: { readonly secret: string };
}

async function enroll({ access_token }: SessionJson): Promise<Enrolled> {
  const json = { factor_type: 'totp', friendly_name: 'app' };
  return (await server.request('/factors', { token: access_token, json })).json<Enrolled>();
}

async function raise(session: SessionJson, factor: Enrolled): Promise<SessionJson> {
  const token = session.access_token;
  const challenge = await server.request(`/factors/${factor.id}/challenge`, { token, json: {} });
  const { id: challenge_id } = await challenge.json<{ id: string }>();
  const code = totpCode(factor.totp.secret, Math.floor(server.clock.now() / 30_000));
  const response = await server.request(`/factors/${factor.id}/verify`, {
    token,
    json: { challenge_id, code },
  });
  expect(response.status).toBe(200);
  return response.json<SessionJson>();
}

describe('a refresh token that is reused after the interval', () => {
  it('ends the family immediately, including the newest token and the access tokens', async () => {
    const first = await signUp();
    const second = await refresh(first.refresh_token);
    const third = await refresh(second.refresh_token);
    server.clock.advance(11_000);
    expect(await refresh(first.refresh_token)).toMatchObject({
      status: 400,
      error_code: 'refresh_token_already_used',
    });
    expect((await refresh(third.refresh_token)).status).toBe(400);
    expect(await userStatus(third)).toBe(403);
  });

  it('also ends the branches that began within the interval', async () => {
    const first = await signUp();
    const second = await refresh(first.refresh_token);
    const third = await refresh(second.refresh_token);
    const branch = await refresh(first.refresh_token);
    expect(branch.status).toBe(200);
    const fourth = await refresh(third.refresh_token);
    server.clock.advance(11_000);
    expect((await refresh(first.refresh_token)).status).toBe(400);
    for (const { refresh_token } of [branch, fourth]) expect((await refresh(refresh_token)).status).toBe(400);
  });

  it('still returns the active token to a client whose response was lost', async () => {
    const first = await signUp();
    const second = await refresh(first.refresh_token);
    server.clock.advance(3_600_000);
    const again = await refresh(first.refresh_token);
    expect([again.status, again.refresh_token]).toEqual([200, second.refresh_token]);
  });
});

describe('a token from before the second factor', () => {
  it('never returns a session with the higher level, and ends the family after the interval', async () => {
    const before = await signUp();
    const after = await raise(before, await enroll(before));
    expect(claimsOf(after).aal).toBe('aal2');
    expect(await refresh(before.refresh_token)).toMatchObject({
      status: 400,
      error_code: 'refresh_token_already_used',
    });
    // Within the reuse interval, another tab may have refreshed the token at the same time, so the session stays valid.
    const newest = await refresh(after.refresh_token);
    expect(claimsOf(newest).aal).toBe('aal2');
    server.clock.advance(11_000);
    expect((await refresh(before.refresh_token)).status).toBe(400);
    expect((await refresh(newest.refresh_token)).status).toBe(400);
  });

  it('doesn’t return such a session from a branch that was active at that time', async () => {
    const first = await signUp();
    const second = await refresh(first.refresh_token);
    const third = await refresh(second.refresh_token);
    const branch = await refresh(first.refresh_token);
    const after = await raise(third, await enroll(third));
    for (const { refresh_token } of [first, second, third, branch]) {
      expect((await refresh(refresh_token)).status).toBe(400);
    }
    expect(claimsOf(await refresh(after.refresh_token)).aal).toBe('aal2');
  });

  it('doesn’t return such a session with the signed format either', async () => {
    const before = await signUp();
    const { session_id: id } = claimsOf(before);
    const key = Buffer.alloc(32, 7);
    const db = server.database.pool('supabase_admin');
    await db.query(sql`
      update auth.sessions set refresh_token_hmac_key = ${key.toString('base64url')}, refresh_token_counter = 3
      where id = ${id}`);
    await db.query(sql`delete from auth.refresh_tokens where session_id = ${id}`);
    const current = await refresh(encodeRefreshToken(id, 3, key));
    const after = await raise(current, await enroll(current));
    for (const counter of [3, 4, 5, 6]) {
      expect([counter, (await refresh(encodeRefreshToken(id, counter, key))).status]).toEqual([counter, 400]);
    }
    expect(claimsOf(await refresh(after.refresh_token)).aal).toBe('aal2');
  });

  it('returns an access token that can’t change anything that requires the higher level', async () => {
    const before = await signUp();
    const factor = await enroll(before);
    const after = await raise(before, factor);
    const token = before.access_token;
    const refused = [
      await server.request('/user', { method: 'PUT', token, json: { password: 'another-123' } }),
      await server.request(`/factors/${factor.id}`, { method: 'DELETE', token }),
      await server.request('/factors/recovery-codes', { method: 'POST', token, json: {} }),
      await server.request('/factors', { token, json: { factor_type: 'totp', friendly_name: 'second' } }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([401, 422, 403, 403]);
    expect(await userStatus(after)).toBe(200);
  });
});
