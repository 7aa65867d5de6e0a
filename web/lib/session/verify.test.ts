import { createHmac, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { createSessionClient } from './client.ts';
import { createSessionEvents } from './events.ts';
import { faultMessages, SessionFault } from './faults.ts';
import { createKeySource, type Jwk, jwksCacheMs } from './jwks.ts';
import { verifyAccessToken } from './verify.ts';

const now = 1_800_000_000_000;
const later = now / 1000 + 3600;
const secret = 'super-secret-jwt-token-with-at-least-32-characters-long';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const otherEc = generateKeyPairSync('ec', { namedCurve: 'P-256' });

function jwk(key: KeyObject, kid: string): Jwk {
  return { ...(key.export({ format: 'jwk' }) as Jwk), kid };
}

const rsaJwk = jwk(rsa.publicKey, 'rsa-1');
const ecJwk = jwk(ec.publicKey, 'ec-1');
const octJwk: Jwk = { kty: 'oct', k: Buffer.from(secret).toString('base64url'), kid: 'hs-1' };

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

type Sign = (data: string) => Buffer;
const signs = {
  HS256: (data: string) => createHmac('sha256', secret).update(data).digest(),
  RS256: (data: string) => createSign('RSA-SHA256').update(data).sign(rsa.privateKey),
  ES256: (data: string) =>
    createSign('SHA256').update(data).sign({ key: ec.privateKey, dsaEncoding: 'ieee-p1363' }),
} satisfies Record<string, Sign>;

function token(header: object, claims: object, sign: Sign): string {
  const data = `${encode(header)}.${encode(claims)}`;
  return `${data}.${sign(data).toString('base64url')}`;
}

const claims = { sub: 'b2b0c0de', exp: later, role: 'authenticated' };
const hsToken = token({ alg: 'HS256', typ: 'JWT' }, claims, signs.HS256);
const rsToken = token({ alg: 'RS256', kid: 'rsa-1' }, claims, signs.RS256);
const esToken = token({ alg: 'ES256', kid: 'ec-1' }, claims, signs.ES256);

function keysOf(...keys: Jwk[]) {
  return createKeySource({ fetchKeys: async () => ({ keys }), now: () => now });
}

function verify(text: string, keys: Jwk[], confirm?: (token: string) => Promise<boolean>) {
  return verifyAccessToken(text, { keys: keysOf(...keys), now: () => now, confirm });
}

describe('a valid token', () => {
  test.each([
    ['HS256 with a private set', hsToken, octJwk],
    ['RS256', rsToken, rsaJwk],
    ['ES256', esToken, ecJwk],
  ])('%s', async (_name, text, key) => {
    await expect(verify(text, [key])).resolves.toEqual(claims);
  });

  test('that has no kid is verified with every key of its type', async () => {
    const text = token({ alg: 'ES256' }, claims, signs.ES256);
    await expect(verify(text, [rsaJwk, jwk(otherEc.publicKey, 'ec-0'), ecJwk])).resolves.toEqual(claims);
  });
});

describe('the seven messages', () => {
  test('match the specification word for word', () => {
    expect(Object.values(faultMessages)).toEqual([
      'JWKS is empty',
      'No matching signing key found in JWKS',
      'Invalid JWT signature',
      'JWT has expired',
      'Missing exp claim',
      'Invalid alg claim',
      'URL and key required',
    ]);
  });

  const [head, payload] = esToken.split('.') as [string, string, string];
  const rejected: [string, string, Jwk[], string][] = [
    ['an empty set', esToken, [], 'JWKS is empty'],
    ['HS256 against the public set of an HS256 project', hsToken, [], 'JWKS is empty'],
    ['HS256 against a set with public keys only', hsToken, [ecJwk], 'No matching signing key found in JWKS'],
    ['an unknown kid', esToken, [rsaJwk, jwk(ec.publicKey, 'ec-2')], 'No matching signing key found in JWKS'],
    [
      'a matching kid with another key type',
      rsToken,
      [{ ...ecJwk, kid: 'rsa-1' }],
      'No matching signing key found in JWKS',
    ],
    ['another key under the same kid', esToken, [jwk(otherEc.publicKey, 'ec-1')], 'Invalid JWT signature'],
    [
      'changed claims',
      `${head}.${encode({ ...claims, sub: 'other' })}.${esToken.split('.')[2]}`,
      [ecJwk],
      'Invalid JWT signature',
    ],
    ['no signature', `${head}.${payload}.`, [ecJwk], 'Invalid JWT signature'],
    ['a signature that is not base64url', `${head}.${payload}.***`, [ecJwk], 'Invalid JWT signature'],
    [
      'the public key used as an HMAC secret',
      token({ alg: 'HS256', kid: 'rsa-1' }, claims, signs.HS256),
      [rsaJwk],
      'No matching signing key found in JWKS',
    ],
    [
      'an expired token',
      token({ alg: 'ES256', kid: 'ec-1' }, { ...claims, exp: now / 1000 }, signs.ES256),
      [ecJwk],
      'JWT has expired',
    ],
    ['no exp', token({ alg: 'ES256', kid: 'ec-1' }, { sub: 'x' }, signs.ES256), [ecJwk], 'Missing exp claim'],
    [
      'exp as text',
      token({ alg: 'ES256', kid: 'ec-1' }, { exp: String(later) }, signs.ES256),
      [ecJwk],
      'Missing exp claim',
    ],
    ['claims that aren’t an object', `${head}.${encode([1])}.x`, [ecJwk], 'Missing exp claim'],
    ['alg none', `${encode({ alg: 'none' })}.${payload}.`, [ecJwk], 'Invalid alg claim'],
    ['no alg', token({ kid: 'ec-1' }, claims, signs.ES256), [ecJwk], 'Invalid alg claim'],
    [
      'alg named like a property of every object',
      token({ alg: 'constructor' }, claims, signs.ES256),
      [ecJwk],
      'Invalid alg claim',
    ],
    ['no token at all', '', [ecJwk], 'Invalid alg claim'],
    ['words', 'not a token', [ecJwk], 'Invalid alg claim'],
  ];
  test.each(rejected)('%s', async (_name, text, keys, message) => {
    await expect(verify(text, keys)).rejects.toThrow(new SessionFault(codeOf(message)));
    await expect(verify(text, keys)).rejects.toHaveProperty('message', message);
  });

  test.each([
    ['', 'key'],
    ['https://example.org/auth/v1', ''],
  ])('a client for url "%s" and key "%s"', (url, key) => {
    const transport = { read: async () => null, refresh: async () => null };
    const events = createSessionEvents(new BroadcastChannel('verify-test'));
    expect(() => createSessionClient({ url, key, transport, events })).toThrow('URL and key required');
    events.close();
  });
});

describe('a token signed with the shared secret', () => {
  test('is accepted if the service accepts it, without the public key set', async () => {
    const confirm = vi.fn(async () => true);
    await expect(verify(hsToken, [], confirm)).resolves.toEqual(claims);
    expect(confirm).toHaveBeenCalledExactlyOnceWith(hsToken);
  });

  test('is rejected if the service rejects it', async () => {
    await expect(verify(hsToken, [], async () => false)).rejects.toThrow('Invalid JWT signature');
  });

  test('isn’t sent to the service after it has expired', async () => {
    const confirm = vi.fn(async () => true);
    const old = token({ alg: 'HS256' }, { ...claims, exp: 1 }, signs.HS256);
    await expect(verify(old, [], confirm)).rejects.toThrow('JWT has expired');
    expect(confirm).not.toHaveBeenCalled();
  });
});

describe('the key set', () => {
  test('is cached for ten minutes', async () => {
    let time = now;
    const fetchKeys = vi.fn(async () => ({ keys: [ecJwk] }));
    const keys = createKeySource({ fetchKeys, now: () => time });
    await keys.find('ec-1', 'EC');
    time += jwksCacheMs - 1;
    await keys.find('ec-1', 'EC');
    expect(fetchKeys).toHaveBeenCalledTimes(1);
    time += 1;
    await keys.find('ec-1', 'EC');
    expect(fetchKeys).toHaveBeenCalledTimes(2);
    expect(jwksCacheMs).toBe(600_000);
  });

  test('is fetched again for an unknown kid, because it may be new', async () => {
    const sets = [[rsaJwk], [rsaJwk, ecJwk]];
    const fetchKeys = vi.fn(async () => ({ keys: sets.shift() ?? [] }));
    const keys = createKeySource({ fetchKeys, now: () => now });
    await keys.find('rsa-1', 'RSA');
    await expect(keys.find('ec-1', 'EC')).resolves.toEqual([ecJwk]);
    expect(fetchKeys).toHaveBeenCalledTimes(2);
  });

  test('is fetched once for many concurrent tokens', async () => {
    const fetchKeys = vi.fn(async () => ({ keys: [ecJwk] }));
    const keys = createKeySource({ fetchKeys, now: () => now });
    await Promise.all([keys.find('ec-1', 'EC'), keys.find('ec-1', 'EC'), keys.find('ec-1', 'EC')]);
    expect(fetchKeys).toHaveBeenCalledTimes(1);
  });

  test('is requested again after a failure', async () => {
    const fetchKeys = vi.fn(async () => ({ keys: [ecJwk] }));
    fetchKeys.mockRejectedValueOnce(new Error('down'));
    const keys = createKeySource({ fetchKeys, now: () => now });
    await expect(keys.find('ec-1', 'EC')).rejects.toThrow('down');
    await expect(keys.find('ec-1', 'EC')).resolves.toHaveLength(1);
  });
});

function codeOf(message: string): keyof typeof faultMessages {
  const entry = Object.entries(faultMessages).find(([, text]) => text === message);
  return entry?.[0] as keyof typeof faultMessages;
}
