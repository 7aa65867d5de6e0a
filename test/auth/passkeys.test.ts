/**
 * Tests passkeys: the stock client's calls with a software authenticator, and attacks with stolen keys and malicious
 * pages.
 */
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import {
  type CreationOptions,
  type Forgery,
  type KeyAlgorithm,
  SoftwareAuthenticator,
} from './authenticator.ts';
import { type AuthServer, newEmail, startAuth } from './harness.ts';

const password = 'correct horse';
const rpId = 'app.example';
const origin = 'https://app.example';

let server: AuthServer;
beforeAll(async () => {
  server = await startAuth({
    site_url: origin,
    passkey: { enabled: true },
    webauthn: {
      rp_id: rpId,
      rp_display_name: 'Example',
      rp_origins: ['https://APP.example:443/', 'http://localhost:5173', 'android:apk-key-hash:abc'],
    },
  });
});
afterAll(() => server.stop());

/** Returns a stock client that supports passkeys. */
function newClient(): SupabaseClient {
  return createClient(server.url, server.keys.anonKey, {
    auth: {
      autoRefreshToken: false,
      persistSession: false,
      detectSessionInUrl: false,
      storageKey: crypto.randomUUID(),
      experimental: { passkey: true },
    },
  });
}

interface Person {
  readonly client: SupabaseClient;
  readonly email: string;
  readonly id: string;
  readonly token: string;
}

async function newPerson(data: object = {}): Promise<Person> {
  const client = newClient();
  const email = newEmail();
  const { data: signedUp, error } = await client.auth.signUp({ email, password, options: { data } });
  if (error) throw error;
  return {
    client,
    email,
    id: signedUp.user?.id ?? '',
    token: signedUp.session?.access_token ?? '',
  };
}

interface Question<Options> {
  readonly challenge_id: string;
  readonly options: Options;
  readonly expires_at: number;
}

interface SessionResponse {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly user: { readonly id: string };
}

async function askToRegister(token: string) {
  const response = await server.request('/passkeys/registration/options', { json: {}, token });
  expect(response.status).toBe(200);
  return response.json<Question<CreationOptions & Record<string, unknown>>>();
}

async function askToSignIn() {
  const response = await server.request('/passkeys/authentication/options', { json: {} });
  expect(response.status).toBe(200);
  return response.json<Question<{ challenge: string; rpId: string } & Record<string, unknown>>>();
}

async function register(person: Person, authenticator: SoftwareAuthenticator, forgery?: Forgery) {
  const { challenge_id, options } = await askToRegister(person.token);
  const credential = authenticator.create(options, forgery);
  return server.request('/passkeys/registration/verify', {
    json: { challenge_id, credential },
    token: person.token,
  });
}

async function signIn(authenticator: SoftwareAuthenticator, forgery?: Forgery) {
  const { challenge_id, options } = await askToSignIn();
  const credential = authenticator.get(options, forgery);
  return server.request('/passkeys/authentication/verify', { json: { challenge_id, credential } });
}

async function personWithPasskey(): Promise<Person & { authenticator: SoftwareAuthenticator }> {
  const person = await newPerson();
  const authenticator = new SoftwareAuthenticator(origin);
  expect((await register(person, authenticator)).status).toBe(200);
  return { ...person, authenticator };
}

async function addVerifiedFactor(userId: string): Promise<void> {
  await server.database.pool('postgres').query(sql`
    insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at)
    values (gen_random_uuid(), ${userId}, 'app', 'totp', 'verified', now(), now())`);
}

function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

