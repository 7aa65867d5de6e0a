/** Tests that forged tokens are rejected for each kind of key (RFC 8725). */
import { createHmac, createPublicKey, generateKeyPairSync, sign, type webcrypto } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { configFrom } from '../../src/platform/config/index.ts';
import {
  createKeys,
  generateSigningKey,
  type SigningAlgorithm,
  signingAlgorithms,
} from '../../src/platform/keys/index.ts';

const dir = mkdtempSync(join(tmpdir(), 'plinth-attacks-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

type PrivateJwk = ReturnType<typeof generateSigningKey> & webcrypto.JsonWebKey;

function storeWith(...jwks: readonly PrivateJwk[]) {
  const file = join(dir, `${crypto.randomUUID()}.json`);
  writeFileSync(file, JSON.stringify(jwks));
  const config = configFrom({ auth: { signing_keys_path: file } });
  return createKeys({ mode: 'development', config, supabaseDir: dir, dataDir: dir });
}

const b64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const claims = { sub: 'a', role: 'service_role', exp: 9_999_999_999 };
const unsigned = (header: object) => `${b64(header)}.${b64(claims)}`;
const hmac = (header: object, secret: string | Buffer, hash = 'sha256') => {
  const data = unsigned(header);
  return `${data}.${createHmac(hash, secret).update(data).digest('base64url')}`;
};

describe.each(signingAlgorithms)('a project that signs with %s', (algorithm: SigningAlgorithm) => {
  const jwk = generateSigningKey(algorithm) as PrivateJwk;
  const keys = storeWith(jwk);
  const kid = String(jwk.kid);
  const good = keys.sign(claims);
  const [, , goodSignature = ''] = good.split('.');

  test('accepts its own tokens', () => {
    expect(keys.verify(good)).toMatchObject({ ok: true, header: { alg: algorithm, kid } });
  });

  test.each(['none', 'None', 'NONE', 'nOnE', '', 'HS256 ', 'hs256', 'ES256K', '__proto__', 'toString'])(
    'rejects the algorithm "%s", signed or not',
    (alg) => {
      for (const tail of ['', '.', '.AA', `.${goodSignature}`]) {
        expect(keys.verify(`${unsigned({ alg, kid })}${tail}`).ok).toBe(false);
      }
    },
  );

  test.each(signingAlgorithms.filter((other) => other !== algorithm))(
    'rejects its own key under the name %s',
    (other) => {
      expect(keys.verify(`${unsigned({ alg: other, kid })}.${goodSignature}`).ok).toBe(false);
    },
  );

  test('rejects public data used as a secret: PEM, DER, JWK, modulus, coordinate', () => {
    if (algorithm === 'HS256') return expect(keys.publicJwks().keys).toEqual([]);
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const published = keys.publicJwks().keys[0] ?? {};
    const secrets = [
      key.export({ type: 'spki', format: 'pem' }),
      key.export({ type: 'spki', format: 'der' }),
      JSON.stringify(published),
      ...[jwk.n, jwk.x, jwk.y].flatMap((part) => (part ? [part, Buffer.from(part, 'base64url')] : [])),
      '',
    ];
    for (const secret of secrets) {
      for (const header of [{ alg: 'HS256', kid }, { alg: 'HS256' }]) {
        expect(keys.verify(hmac(header, secret)).ok).toBe(false);
      }
    }
  });

  test('rejects a key that the token contains', () => {
    const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const brought = own.publicKey.export({ format: 'jwk' });
    for (const header of [
      { alg: 'ES256', jwk: brought },
      { alg: 'ES256', kid, jwk: brought },
      { alg: 'ES256', jku: 'http://127.0.0.1:9/keys', kid: 'evil' },
      { alg: 'ES256', x5u: 'http://127.0.0.1:9/cert' },
      { alg: 'ES256', x5c: ['MII='] },
    ]) {
      const data = unsigned(header);
      const signature = sign('sha256', Buffer.from(data), { key: own.privateKey, dsaEncoding: 'ieee-p1363' });
      expect(keys.verify(`${data}.${signature.toString('base64url')}`).ok).toBe(false);
    }
  });

  test.each([
    '../../../../dev/null',
    '/dev/null',
    "' union select 'secret' --",
    'x'.repeat(100_000),
    '\0',
    '__proto__',
    '',
    null,
    0,
    [kid],
    { kid },
  ])('rejects an unusual key ID with a guessable secret (case %#)', (strange) => {
    for (const secret of ['', 'secret', '\0']) {
      expect(keys.verify(hmac({ alg: 'HS256', kid: strange }, secret)).ok).toBe(false);
    }
  });

  test('rejects a signature that is truncated, empty, extended, or all zeros', () => {
    const data = unsigned({ alg: algorithm, kid });
    const length = Buffer.from(goodSignature, 'base64url').length;
    for (const bytes of [0, 1, length - 1, length, length + 1, 2 * length]) {
      expect(keys.verify(`${data}.${Buffer.alloc(bytes).toString('base64url')}`).ok).toBe(false);
    }
    expect(keys.verify(`${data}.${goodSignature}`).ok).toBe(data === good.slice(0, good.lastIndexOf('.')));
    expect(keys.verify(`${good.slice(0, -2)}`).ok).toBe(false);
    expect(keys.verify(`${good}AA`).ok).toBe(false);
  });

  test('rejects changed claims with a valid signature, and duplicate header members', () => {
    const [head] = good.split('.');
    expect(keys.verify(`${head}.${b64({ ...claims, sub: 'b' })}.${goodSignature}`).ok).toBe(false);
    const twice = Buffer.from(`{"alg":"${algorithm}","alg":"none","kid":"${kid}"}`).toString('base64url');
    expect(keys.verify(`${twice}.${b64(claims)}.${goodSignature}`).ok).toBe(false);
  });
});

test('a key of one project isn’t accepted by another project, even with the same key ID', () => {
  const one = generateSigningKey('ES256') as PrivateJwk;
  const other = { ...(generateSigningKey('ES256') as PrivateJwk), kid: one.kid };
  expect(storeWith(other).verify(storeWith(one).sign(claims))).toMatchObject({
    ok: false,
    reason: 'signature',
  });
});

test('a listed secret and the project’s own secret are each accepted only for their key ID', () => {
  const secret = generateSigningKey('HS256') as PrivateJwk;
  const keys = storeWith(secret, generateSigningKey('ES256') as PrivateJwk);
  expect(keys.verify(hmac({ alg: 'HS256', kid: secret.kid }, keys.jwtSecret)).ok).toBe(false);
  // Older tokens don't have a key ID, so the JWT secret is tried if no key in the list matches.
  expect(keys.verify(hmac({ alg: 'HS256', kid: 'older' }, keys.jwtSecret)).ok).toBe(true);
  expect(keys.internalJwks().keys.map(({ kty }) => kty)).toEqual(['EC', 'oct']);
  expect(JSON.stringify(keys.publicJwks())).not.toContain(String(secret.k));
});
