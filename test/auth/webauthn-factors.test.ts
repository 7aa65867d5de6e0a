/** Tests WebAuthn factors with a software authenticator: enrollment, aal2, and attacks by a password thief. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { totpCode } from '../../src/base/shared/one-time-codes.ts';
import {
  type CreationOptions,
  type Forgery,
  type RequestOptions,
  SoftwareAuthenticator,
} from './authenticator.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';
const origin = 'https://app.example';

let server: AuthServer;
beforeAll(async () => {
  server = await startAuth({
    // [auth.webauthn] is empty, so the domain and the origin are derived from the site URL.
    site_url: origin,
    mfa: {
      totp: { enroll_enabled: true, verify_enabled: true },
      web_authn: { enroll_enabled: true, verify_enabled: true },
    },
    // The hook is called only for codes, so the hook's rejection of keys has no effect in these tests.
    hook: { mfa_verification_attempt: { enabled: true, uri: 'pg-functions://postgres/public/reject_keys' } },
  });
  await server.database.pool('supabase_admin').exec(`
    create function public.reject_keys(event jsonb) returns jsonb language sql as $$
      select jsonb_build_object('decision', case event ->> 'factor_type' when 'webauthn' then 'reject' else 'continue' end) $$;`);
});
afterAll(() => server.stop());

interface Session {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly user: { readonly id: string; readonly factors?: readonly Record<string, unknown>[] };
}

interface Challenge {
  readonly id: string;
  readonly type: string;
  readonly expires_at: number;
  readonly webauthn: {
    readonly type: string;
    readonly credential_options: {
      readonly publicKey: CreationOptions & RequestOptions & Record<string, unknown>;
    };
  };
}

async function signUp(): Promise<{ email: string; id: string; token: string }> {
  const email = newEmail();
  const response = await server.request('/signup', { json: { email, password } });
  const session = await response.json<Session>();
  return { email, id: session.user.id, token: session.access_token };
}

async function signIn(email: string): Promise<string> {
  const response = await server.request('/token?grant_type=password', { json: { email, password } });
  return (await response.json<Session>()).access_token;
}

async function enroll(token: string, friendly_name = 'key'): Promise<string> {
  const response = await server.request('/factors', {
    json: { factor_type: 'webauthn', friendly_name },
    token,
  });
  expect(response.status).toBe(200);
  return (await response.json<{ id: string }>()).id;
}

async function challenge(token: string, factorId: string): Promise<Challenge> {
  const response = await server.request(`/factors/${factorId}/challenge`, {
    json: { webauthn: { rpId: 'app.example' } },
    token,
  });
  expect(response.status).toBe(200);
  return response.json<Challenge>();
}

const verify = (token: string, factorId: string, json: unknown) =>
  server.request(`/factors/${factorId}/verify`, { json, token });

/** Verifies a challenge of either kind with the authenticator's response, and returns the server's response. */
async function response(
  token: string,
  factorId: string,
  authenticator: SoftwareAuthenticator,
  forgery?: Forgery,
  asked?: Challenge,
) {
  const { id, webauthn } = asked ?? (await challenge(token, factorId));
  const { publicKey } = webauthn.credential_options;
  const credential_response =
    webauthn.type === 'create'
      ? authenticator.create(publicKey, forgery)
      : authenticator.get(publicKey, forgery);
  return verify(token, factorId, {
    challenge_id: id,
    webauthn: { type: webauthn.type, credential_response },
  });
}

async function userWithKey() {
  const { email, id, token } = await signUp();
  const authenticator = new SoftwareAuthenticator(origin);
  const factorId = await enroll(token);
  const verified = await response(token, factorId, authenticator);
  expect(verified.status).toBe(200);
  return { email, id, factorId, authenticator, strong: (await verified.json<Session>()).access_token };
}

