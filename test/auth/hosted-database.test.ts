/**
 * Tests a database of the hosted service, in which Plinth doesn't create any objects. Features that normally use
 * Plinth's own tables either work without them or return an error.
 */
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { totpCode } from '../../src/base/shared/one-time-codes.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';
import { buildAnswer, createIdp, postAnswer, readRequest, signAnswer } from './saml-idp.ts';
import { solanaWallet } from './wallet-keys.ts';

const password = 'correct horse';
const pkcs1 = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs1', format: 'der' })
  .toString('base64');

let server: AuthServer;
beforeAll(async () => {
  server = await startAuth(
    {
      site_url: 'https://app.example',
      mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
      web3: { solana: { enabled: true } },
      rate_limit: { sign_in_sign_ups: 30 },
    },
    {
      hostedDatabase: true,
      mode: 'production',
      plinth: { auth: { saml: { enabled: true, private_key: pkcs1 } } },
    },
  );
});
afterAll(() => server.stop());

test('users can sign up, sign in, use factors, and be deleted', async () => {
  const client = server.client();
  const { data, error } = await client.auth.signUp({ email: newEmail(), password });
  expect(error).toBeNull();
  const { data: enrolled } = await client.auth.mfa.enroll({ factorType: 'totp' });
  const code = totpCode(enrolled?.totp.secret ?? '', Math.floor(Date.now() / 30_000)) ?? '';
  const factorId = enrolled?.id ?? '';
  expect((await client.auth.mfa.challengeAndVerify({ factorId, code })).error).toBeNull();
  expect((await client.auth.mfa.unenroll({ factorId })).error).toBeNull();
  for (const isSoft of [true, false]) {
    expect((await server.admin().auth.admin.deleteUser(data.user?.id ?? '', isSoft)).error).toBeNull();
  }
});

test('rate limits are counted in the process', async () => {
  const answers = [];
  for (let attempt = 0; attempt < 31; attempt++) {
    answers.push(await server.request('/recover', { json: { email: 'invalid' } }));
  }
  expect(answers.slice(0, 30).map(({ status }) => status)).not.toContain(429);
  expect(answers[30]?.status).toBe(429);
});

test('a wallet message works once', async () => {
  const wallet = solanaWallet();
  const message = [
    'app.example wants you to sign in with your Solana account:',
    wallet.address,
    '',
    'Version: 1',
    'URI: https://app.example/',
    `Issued At: ${new Date().toISOString()}`,
  ].join('\n');
  const send = () =>
    server.request('/token?grant_type=web3', {
      json: { chain: 'solana', message, signature: wallet.sign(message) },
    });
  expect((await send()).status).toBe(200);
  expect((await send()).status).toBe(400);
});

test('an SSO provider’s assertion works once, and its session ends with the provider’s', async () => {
  const idp = createIdp();
  const made = await server.request('/admin/sso/providers', {
    token: server.keys.serviceRoleKey,
    json: { type: 'saml', metadata_xml: idp.metadata(), domains: ['company.example'] },
  });
  expect(made.status).toBe(201);
  const client = server.client('pkce');
  const { data } = await client.auth.signInWithSSO({ domain: 'company.example' });
  const request = readRequest(data?.url ?? '');
  const base = `${server.url}/auth/v1/sso/saml`;
  const sessionEnd = new Date(Date.now() + 1_800_000).toISOString();
  const parts = { acs: `${base}/acs`, audience: `${base}/metadata`, issuer: idp.entityId };
  const xml = signAnswer(idp, buildAnswer({ ...parts, inResponseTo: request.id, sessionEnd }), 'Assertion');
  const back = await postAnswer(server, xml, request.relayState);
  const signedIn = await client.auth.exchangeCodeForSession(back.query.code ?? '');
  expect(signedIn.error).toBeNull();
  const unasked = signAnswer(idp, buildAnswer(parts), 'Assertion');
  expect((await postAnswer(server, unasked)).fragment.access_token).toBeDefined();
  expect((await postAnswer(server, unasked)).query).toMatchObject({ error_code: 'validation_failed' });
  server.clock.advance(1_900_000);
  expect((await client.auth.refreshSession()).error?.code).toBe('session_expired');
  server.clock.advance(-1_900_000);
});

test('recovery codes are unavailable', async () => {
  const signedUp = await server.request('/signup', { json: { email: newEmail(), password } });
  const { access_token, user } = await signedUp.json<{ access_token: string; user: { id: string } }>();
  for (const [method, path, token] of [
    ['GET', '/factors/recovery-codes', access_token],
    ['POST', '/factors/recovery-codes', access_token],
    ['POST', '/factors/recovery-codes/verify', access_token],
    ['DELETE', '/factors/recovery-codes', access_token],
    ['GET', `/admin/users/${user.id}/factors/recovery-codes`, server.keys.serviceRoleKey],
    ['DELETE', `/admin/users/${user.id}/factors/recovery-codes`, server.keys.serviceRoleKey],
  ] as const) {
    const response = await server.request(path, { method, token });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error_code: 'feature_disabled' });
  }
});