describe('registration', () => {
  test('returns options in the format that browsers expect', async () => {
    const person = await newPerson({ name: 'Ada' });
    const question = await askToRegister(person.token);
    expect(question).toEqual({
      challenge_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      options: {
        rp: { name: 'Example', id: rpId },
        user: {
          name: person.email,
          displayName: 'Ada',
          id: Buffer.from(person.id).toString('base64url'),
        },
        challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        pubKeyCredParams: [-7, -35, -36, -257, -258, -259, -37, -38, -39, -8].map((alg) => ({
          type: 'public-key',
          alg,
        })),
        timeout: 300_000,
        authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
        attestation: 'none',
      },
      expires_at: expect.any(Number),
    });
    expect(question.expires_at).toBeGreaterThan(Date.now() / 1000 + 290);
    expect(question.expires_at).toBeLessThanOrEqual(Date.now() / 1000 + 300);
  });

  test('a key can be registered once, is named after its model, and is excluded from the next registration', async () => {
    const person = await newPerson();
    // The name, "Google Password Manager", comes from the community list of authenticator models.
    const authenticator = new SoftwareAuthenticator(origin, {
      aaguid: 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4',
    });
    const created = await register(person, authenticator);
    expect(created.status).toBe(200);
    expect(await created.json()).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      friendly_name: 'Google Password Manager',
      created_at: expect.stringMatching(/Z$/),
    });
    const again = await askToRegister(person.token);
    expect(again.options.excludeCredentials).toEqual([
      { type: 'public-key', id: authenticator.credentialId.toString('base64url') },
    ]);
    const other = await newPerson();
    const stolen = await register(other, authenticator);
    expect(stolen.status).toBe(422);
    expect(await stolen.json()).toMatchObject({
      error_code: 'webauthn_credential_exists',
      msg: 'This credential is already registered',
    });
  });

  test('stores the same data as the hosted service', async () => {
    const person = await newPerson();
    const { challenge_id, options } = await askToRegister(person.token);
    const pool = server.database.pool('postgres');
    const [challenge] = await pool.query<{ session_data: unknown; challenge_type: string; user_id: string }>(
      sql`select session_data, challenge_type, user_id from auth.webauthn_challenges where id = ${challenge_id}`,
    );
    expect(challenge).toEqual({
      challenge_type: 'registration',
      user_id: person.id,
      session_data: {
        challenge: options.challenge,
        rpId,
        user_id: Buffer.from(person.id).toString('base64'),
        expires: '0001-01-01T00:00:00Z',
        userVerification: 'preferred',
        credParams: options.pubKeyCredParams,
      },
    });
    const authenticator = new SoftwareAuthenticator(origin, { backupEligible: true });
    const credential = authenticator.create(options, { backedUp: true });
    const verified = await server.request('/passkeys/registration/verify', {
      json: { challenge_id, credential },
      token: person.token,
    });
    expect(verified.status).toBe(200);
    const [row] = await pool.query(sql`
      select credential_id, attestation_type, aaguid, sign_count, transports, backup_eligible, backed_up
      from auth.webauthn_credentials where user_id = ${person.id}`);
    expect(row).toEqual({
      credential_id: authenticator.credentialId,
      attestation_type: 'none',
      aaguid: '00000000-0000-0000-0000-000000000000',
      sign_count: 0,
      transports: ['internal', 'hybrid'],
      backup_eligible: true,
      backed_up: true,
    });
    expect(await pool.query(sql`select from auth.webauthn_challenges where id = ${challenge_id}`)).toEqual(
      [],
    );
  });

  test('allows at most ten passkeys, even if two registrations finish concurrently', async () => {
    const person = await newPerson();
    const begun = await Promise.all(Array.from({ length: 11 }, () => askToRegister(person.token)));
    const answers = await Promise.all(
      begun.map(({ challenge_id, options }) =>
        server.request('/passkeys/registration/verify', {
          json: { challenge_id, credential: new SoftwareAuthenticator(origin).create(options) },
          token: person.token,
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(10).fill(200), 422]);
    const refused = await server.request('/passkeys/registration/options', { json: {}, token: person.token });
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({
      error_code: 'too_many_passkeys',
      msg: 'Maximum number of passkeys reached',
    });
  });

  test.each<[string, Forgery]>([
    ['another page', { origin: 'https://evil.example' }],
    ['a subdomain of another site', { origin: 'https://app.example.evil.example' }],
    ['the same host without TLS', { origin: 'http://app.example' }],
    ['another relying party', { rpId: 'evil.example' }],
    ['another challenge', { challenge: Buffer.alloc(32, 7).toString('base64url') }],
    ['an assertion in place of a registration', { type: 'webauthn.get' }],
    ['no user presence', { userPresent: false }],
    ['a key that is backed up even though it isn’t eligible for backup', { backedUp: true }],
  ])('rejects %s', async (_what, forgery) => {
    const person = await newPerson();
    const response = await register(person, new SoftwareAuthenticator(origin), forgery);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error_code: 'webauthn_verification_failed',
      msg: 'Credential verification failed',
    });
    expect((await person.client.auth.passkey.list()).data).toEqual([]);
  });

  test('a challenge can be answered only once, before it expires, and by its user', async () => {
    const person = await newPerson();
    const other = await newPerson();
    const { challenge_id, options } = await askToRegister(person.token);
    const credential = new SoftwareAuthenticator(origin).create(options);
    const verify = (token: string, json: object = { challenge_id, credential }) =>
      server.request('/passkeys/registration/verify', { json, token });
    const foreign = await verify(other.token);
    expect(foreign.status).toBe(400);
    expect(await foreign.json()).toMatchObject({
      error_code: 'webauthn_challenge_not_found',
      msg: 'Challenge not found or already used',
    });
    // An invalid response also uses up the challenge.
    expect((await verify(person.token, { challenge_id, credential: {} })).status).toBe(400);
    expect(await (await verify(person.token)).json()).toMatchObject({
      error_code: 'webauthn_challenge_not_found',
    });
    const late = await askToRegister(person.token);
    server.clock.advance(301_000);
    const expired = await verify(person.token, {
      challenge_id: late.challenge_id,
      credential: new SoftwareAuthenticator(origin).create(late.options),
    });
    expect(expired.status).toBe(400);
    expect(await expired.json()).toMatchObject({
      error_code: 'webauthn_challenge_expired',
      msg: 'Challenge has expired',
    });
  });

  test('a sign-in challenge can’t register a passkey, and a registration challenge can’t sign a user in', async () => {
    const { authenticator, ...person } = await personWithPasskey();
    const toSignIn = await askToSignIn();
    const asked = {
      ...toSignIn.options,
      rp: { id: rpId },
      user: { id: Buffer.from(person.id).toString('base64url') },
    };
    const registered = await server.request('/passkeys/registration/verify', {
      json: {
        challenge_id: toSignIn.challenge_id,
        credential: new SoftwareAuthenticator(origin).create(asked),
      },
      token: person.token,
    });
    expect(await registered.json()).toMatchObject({ error_code: 'webauthn_challenge_not_found' });
    const toRegister = await askToRegister(person.token);
    const signedIn = await server.request('/passkeys/authentication/verify', {
      json: {
        challenge_id: toRegister.challenge_id,
        credential: authenticator.get({ rpId, challenge: toRegister.options.challenge }),
      },
    });
    expect(await signedIn.json()).toMatchObject({ error_code: 'webauthn_challenge_not_found' });
  });

  test.each<[string, unknown, number, string, string]>([
    ['no challenge', { credential: {} }, 400, 'validation_failed', 'challenge_id is required'],
    ['no credential', { challenge_id: 'x' }, 400, 'validation_failed', 'credential is required'],
    [
      'no UUID',
      { challenge_id: 'x', credential: {} },
      400,
      'validation_failed',
      'challenge_id must be a valid UUID',
    ],
    [
      'an unknown challenge',
      { challenge_id: crypto.randomUUID(), credential: {} },
      400,
      'webauthn_challenge_not_found',
      'Challenge not found or already used',
    ],
  ])('rejects a body with %s', async (_what, json, status, error_code, msg) => {
    const { token } = await newPerson();
    for (const path of ['/passkeys/registration/verify', '/passkeys/authentication/verify']) {
      const response = await server.request(path, { json, token });
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ error_code, msg });
    }
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['text', 'key'],
    ['a list', []],
    ['another type', { type: 'password' }],
    ['no response', { id: 'AAAA', rawId: 'AAAA', type: 'public-key' }],
    ['numbers for bytes', { id: 'AAAA', rawId: 1, type: 'public-key', response: {} }],
    [
      'client data that isn’t JSON',
      {
        id: 'AAAA',
        rawId: 'AAAA',
        type: 'public-key',
        response: {
          clientDataJSON: 'AAAA',
          attestationObject: 'AAAA',
          authenticatorData: 'AAAA',
          signature: 'AAAA',
        },
      },
    ],
    [
      'bytes that aren’t CBOR',
      {
        id: 'AAAA',
        rawId: 'AAAA',
        type: 'public-key',
        response: {
          clientDataJSON: Buffer.from('{"type":"webauthn.create","challenge":"x","origin":"y"}').toString(
            'base64url',
          ),
          attestationObject: 'gICAgICA',
        },
      },
    ],
  ])('rejects a credential that is %s', async (_what, credential) => {
    const { token } = await newPerson();
    const { challenge_id } = await askToRegister(token);
    const response = await server.request('/passkeys/registration/verify', {
      json: { challenge_id, credential },
      token,
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error_code: 'webauthn_verification_failed',
      msg: 'Invalid credential response',
    });
    const toSignIn = await askToSignIn();
    const signedIn = await server.request('/passkeys/authentication/verify', {
      json: { challenge_id: toSignIn.challenge_id, credential },
    });
    expect(signedIn.status).toBe(400);
    expect(await signedIn.json()).toMatchObject({ error_code: 'webauthn_verification_failed' });
  });

  test('requires the second factor if the user has one, and isn’t available to SSO users', async () => {
    const { client, id } = await newPerson();
    await addVerifiedFactor(id);
    expect((await client.auth.passkey.startRegistration()).error).toMatchObject({
      status: 403,
      code: 'insufficient_aal',
      message: 'AAL2 session is required to manage passkeys when MFA is enabled',
    });
    const sso = await newPerson();
    await server.database
      .pool('postgres')
      .query(sql`update auth.users set is_sso_user = true where id = ${sso.id}`);
    for (const path of ['/passkeys/registration/options', '/passkeys/registration/verify']) {
      const response = await server.request(path, { json: {}, token: sso.token });
      expect(response.status).toBe(422);
      expect(await response.json()).toMatchObject({
        error_code: 'validation_failed',
        msg: 'SSO users cannot register passkeys',
      });
    }
  });
});