function claimsOf(token: string): { aal: string; amr: { method: string }[]; session_id: string } {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

describe('a key', () => {
  test('is enrolled, verified, and required at the next sign-in', async () => {
    const { email, id, token } = await signUp();
    const other = await signIn(email);
    const authenticator = new SoftwareAuthenticator(origin, {
      aaguid: 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4',
    });
    const enrolled = await server.request('/factors', {
      json: { factor_type: 'webauthn', friendly_name: 'blue key' },
      token,
    });
    const factorId = (await enrolled.clone().json()) as unknown as { id: string };
    expect(await enrolled.json()).toEqual({ id: factorId.id, type: 'webauthn', friendly_name: 'blue key' });
    const toCreate = await challenge(token, factorId.id);
    expect(toCreate).toEqual({
      id: expect.any(String),
      type: 'webauthn',
      expires_at: expect.any(Number),
      webauthn: {
        type: 'create',
        credential_options: {
          publicKey: {
            rp: { name: 'app.example', id: 'app.example' },
            user: { name: email, displayName: email, id: Buffer.from(id).toString('base64url') },
            challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
            pubKeyCredParams: expect.arrayContaining([{ type: 'public-key', alg: -7 }]),
            timeout: 300_000,
            authenticatorSelection: {},
          },
        },
      },
    });
    const created = await response(token, factorId.id, authenticator, undefined, toCreate);
    expect(created.status).toBe(200);
    const session = await created.json<Session>();
    expect(session.user.factors).toEqual([
      expect.objectContaining({
        id: factorId.id,
        status: 'verified',
        friendly_name: 'blue key',
        factor_type: 'webauthn',
        web_authn_aaguid: 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4',
        last_webauthn_challenge_data: expect.objectContaining({
          type: 'create',
          challenge: expect.objectContaining({ challenge_id: toCreate.id, factor_id: factorId.id }),
        }),
      }),
    ]);
    expect(claimsOf(session.access_token)).toMatchObject({ aal: 'aal2' });
    expect(claimsOf(session.access_token).amr.map(({ method }) => method)).toContain('mfa/webauthn');
    expect((await server.request('/user', { token: other })).status).toBe(403);

    const next = await signIn(email);
    const toSign = await challenge(next, factorId.id);
    expect(toSign.webauthn).toEqual({
      type: 'request',
      credential_options: {
        publicKey: {
          challenge: expect.any(String),
          timeout: 300_000,
          rpId: 'app.example',
          allowCredentials: [
            {
              type: 'public-key',
              id: authenticator.credentialId.toString('base64url'),
              transports: ['internal', 'hybrid'],
            },
          ],
        },
      },
    });
    const signed = await response(next, factorId.id, authenticator, undefined, toSign);
    expect(signed.status).toBe(200);
    const raised = await signed.json<Session>();
    expect(claimsOf(raised.access_token)).toMatchObject({ aal: 'aal2' });
    const refreshed = await server.request('/token?grant_type=refresh_token', {
      json: { refresh_token: raised.refresh_token },
    });
    expect(claimsOf((await refreshed.json<Session>()).access_token)).toMatchObject({ aal: 'aal2' });
  });

  test('is stored in the same format as on the hosted service', async () => {
    const { authenticator, factorId, email } = await userWithKey();
    const pool = server.database.pool('postgres');
    const read = async () => {
      const [row] = await pool.query<{ web_authn_credential: Record<string, unknown> }>(
        sql`select web_authn_credential from auth.mfa_factors where id = ${factorId}`,
      );
      return row?.web_authn_credential;
    };
    expect(await read()).toEqual({
      id: authenticator.credentialId.toString('base64'),
      publicKey: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
      attestationType: 'none',
      transport: ['internal', 'hybrid'],
      flags: { userPresent: true, userVerified: true, backupEligible: false, backupState: false },
      authenticator: {
        AAGUID: 'AAAAAAAAAAAAAAAAAAAAAA==',
        signCount: 0,
        cloneWarning: false,
        attachment: 'platform',
      },
      attestation: {
        clientDataJSON: expect.any(String),
        clientDataHash: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
        authenticatorData: expect.any(String),
        publicKeyAlgorithm: -7,
        object: expect.any(String),
      },
    });
    const token = await signIn(email);
    expect((await response(token, factorId, authenticator)).status).toBe(200);
    expect(await read()).toMatchObject({ authenticator: { signCount: 1 } });
  });

  test('is unenrolled, and its sessions fall back to aal1', async () => {
    const { strong, factorId, email } = await userWithKey();
    const weak = await signIn(email);
    const refused = await server.request(`/factors/${factorId}`, { method: 'DELETE', token: weak });
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({ error_code: 'insufficient_aal' });
    const removed = await server.request(`/factors/${factorId}`, { method: 'DELETE', token: strong });
    expect(await removed.json()).toEqual({ id: factorId });
    const { session_id } = claimsOf(strong);
    const [session] = await server.database
      .pool('postgres')
      .query(sql`select aal, factor_id from auth.sessions where id = ${session_id}`);
    expect(session).toEqual({ aal: 'aal1', factor_id: null });
  });

  test('that belongs to another factor of the same user is accepted, and the session then depends on that factor', async () => {
    const { strong, authenticator, factorId, email } = await userWithKey();
    const second = new SoftwareAuthenticator(origin);
    const secondId = await enroll(strong, 'second');
    const asked = await challenge(strong, secondId);
    expect(asked.webauthn.credential_options.publicKey.excludeCredentials).toEqual([
      {
        type: 'public-key',
        id: authenticator.credentialId.toString('base64url'),
        transports: ['usb', 'nfc'],
      },
    ]);
    expect((await response(strong, secondId, second, undefined, asked)).status).toBe(200);
    const token = await signIn(email);
    const raised = await response(token, factorId, second);
    expect(raised.status).toBe(200);
    const { session_id } = claimsOf((await raised.json<Session>()).access_token);
    const [session] = await server.database
      .pool('postgres')
      .query(sql`select factor_id from auth.sessions where id = ${session_id}`);
    expect(session).toEqual({ factor_id: secondId });
  });
});

describe('a check rejects', () => {
  test.each<[string, Forgery]>([
    ['another page', { origin: 'https://evil.example' }],
    ['another relying party', { rpId: 'evil.example' }],
    ['another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['the wrong ceremony', { type: 'webauthn.get' }],
    ['no user presence', { userPresent: false }],
  ])('a new key: %s', async (_what, forgery) => {
    const { token } = await signUp();
    const factorId = await enroll(token);
    const refused = await response(token, factorId, new SoftwareAuthenticator(origin), forgery);
    expect(refused.status).toBe(500);
    expect(await refused.json()).toMatchObject({
      error_code: 'unexpected_failure',
      msg: 'Unexpected failure, please check server logs for more information',
    });
    const user = await server.request('/user', { token });
    expect((await user.json<Session['user']>()).factors).toMatchObject([{ status: 'unverified' }]);
  });

  test.each<[string, Forgery]>([
    ['another page', { origin: 'https://evil.example' }],
    ['another relying party', { rpId: 'evil.example' }],
    ['another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['the wrong ceremony', { type: 'webauthn.create' }],
    ['no user presence', { userPresent: false }],
    ['another user’s handle', { userHandle: Buffer.from(crypto.randomUUID()) }],
    ['an unregistered key', { credentialId: Buffer.alloc(16, 3) }],
    ['a key that has become eligible for backup', { backupEligible: true }],
    ['a broken signature', { tamper: (signature) => Buffer.from(signature).fill(0, 12, 24) }],
    ['a counter that isn’t incremented', { signCount: 1 }],
    ['a counter that is decremented', { signCount: 0 }],
  ])('a known key: %s', async (_what, forgery) => {
    const { email, factorId, authenticator } = await userWithKey();
    expect((await response(await signIn(email), factorId, authenticator)).status).toBe(200);
    const token = await signIn(email);
    const refused = await response(token, factorId, authenticator, forgery);
    expect(refused.status).toBe(500);
    expect(await refused.json()).toMatchObject({
      error_code: 'unexpected_failure',
      msg: 'Failed to validate WebAuthn MFA response',
    });
    expect(claimsOf(token)).toMatchObject({ aal: 'aal1' });
  });

  test('a user who knows only the password can’t register a key for another user’s factor', async () => {
    const { email, factorId } = await userWithKey();
    const token = await signIn(email);
    const asked = await challenge(token, factorId);
    const { publicKey } = asked.webauthn.credential_options;
    const own = new SoftwareAuthenticator(origin);
    const user = { id: Buffer.from('x').toString('base64url') };
    const credential_response = own.create({ ...publicKey, rp: { id: publicKey.rpId }, user });
    const refused = await verify(token, factorId, {
      challenge_id: asked.id,
      webauthn: { type: 'create', credential_response },
    });
    expect(refused.status).toBe(500);
    expect((await response(token, factorId, own, { credentialId: Buffer.alloc(32, 1) })).status).toBe(500);
  });

  test('an enrollment that began before the first factor was verified can’t be completed with only the password', async () => {
    const { email, token } = await signUp();
    const attacker = await signIn(email);
    const planted = await enroll(attacker, 'planted');
    const enrolled = await server.request('/factors', {
      json: { factor_type: 'totp', friendly_name: 'app' },
      token,
    });
    const { id, totp } = await enrolled.json<{ id: string; totp: { secret: string } }>();
    const asked = await server.request(`/factors/${id}/challenge`, { json: {}, token });
    const code = totpCode(totp.secret, Math.floor(Date.now() / 30_000));
    const verified = await verify(token, id, { challenge_id: (await asked.json<Challenge>()).id, code });
    expect(verified.status).toBe(200);
    const back = await signIn(email);
    const refused = await response(back, planted, new SoftwareAuthenticator(origin));
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ error_code: 'insufficient_aal' });
  });

  test('a response works once, and only for its challenge, session and user', async () => {
    const { email, factorId, authenticator } = await userWithKey();
    const token = await signIn(email);
    const asked = await challenge(token, factorId);
    const credential_response = authenticator.get(asked.webauthn.credential_options.publicKey);
    const json = { challenge_id: asked.id, webauthn: { type: 'request', credential_response } };
    const stranger = await userWithKey();
    const foreign = await verify(stranger.strong, factorId, json);
    expect(foreign.status).toBe(404);
    expect(await foreign.json()).toMatchObject({ error_code: 'mfa_factor_not_found' });
    const wrongFactor = await verify(stranger.strong, stranger.factorId, json);
    expect(wrongFactor.status).toBe(422);
    expect(await wrongFactor.json()).toMatchObject({
      error_code: 'mfa_factor_not_found',
      msg: 'MFA factor with the provided challenge ID not found',
    });
    const both = await Promise.all([verify(token, factorId, json), verify(token, factorId, json)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 422]);
    const again = await verify(await signIn(email), factorId, json);
    expect(await again.json()).toMatchObject({ error_code: 'mfa_factor_not_found' });
  });

  test.each<[string, unknown, number, string, string]>([
    ['nothing', undefined, 400, 'validation_failed', 'WebAuthn config required'],
    ['another type', { type: 'steal' }, 400, 'validation_failed', 'WebAuthn type must be create or request'],
    ['no response', { type: 'create' }, 400, 'validation_failed', 'credential_response required'],
    [
      'an empty response',
      { type: 'create', credential_response: {} },
      400,
      'validation_failed',
      'Invalid credential_response',
    ],
    [
      'a null response',
      { type: 'request', credential_response: null },
      400,
      'validation_failed',
      'Invalid credential_response',
    ],
  ])('a body with %s is rejected', async (_what, webauthn, status, error_code, msg) => {
    const { token } = await signUp();
    const factorId = await enroll(token);
    const { id } = await challenge(token, factorId);
    const refused = await verify(token, factorId, { challenge_id: id, webauthn });
    expect(refused.status).toBe(status);
    expect(await refused.json()).toMatchObject({ error_code, msg });
  });
});

test('if WebAuthn is disabled, enrollment, challenge and verification return an error', async () => {
  const plain = await startAuth();
  try {
    const signedUp = await plain.request('/signup', { json: { email: newEmail(), password } });
    const { access_token: token, user } = await signedUp.json<Session>();
    const enrolled = await plain.request('/factors', { json: { factor_type: 'webauthn' }, token });
    expect(enrolled.status).toBe(422);
    expect(await enrolled.json()).toMatchObject({ error_code: 'mfa_webauthn_enroll_not_enabled' });
    const id = crypto.randomUUID();
    await plain.database.pool('postgres').query(sql`
      insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at)
      values (${id}, ${user.id}, 'key', 'webauthn', 'verified', now(), now())`);
    const asked = await plain.request(`/factors/${id}/challenge`, { json: {}, token });
    expect(asked.status).toBe(422);
    expect(await asked.json()).toMatchObject({
      error_code: 'mfa_webauthn_verify_not_enabled',
      msg: 'MFA verification is disabled for WebAuthn',
    });
    // Upstream also returns the error code for enrollment in this case.
    const verified = await plain.request(`/factors/${id}/verify`, { json: { challenge_id: id }, token });
    expect(verified.status).toBe(422);
    expect(await verified.json()).toMatchObject({
      error_code: 'mfa_webauthn_enroll_not_enabled',
      msg: 'MFA verification is disabled for WebAuthn',
    });
  } finally {
    await plain.stop();
  }
});
