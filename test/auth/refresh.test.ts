/** Tests refresh tokens: rotation, reuse, families and session limits. Also tests anonymous users. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { encodeRefreshToken } from '../../src/services/auth/sessions/refresh-token-v2.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

interface SessionJson {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly user: { readonly id: string };
}

async function guest(server: AuthServer): Promise<SessionJson> {
  return (await server.request('/signup', { json: {} })).json<SessionJson>();
}

async function refresh(server: AuthServer, token: string) {
  const response = await server.request('/token?grant_type=refresh_token', {
    json: { refresh_token: token },
  });
  return {
    status: response.status,
    body: await response.json<SessionJson & { error_code: string; msg: string }>(),
  };
}

describe('rotation', () => {
  let server: AuthServer;
  beforeAll(async () => {
    server = await startAuth({ enable_anonymous_sign_ins: true });
  });
  afterAll(() => server.stop());

  test('each refresh returns a new token of the same session', async () => {
    const first = await guest(server);
    const second = await refresh(server, first.refresh_token);
    expect(second.status).toBe(200);
    expect(second.body.refresh_token).not.toBe(first.refresh_token);
    const sessionOf = (token: string) =>
      JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).session_id;
    expect(sessionOf(second.body.access_token)).toBe(sessionOf(first.access_token));
  });

  test('the parent of the active token returns the active token, regardless of its age', async () => {
    const first = await guest(server);
    const second = await refresh(server, first.refresh_token);
    server.clock.advance(3_600_000);
    const again = await refresh(server, first.refresh_token);
    expect(again.body.refresh_token).toBe(second.body.refresh_token);
  });

  test('an older token ends its family and the session', async () => {
    const first = await guest(server);
    const second = await refresh(server, first.refresh_token);
    const third = await refresh(server, second.body.refresh_token);
    server.clock.advance(11_000);
    const replayed = await refresh(server, first.refresh_token);
    expect(replayed).toMatchObject({
      status: 400,
      body: { error_code: 'refresh_token_already_used', msg: 'Invalid Refresh Token: Already Used' },
    });
    expect(await refresh(server, third.body.refresh_token)).toMatchObject({
      status: 400,
      body: { error_code: 'refresh_token_not_found' },
    });
    expect((await server.request('/user', { token: third.body.access_token })).status).toBe(403);
  });

  test('many concurrent refreshes all get a session', async () => {
    const first = await guest(server);
    const answers = await Promise.all(Array.from({ length: 6 }, () => refresh(server, first.refresh_token)));
    expect(answers.map((response) => response.status)).toEqual([200, 200, 200, 200, 200, 200]);
  });

  test('tokens of format 2, as in hosted sessions, work', async () => {
    const { user, access_token } = await guest(server);
    const sessionId = JSON.parse(
      Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString(),
    ).session_id;
    const key = Buffer.alloc(32, 7);
    await server.database.pool('supabase_admin').query(sql`
      update auth.sessions set refresh_token_hmac_key = ${key.toString('base64url')}, refresh_token_counter = 3
      where id = ${sessionId} and user_id = ${user.id}`);
    const next = await refresh(server, encodeRefreshToken(sessionId, 3, key));
    expect(next.body.refresh_token).toBe(encodeRefreshToken(sessionId, 4, key));
    const behind = await refresh(server, encodeRefreshToken(sessionId, 3, key));
    expect(behind.body.refresh_token).toBe(next.body.refresh_token);
    server.clock.advance(11_000);
    expect(await refresh(server, encodeRefreshToken(sessionId, 1, key))).toMatchObject({ status: 400 });
    expect((await server.request('/user', { token: access_token })).status).toBe(403);
    expect(await refresh(server, encodeRefreshToken(sessionId, 4, Buffer.alloc(32, 8)))).toMatchObject({
      body: { error_code: 'refresh_token_not_found' },
    });
  });

  test.each([
    ['nosuchtoken1', 400, 'refresh_token_not_found'],
    ['short', 400, 'validation_failed'],
    ['UPPERCASE123', 400, 'validation_failed'],
    ['x'.repeat(80), 400, 'validation_failed'],
    ['', 400, 'validation_failed'],
  ])('%s', async (token, status, code) => {
    expect(await refresh(server, token)).toMatchObject({ status, body: { error_code: code } });
  });

  test('a guest becomes a permanent user with an address and a password', async () => {
    const client = server.client();
    const { data } = await client.auth.signInAnonymously({ options: { data: { cart: 1 } } });
    expect(data.user).toMatchObject({
      is_anonymous: true,
      email: '',
      app_metadata: {},
      user_metadata: { cart: 1 },
    });
    const alone = await client.auth.updateUser({ password: 'some password' });
    expect(alone.error).toMatchObject({ status: 422, code: 'validation_failed' });
    const email = newEmail();
    const updated = await client.auth.updateUser({ email, password: 'some password' });
    expect(updated.data.user).toMatchObject({ id: data.user?.id, email, is_anonymous: false });
    const signedIn = await server.client().auth.signInWithPassword({ email, password: 'some password' });
    expect(signedIn.data.user?.id).toBe(data.user?.id);
  });

  test('PUT /user and the factor endpoints work for guests', async () => {
    const { access_token } = await guest(server);
    const response = await server.request('/factors', { token: access_token, json: { factor_type: 'totp' } });
    expect([response.status, (await response.json()).error_code]).toEqual([403, 'no_authorization']);
  });
});

test('sessions end at a refresh after the timebox or the inactivity timeout', async () => {
  const server = await startAuth({
    enable_anonymous_sign_ins: true,
    sessions: { timebox: 10_000_000, inactivity_timeout: 5_000_000 },
  });
  try {
    const idle = await guest(server);
    const long = await guest(server);
    server.clock.advance(4_000_000);
    const middle = await refresh(server, long.refresh_token);
    expect(middle.status).toBe(200);
    server.clock.advance(1_500_000);
    expect((await refresh(server, idle.refresh_token)).body.msg).toBe(
      'Invalid Refresh Token: Session Expired (Inactivity)',
    );
    server.clock.advance(3_000_000);
    const last = await refresh(server, middle.body.refresh_token);
    expect(last.status).toBe(200);
    server.clock.advance(2_000_000);
    expect((await refresh(server, last.body.refresh_token)).body).toMatchObject({
      error_code: 'session_expired',
      msg: 'Invalid Refresh Token: Session Expired',
    });
  } finally {
    await server.stop();
  }
});

test('guests are rejected if they are disabled', async () => {
  const server = await startAuth();
  try {
    const { error } = await server.client().auth.signInAnonymously();
    expect(error).toMatchObject({ status: 422, code: 'anonymous_provider_disabled' });
  } finally {
    await server.stop();
  }
});
