import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createRemoteKeySet } from './remote-key-set.ts';
import { type ParsedToken, parseToken } from './verifier.ts';

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const rsa = publicKey.export({ format: 'jwk' });

/** Returns a token with a fake signature, because this test doesn't check signatures. */
function tokenOf(header: Record<string, unknown>): ParsedToken {
  const head = Buffer.from(JSON.stringify(header)).toString('base64url');
  const parsed = parseToken(`${head}.e30.AA`);
  if ('reason' in parsed) throw new Error(parsed.reason);
  return parsed;
}

function keySet(documents: readonly unknown[]) {
  const state = { now: 0, fetches: 0 };
  const set = createRemoteKeySet({
    now: () => state.now,
    fetch: async () => {
      const document = documents[Math.min(state.fetches++, documents.length - 1)];
      if (document instanceof Error) throw document;
      return document;
    },
  });
  return { set, state };
}

describe('an issuer’s keys', () => {
  const old = { keys: [{ ...rsa, kid: 'old' }] };
  const both = {
    keys: [
      { ...rsa, kid: 'old' },
      { ...rsa, kid: 'new' },
    ],
  };
  const oldToken = tokenOf({ alg: 'RS256', kid: 'old' });
  const newToken = tokenOf({ alg: 'RS256', kid: 'new' });

  test('are fetched once, and again after ten minutes', async () => {
    const { set, state } = keySet([old]);
    expect(await set.find(oldToken)).toHaveLength(1);
    state.now = 599_999;
    await set.find(oldToken);
    expect(state.fetches).toBe(1);
    state.now = 600_000;
    await set.find(oldToken);
    expect(state.fetches).toBe(2);
  });

  test('are fetched only once for concurrent requests', async () => {
    const { set, state } = keySet([old]);
    const found = await Promise.all([set.find(oldToken), set.find(oldToken), set.find(newToken)]);
    expect(found.map((keys) => keys.length)).toEqual([1, 1, 0]);
    expect(state.fetches).toBe(1);
  });

  test('are fetched for an unknown key, but at most once per interval', async () => {
    const { set, state } = keySet([old, old, both]);
    await set.find(oldToken);
    state.now = 30_000;
    expect(await set.find(newToken)).toEqual([]);
    for (let i = 0; i < 100; i++) await set.find(tokenOf({ alg: 'RS256', kid: `invented-${i}` }));
    expect(state.fetches).toBe(2);
    state.now = 60_000;
    expect(await set.find(newToken)).toHaveLength(1);
    expect(state.fetches).toBe(3);
  });

  test('known keys remain valid while the issuer is unavailable', async () => {
    const { set, state } = keySet([old, new Error('away')]);
    await set.find(oldToken);
    state.now = 600_000;
    expect(await set.find(oldToken)).toHaveLength(1);
    state.now = 700_000;
    await expect(set.find(newToken)).rejects.toThrow('away');
  });
});

describe('accepted keys', () => {
  const find = async (jwk: unknown, header: Record<string, unknown>) => {
    const { set } = keySet([{ keys: [jwk] }]);
    return (await set.find(tokenOf(header))).length;
  };

  test.each([
    ['same kid', { ...rsa, kid: 'a' }, { alg: 'RS256', kid: 'a' }, 1],
    ['another kid', { ...rsa, kid: 'a' }, { alg: 'RS256', kid: 'b' }, 0],
    ['a token without kid', { ...rsa, kid: 'a' }, { alg: 'RS256' }, 1],
    ['a different algorithm than the key is for', { ...rsa, alg: 'RS512' }, { alg: 'RS256' }, 0],
    ['an algorithm that the key leaves open', rsa, { alg: 'PS384' }, 1],
    ['a key for encryption', { ...rsa, use: 'enc' }, { alg: 'RS256' }, 0],
    ['a secret', { kty: 'oct', k: 'c2VjcmV0' }, { alg: 'HS256' }, 0],
    ['a public key as a secret', rsa, { alg: 'HS256' }, 0],
    ['no key at all', 'nonsense', { alg: 'RS256' }, 0],
  ])('%s', async (_name, jwk, header, count) => {
    expect(await find(jwk, header)).toBe(count);
  });

  test.each([[null], [{}], [{ keys: {} }], ['text']])('%j isn’t a key set', async (document) => {
    const { set } = keySet([document]);
    await expect(set.find(tokenOf({ alg: 'RS256' }))).rejects.toThrow("doesn't contain any keys");
  });
});

test.each([-86_400_000, -3_600_000, 3_600_000, 86_400_000])(
  'keys are fetched after the clock jumps by %i ms',
  async (jumpMs) => {
    const { set, state } = keySet([{ keys: [{ ...rsa, kid: 'old' }] }, { keys: [{ ...rsa, kid: 'new' }] }]);
    state.now = 1e12;
    await set.find(tokenOf({ alg: 'RS256', kid: 'old' }));
    state.now += jumpMs;
    expect(await set.find(tokenOf({ alg: 'RS256', kid: 'new' }))).toHaveLength(1);
    expect(state.fetches).toBe(2);
  },
);
