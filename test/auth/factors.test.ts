/**
 * Tests second factors with the stock client: enrollment, aal2, actions that require aal2, and the effect on other
 * sessions.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { totpCode } from '../../src/base/shared/one-time-codes.ts';
import { encodeRefreshToken } from '../../src/services/auth/sessions/refresh-token-v2.ts';
import { type AuthServer, codeOf, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';

let server: AuthServer;
beforeAll(async () => {
  server = await startAuth({
    mfa: {
      max_enrolled_factors: 3,
      totp: { enroll_enabled: true, verify_enabled: true },
      phone: { enroll_enabled: true, verify_enabled: true, max_frequency: 0 },
    },
  });
});
afterAll(() => server.stop());

const codeNow = (secret: string) => totpCode(secret, Math.floor(Date.now() / 30_000)) ?? '';

async function userWithClient() {
  const email = newEmail();
  const client = server.client();
  await client.auth.signUp({ email, password });
  return { email, client };
}

describe('a TOTP factor', () => {
  test('raises the session to aal2 after verification and ends other sessions below aal2', async () => {
    const { email, client } = await userWithClient();
    const other = server.client();
    await other.auth.signInWithPassword({ email, password });
    const enrolled = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'phone app' });
    expect(enrolled.error).toBeNull();
    if (enrolled.error) return;
    const { id, totp } = enrolled.data;
    expect(totp.secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(totp.uri).toBe(
      `otpauth://totp/127.0.0.1:3000:${email}?algorithm=SHA1&digits=6&issuer=127.0.0.1%3A3000&period=30&secret=${totp.secret}`,
    );
    // The client turns the SVG into a data URL.
    expect(totp.qr_code).toMatch(/^data:image\/svg\+xml;utf-8,<svg /);
    // The client inserts the SVG into the URL unescaped, so a # would end the image data.
    expect(new URL(totp.qr_code).hash).toBe('');
    expect(decodeURIComponent(new URL(totp.qr_code).pathname)).toMatch(/<\/svg>$/);
    const wrong = await client.auth.mfa.challengeAndVerify({ factorId: id, code: '000000' });
    expect(wrong.error).toMatchObject({
      status: 422,
      code: 'mfa_verification_failed',
      message: 'Invalid TOTP code entered',
    });
    const right = await client.auth.mfa.challengeAndVerify({ factorId: id, code: codeNow(totp.secret) });
    expect(right.error).toBeNull();
    expect(right.data?.user.factors).toMatchObject([
      { id, status: 'verified', friendly_name: 'phone app', factor_type: 'totp' },
    ]);
    const level = await client.auth.mfa.getAuthenticatorAssuranceLevel();
    expect(level.data).toMatchObject({ currentLevel: 'aal2', nextLevel: 'aal2' });
    expect(
      level.data?.currentAuthenticationMethods.map((entry) => (entry as { method: string }).method).sort(),
    ).toEqual(['password', 'totp']);
    expect((await other.auth.getUser()).error).toMatchObject({ name: 'AuthSessionMissingError' });
    expect((await client.auth.refreshSession()).error).toBeNull();
    expect((await client.auth.mfa.getAuthenticatorAssuranceLevel()).data?.currentLevel).toBe('aal2');
  });

  test('prevents a session at aal1 from changing the address, enrolling or unenrolling', async () => {
    const { email, client } = await userWithClient();
    const { data } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'a' });
    if (!data) throw new Error('not enrolled');
    await client.auth.mfa.challengeAndVerify({ factorId: data.id, code: codeNow(data.totp.secret) });
    const weak = server.client();
    await weak.auth.signInWithPassword({ email, password });
    expect((await weak.auth.updateUser({ email: newEmail() })).error).toMatchObject({
      status: 401,
      code: 'insufficient_aal',
    });
    expect((await weak.auth.updateUser({ data: { x: 1 } })).error).toBeNull();
    expect((await weak.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'b' })).error).toMatchObject({
      status: 403,
      code: 'insufficient_aal',
    });
    expect((await weak.auth.mfa.unenroll({ factorId: data.id })).error).toMatchObject({
      status: 422,
      code: 'insufficient_aal',
    });
    expect((await client.auth.mfa.unenroll({ factorId: data.id })).data).toEqual({ id: data.id });
    await client.auth.refreshSession();
    expect((await client.auth.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({
      currentLevel: 'aal1',
      nextLevel: 'aal1',
    });
  });

  test('rejects duplicate names and too many factors, and a challenge works once and before it expires', async () => {
    const { client } = await userWithClient();
    const first = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'a' });
    expect((await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'a' })).error).toMatchObject({
      status: 422,
      code: 'mfa_factor_name_conflict',
    });
    await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'b' });
    await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'c' });
    expect((await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'd' })).error).toMatchObject({
      code: 'too_many_enrolled_mfa_factors',
    });
    if (!first.data) throw new Error('not enrolled');
    const { data: challenge } = await client.auth.mfa.challenge({ factorId: first.data.id });
    const response = {
      factorId: first.data.id,
      challengeId: challenge?.id ?? '',
      code: codeNow(first.data.totp.secret),
    };
    expect((await client.auth.mfa.verify(response)).error).toBeNull();
    expect((await client.auth.mfa.verify(response)).error).toMatchObject({ code: 'mfa_ip_address_mismatch' });
    const factors = await client.auth.mfa.listFactors();
    expect(factors.data?.all.map((factor) => factor.friendly_name)).toEqual(['a']);
  });
});

test('gives a session with refresh tokens in format 2 a refresh token with a new key', async () => {
  const { client } = await userWithClient();
  const { data: enrolled } = await client.auth.mfa.enroll({ factorType: 'totp' });
  const { data } = await client.auth.getSession();
  const token = data.session?.access_token ?? '';
  const { session_id: sessionId } = JSON.parse(
    Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
  );
  const key = Buffer.alloc(32, 7);
  const pool = server.database.pool('supabase_admin');
  await pool.query(sql`
    update auth.sessions set refresh_token_hmac_key = ${key.toString('base64url')}, refresh_token_counter = 3
    where id = ${sessionId}`);
  await pool.query(sql`delete from auth.refresh_tokens where session_id = ${sessionId}`);
  const secret = enrolled?.totp.secret ?? '';
  const raised = await client.auth.mfa.challengeAndVerify({
    factorId: enrolled?.id ?? '',
    code: codeNow(secret),
  });
  const [session] = await pool.query<{ refresh_token_hmac_key: string }>(
    sql`select refresh_token_hmac_key from auth.sessions where id = ${sessionId}`,
  );
  const nextKey = Buffer.from(session?.refresh_token_hmac_key ?? '', 'base64url');
  expect(nextKey).not.toEqual(key);
  expect(raised.data?.refresh_token).toBe(encodeRefreshToken(sessionId, 4, nextKey));
  expect((await client.auth.refreshSession()).error).toBeNull();
  expect((await client.auth.mfa.getAuthenticatorAssuranceLevel()).data?.currentLevel).toBe('aal2');
});

test('a phone factor receives its code', async () => {
  const { client } = await userWithClient();
  const { data, error } = await client.auth.mfa.enroll({
    factorType: 'phone',
    friendlyName: 'mobile',
    phone: '+15551234567',
  });
  expect(error).toBeNull();
  const factorId = data?.id ?? '';
  const challenge = await client.auth.mfa.challenge({ factorId });
  expect(challenge.data).toMatchObject({ type: 'phone', expires_at: expect.any(Number) });
  const [message] = await server.inbox('15551234567');
  expect(message).toMatchObject({ kind: 'sms', text: expect.stringMatching(/^Your code is \d{6}$/) });
  const verified = await client.auth.mfa.verify({
    factorId,
    challengeId: challenge.data?.id ?? '',
    code: codeOf(message),
  });
  expect(verified.error).toBeNull();
  expect((await client.auth.mfa.getAuthenticatorAssuranceLevel()).data?.currentLevel).toBe('aal2');
});

test('if factors are disabled, enrollment returns an error', async () => {
  const plain = await startAuth();
  try {
    const client = plain.client();
    await client.auth.signUp({ email: newEmail(), password });
    expect((await client.auth.mfa.enroll({ factorType: 'totp' })).error).toMatchObject({
      status: 422,
      code: 'mfa_totp_enroll_not_enabled',
    });
  } finally {
    await plain.stop();
  }
});