test('the settings say that passkeys are available', async () => {
  const response = await server.request('/settings');
  expect(await response.json()).toMatchObject({ passkeys_enabled: true });
});

describe('sign-in', () => {
  test('the challenge doesn’t identify a user', async () => {
    expect(await askToSignIn()).toEqual({
      challenge_id: expect.any(String),
      options: {
        challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        timeout: 300_000,
        rpId,
        userVerification: 'preferred',
      },
      expires_at: expect.any(Number),
    });
  });

  test.each<KeyAlgorithm>(['ES256', 'ES384', 'ES512', 'RS256', 'EdDSA'])(
    'works with an %s key',
    async (algorithm) => {
      const person = await newPerson();
      const authenticator = new SoftwareAuthenticator(origin, { algorithm });
      expect((await register(person, authenticator)).status).toBe(200);
      const response = await signIn(authenticator);
      expect(response.status).toBe(200);
      const session = await response.json<SessionResponse>();
      expect(session.user.id).toBe(person.id);
      const claims = claimsOf(session.access_token);
      expect(claims).toMatchObject({ sub: person.id, aal: 'aal1', amr: [{ method: 'passkey' }] });
      const refreshed = await server.request('/token?grant_type=refresh_token', {
        json: { refresh_token: session.refresh_token },
      });
      expect(refreshed.status).toBe(200);
      const [passkey] = (await person.client.auth.passkey.list()).data ?? [];
      expect(passkey?.last_used_at).toMatch(/Z$/);
      const [entry] = await server.database.pool('postgres').query<{ payload: object }>(sql`
      select payload from auth.audit_log_entries
      where payload ->> 'actor_id' = ${person.id} and payload ->> 'action' = 'login'
      order by created_at desc limit 1`);
      expect(entry?.payload).toMatchObject({ traits: { passkey_id: passkey?.id } });
    },
  );

  test('pages of any configured origin can request a sign-in, even in a frame on another configured origin', async () => {
    const { authenticator } = await personWithPasskey();
    expect((await signIn(authenticator, { origin: 'http://localhost:5173' })).status).toBe(200);
    expect((await signIn(authenticator, { origin: 'android:apk-key-hash:abc' })).status).toBe(200);
    const framed = { crossOrigin: true, topOrigin: 'http://localhost:5173' };
    expect((await signIn(authenticator, framed)).status).toBe(200);
  });

  test.each<[string, (id: string) => Forgery]>([
    ['another page', () => ({ origin: 'https://evil.example' })],
    [
      'another page that frames the app’s page',
      () => ({ crossOrigin: true, topOrigin: 'https://evil.example' }),
    ],
    ['another relying party', () => ({ rpId: 'evil.example' })],
    ['another challenge', () => ({ challenge: Buffer.alloc(32).toString('base64url') })],
    ['a registration in place of an assertion', () => ({ type: 'webauthn.create' })],
    ['no user presence', () => ({ userPresent: false })],
    ['an unregistered key', () => ({ credentialId: Buffer.alloc(32, 9) })],
    ['no user handle', () => ({ userHandle: null })],
    ['a user handle that isn’t a UUID', () => ({ userHandle: Buffer.from("' or true --") })],
    ['an unknown user handle', () => ({ userHandle: Buffer.from(crypto.randomUUID()) })],
    ['the user handle in binary', (id) => ({ userHandle: Buffer.from(id.replaceAll('-', ''), 'hex') })],
    ['a key that has become eligible for backup', () => ({ backupEligible: true })],
    ['a broken signature', () => ({ tamper: (signature) => Buffer.from(signature).fill(1, 10, 20) })],
    ['no signature', () => ({ tamper: () => Buffer.alloc(0) })],
  ])('rejects %s', async (_what, forge) => {
    const { authenticator, id } = await personWithPasskey();
    const response = await signIn(authenticator, forge(id));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error_code: 'webauthn_verification_failed',
      msg: 'Credential verification failed',
    });
  });

  test('a key of one user doesn’t sign in another', async () => {
    const { authenticator } = await personWithPasskey();
    const victim = await personWithPasskey();
    const response = await signIn(authenticator, { userHandle: Buffer.from(victim.id) });
    expect(await response.json()).toMatchObject({ error_code: 'webauthn_verification_failed' });
    // The victim's credential ID doesn't help the attacker either, because the signature is from a different key.
    const forged = await signIn(authenticator, {
      userHandle: Buffer.from(victim.id),
      credentialId: victim.authenticator.credentialId,
    });
    expect(await forged.json()).toMatchObject({ error_code: 'webauthn_verification_failed' });
  });

  test('a response works once, and not for another challenge', async () => {
    const { authenticator } = await personWithPasskey();
    const first = await askToSignIn();
    const second = await askToSignIn();
    const credential = authenticator.get(first.options);
    const send = (challenge_id: string) =>
      server.request('/passkeys/authentication/verify', { json: { challenge_id, credential } });
    expect((await send(first.challenge_id)).status).toBe(200);
    expect(await (await send(first.challenge_id)).json()).toMatchObject({
      error_code: 'webauthn_challenge_not_found',
    });
    expect(await (await send(second.challenge_id)).json()).toMatchObject({
      error_code: 'webauthn_verification_failed',
    });
    const third = await askToSignIn();
    server.clock.advance(301_000);
    const late = { challenge_id: third.challenge_id, credential: authenticator.get(third.options) };
    const expired = await server.request('/passkeys/authentication/verify', { json: late });
    expect(await expired.json()).toMatchObject({ error_code: 'webauthn_challenge_expired' });
  });

  test('a cloned key is detected by its counter, even if both keys sign concurrently', async () => {
    const { authenticator } = await personWithPasskey();
    expect((await signIn(authenticator, { signCount: 5 })).status).toBe(200);
    for (const signCount of [5, 4, 0]) {
      const response = await signIn(authenticator, { signCount });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error_code: 'webauthn_verification_failed' });
    }
    const together = await Promise.all([
      signIn(authenticator, { signCount: 6 }),
      signIn(authenticator, { signCount: 6 }),
    ]);
    expect(together.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect((await signIn(authenticator, { signCount: 7 })).status).toBe(200);
  });

  test('an authenticator without a counter can sign in repeatedly', async () => {
    const person = await newPerson();
    const authenticator = new SoftwareAuthenticator(origin, { counts: false, backupEligible: true });
    await register(person, authenticator);
    expect((await signIn(authenticator)).status).toBe(200);
    expect((await signIn(authenticator, { backedUp: true, userVerified: false })).status).toBe(200);
    const [row] = await server.database
      .pool('postgres')
      .query(sql`select backed_up from auth.webauthn_credentials where user_id = ${person.id}`);
    expect(row).toEqual({ backed_up: true });
  });

  test.each<[string, string, string]>([
    ['an unconfirmed address', 'email_confirmed_at = null', 'email_not_confirmed'],
    ['an unconfirmed number', "phone = '15550001111'", 'phone_not_confirmed'],
    ['a ban', "banned_until = now() + '1 day'", 'user_banned'],
  ])('a user with %s can’t sign in', async (_what, change, code) => {
    const { authenticator, id } = await personWithPasskey();
    const pool = server.database.pool('postgres');
    await pool.query(sql`update auth.users set ${sql.raw(change)} where id = ${id}`);
    const response = await signIn(authenticator);
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error_code: code });
    await pool.query(sql`delete from auth.users where id = ${id}`);
    expect(await pool.query(sql`select from auth.webauthn_credentials where user_id = ${id}`)).toEqual([]);
  });
});

