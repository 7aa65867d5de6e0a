/**
 * Tests operators' passkeys, which a software authenticator creates and uses. In each test of an attack, one part of
 * the authenticator's response is forged.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { totpCode } from '../../src/base/shared/one-time-codes.ts';
import { partyOf } from '../../src/pages/console/operators/passkeys.ts';
import { type Forgery, SoftwareAuthenticator } from '../auth/authenticator.ts';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';

let backend: Backend;
let origin: string;
let key: SoftwareAuthenticator;
let keen: Operator;
let secret: string;
const admin = () => backend.database.pool('supabase_admin');
const now = (): number => Math.floor(Date.now() / 30_000);

beforeAll(async () => {
  backend = await startBackend();
  origin = `http://localhost:${new URL(backend.console.url).port}`;
  await backend.operators.createOperator('keen', 'developer');
  await backend.operators.createOperator('other', 'developer');
  keen = await operator(backend, 'keen');
  ({ secret } = (await keen.call('POST', '/factor')).body);
});
afterAll(() => backend?.stop());

const begin = async (who = keen) => who.call('POST', '/factor/passkeys/begin');
async function add(authenticator: SoftwareAuthenticator, forgery: Forgery = {}, who = keen) {
  const { body } = await begin(who);
  const { id, response } = authenticator.create(body, forgery);
  return who.call('POST', '/factor/passkeys', { name: 'Laptop', answer: { id, response } });
}
/** Returns a new session in which the operator hasn't verified the second factor yet. */
const fresh = (name = 'keen') => operator(backend, name);
async function prove(who: Operator, authenticator = key, forgery: Forgery = {}) {
  const { body } = await who.call('POST', '/factor/passkeys/ask');
  const { id, response } = authenticator.get(body, forgery);
  return who.call('POST', '/factor/passkeys/prove', { answer: { id, response } });
}

test('a passkey belongs to a host name, and IP addresses use localhost', () => {
  expect(partyOf('https://console.example.com')).toEqual({
    id: 'console.example.com',
    origin: 'https://console.example.com',
  });
  for (const address of ['http://127.0.0.1:54321', 'http://[::1]:54321'])
    expect(partyOf(address)).toEqual({ id: 'localhost', origin: 'http://localhost:54321' });
});

test('a passkey can’t be added without an authenticator app and its recovery codes', async () => {
  const { status, body } = await begin();
  expect([status, body.code]).toEqual([409, 'refused']);
  expect((await keen.call('POST', '/factor/confirm', { code: totpCode(secret, now()) })).status).toBe(200);
  expect((await begin()).status).toBe(200);
});

describe('with an authenticator app', () => {
  beforeEach(async () => {
    await admin().exec('delete from _plinth.operator_passkeys');
    await admin().exec(
      `update _plinth.operators set totp_confirmed_at = now(), totp_secret = coalesce(totp_secret, 'x') where name = 'keen'`,
    );
    key = new SoftwareAuthenticator(origin);
    expect((await add(key)).status).toBe(204);
  });

  test('a passkey is listed and works as the factor, and its use is recorded', async () => {
    const session = await fresh();
    expect((await session.call('GET', '/tables')).body.code).toBe('factor_needed');
    const { status, body } = await prove(session);
    expect([status, body.factor]).toEqual([200, 'proven']);
    expect((await session.call('GET', '/tables')).status).toBe(200);
    const { passkeys } = (await session.call('GET', '/factor/passkeys')).body;
    expect(passkeys).toMatchObject([{ name: 'Laptop', lastUsedAt: expect.any(String) }]);
    const { entries } = (await session.call('GET', '/audit?action=factor.prove')).body;
    expect(entries[0]).toMatchObject({ detail: { by: 'passkey', name: 'Laptop' } });
  });

  test.each<[string, Forgery]>([
    ['another challenge', { challenge: 'AAAA' }],
    ['another page', { origin: 'http://evil.example' }],
    ['another site', { rpId: 'evil.example' }],
    ['a registration in place of an authentication', { type: 'webauthn.create' }],
    ['no user presence', { userPresent: false }],
    ['no user verification', { userVerified: false }],
    ['a changed signature', { tamper: (bytes) => Buffer.concat([bytes.subarray(0, -1), Buffer.from([0])]) }],
    ['a key that doesn’t exist', { credentialId: Buffer.alloc(32, 1) }],
  ])('%s is rejected, and the factor is still required', async (_what, forgery) => {
    const session = await fresh();
    const { status, body } = await prove(session, key, forgery);
    expect([status, body.code]).toEqual([422, 'key_refused']);
    expect((await session.call('GET', '/tables')).body.code).toBe('factor_needed');
    await admin().exec(`delete from _plinth.operator_sessions where factor_at is null`);
  });

  test.each<[string, Forgery]>([
    ['another challenge', { challenge: 'AAAA' }],
    ['another page', { origin: 'http://evil.example' }],
    ['another site', { rpId: 'evil.example' }],
    ['an authentication in place of a registration', { type: 'webauthn.get' }],
    ['no user verification', { userVerified: false }],
  ])('a new passkey with %s isn’t stored', async (_what, forgery) => {
    expect((await add(new SoftwareAuthenticator(origin), forgery)).body.code).toBe('key_refused');
    expect((await keen.call('GET', '/factor/passkeys')).body.passkeys).toHaveLength(1);
  });

  test('a response can be used only once, and only by the session that requested it', async () => {
    const [session, thief] = [await fresh(), await fresh()];
    const { body } = await session.call('POST', '/factor/passkeys/ask');
    const { id, response } = key.get(body);
    const answer = { answer: { id, response } };
    expect((await thief.call('POST', '/factor/passkeys/prove', answer)).body.code).toBe('key_refused');
    expect((await session.call('POST', '/factor/passkeys/prove', answer)).status).toBe(200);
    expect((await session.call('POST', '/factor/passkeys/prove', answer)).body.code).toBe('key_refused');
  });

  test('a copied key with a lower counter is rejected', async () => {
    expect((await prove(await fresh())).status).toBe(200);
    expect((await prove(await fresh(), key, { signCount: 1 })).body.code).toBe('key_refused');
  });

  test("a session that hasn't verified its factor can't add or remove keys", async () => {
    const session = await fresh();
    expect((await begin(session)).body.code).toBe('factor_needed');
    const id = key.credentialId.toString('base64url');
    expect((await session.call('DELETE', `/factor/passkeys/${id}`)).body.code).toBe('factor_needed');
  });

  test('another operator’s passkey isn’t accepted and can’t be removed', async () => {
    const other = await fresh('other');
    expect((await prove(other)).body.code).toBe('key_refused');
    const id = key.credentialId.toString('base64url');
    expect((await other.call('DELETE', `/factor/passkeys/${id}`)).status).toBe(404);
    expect((await add(key)).body.code).toBe('taken');
  });

  test('a passkey can be removed, and is also deleted when an owner resets the factor', async () => {
    const id = key.credentialId.toString('base64url');
    expect((await keen.call('DELETE', `/factor/passkeys/${id}`)).status).toBe(204);
    expect((await prove(await fresh())).body.code).toBe('key_refused');
    await add(key);
    const owner = await operator(backend);
    const { operators } = (await owner.call('GET', '/operators')).body;
    const { id: keenId } = operators.find(({ name }: { name: string }) => name === 'keen');
    await owner.call('DELETE', `/operators/${keenId}/factor`);
    const [row] = await admin().query<{ n: number }>(
      sql`select count(*)::int as n from _plinth.operator_passkeys`,
    );
    expect(row?.n).toBe(0);
    keen = await fresh();
  });
});