describe('management', () => {
  test('users can list, rename and delete their own passkeys but not those of others', async () => {
    const { client, id } = await personWithPasskey();
    const other = await newPerson();
    const [passkey] = (await client.auth.passkey.list()).data ?? [];
    expect(passkey).toEqual({
      id: expect.any(String),
      friendly_name: 'Passkey',
      created_at: expect.any(String),
    });
    const passkeyId = passkey?.id ?? '';
    const renamed = await client.auth.passkey.update({ passkeyId, friendlyName: 'Blue key' });
    expect(renamed.data).toMatchObject({ id: passkeyId, friendly_name: 'Blue key' });
    expect((await client.auth.passkey.list()).data).toMatchObject([{ friendly_name: 'Blue key' }]);

    expect((await other.client.auth.passkey.list()).data).toEqual([]);
    for (const wanted of [passkeyId, crypto.randomUUID(), 'not-a-uuid']) {
      const update = await other.client.auth.passkey.update({ passkeyId: wanted, friendlyName: 'Mine' });
      expect(update.error).toMatchObject({
        status: 404,
        code: 'validation_failed',
        message: 'Passkey not found',
      });
      const removal = await other.client.auth.passkey.delete({ passkeyId: wanted });
      expect(removal.error).toMatchObject({
        status: 404,
        code: 'validation_failed',
        message: 'Passkey not found',
      });
    }
    expect((await client.auth.passkey.delete({ passkeyId })).error).toBeNull();
    expect((await client.auth.passkey.list()).data).toEqual([]);
    const actions = await server.database.pool('postgres').query<{ action: string }>(sql`
      select payload ->> 'action' as action from auth.audit_log_entries
      where payload ->> 'actor_id' = ${id} and payload ->> 'action' like 'passkey%' order by created_at`);
    expect(actions.map(({ action }) => action)).toEqual([
      'passkey_created',
      'passkey_updated',
      'passkey_deleted',
    ]);
  });

  test.each<[object, string]>([
    [{}, 'friendly_name is required'],
    [{ friendly_name: '' }, 'friendly_name is required'],
    [{ friendly_name: 'ä'.repeat(61) }, 'friendly_name must be 120 characters or less'],
  ])('rejects a name in the body %j', async (json, msg) => {
    const { client, token } = await personWithPasskey();
    const [passkey] = (await client.auth.passkey.list()).data ?? [];
    const response = await server.request(`/passkeys/${passkey?.id}`, { method: 'PATCH', json, token });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error_code: 'validation_failed', msg });
  });

  test('deleting requires the second factor, but listing and renaming don’t', async () => {
    const { client, id } = await personWithPasskey();
    const [passkey] = (await client.auth.passkey.list()).data ?? [];
    const passkeyId = passkey?.id ?? '';
    await addVerifiedFactor(id);
    expect((await client.auth.passkey.list()).error).toBeNull();
    expect((await client.auth.passkey.update({ passkeyId, friendlyName: 'x' })).error).toBeNull();
    expect((await client.auth.passkey.delete({ passkeyId })).error).toMatchObject({
      status: 403,
      code: 'insufficient_aal',
    });
  });

  test('administrators can list and delete passkeys', async () => {
    const { id, client } = await personWithPasskey();
    const admin = createClient(server.url, server.keys.serviceRoleKey, {
      auth: { persistSession: false, storageKey: crypto.randomUUID(), experimental: { passkey: true } },
    }).auth.admin;
    const listed = await admin.passkey.listPasskeys({ userId: id });
    expect(listed.data).toMatchObject([{ friendly_name: 'Passkey' }]);
    const passkeyId = listed.data?.[0]?.id ?? '';
    const stranger = await newPerson();
    const wrongUser = await admin.passkey.deletePasskey({ userId: stranger.id, passkeyId });
    expect(wrongUser.error).toMatchObject({ status: 404, code: 'validation_failed' });
    expect((await admin.passkey.deletePasskey({ userId: id, passkeyId })).error).toBeNull();
    expect((await client.auth.passkey.list()).data).toEqual([]);
    const { token } = await newPerson();
    for (const [method, path] of [
      ['GET', `/admin/users/${id}/passkeys`],
      ['DELETE', `/admin/users/${id}/passkeys/${passkeyId}`],
    ]) {
      expect((await server.request(path ?? '', { method: method ?? '', token })).status).toBe(403);
    }
  });

  test('a soft deletion also removes the passkeys', async () => {
    const { id, authenticator } = await personWithPasskey();
    const removal = await server.admin().auth.admin.deleteUser(id, true);
    expect(removal.error).toBeNull();
    expect(await (await signIn(authenticator)).json()).toMatchObject({
      error_code: 'webauthn_verification_failed',
    });
  });
});

test('if passkeys are disabled, every route returns an error', async () => {
  const plain = await startAuth();
  try {
    const settings = await plain.request('/settings');
    expect(await settings.json()).toMatchObject({ passkeys_enabled: false });
    for (const [method, path] of [
      ['POST', '/passkeys/registration/options'],
      ['POST', '/passkeys/registration/verify'],
      ['POST', '/passkeys/authentication/options'],
      ['POST', '/passkeys/authentication/verify'],
      ['GET', '/passkeys'],
      ['PATCH', `/passkeys/${crypto.randomUUID()}`],
      ['DELETE', `/passkeys/${crypto.randomUUID()}`],
    ] as const) {
      const response = await plain.request(path, { method });
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({
        error_code: 'passkey_disabled',
        msg: 'Passkeys are disabled',
      });
    }
  } finally {
    await plain.stop();
  }
});
