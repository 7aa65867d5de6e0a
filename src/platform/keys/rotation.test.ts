import { describe, expect, test } from 'vitest';
import { generateSigningKey, signingAlgorithms } from './jwk.ts';
import { describeKeys, KeyRejection, revoke, rotate, withStandby } from './rotation.ts';

const states = (keys: Parameters<typeof describeKeys>[0]) => describeKeys(keys).map(({ state }) => state);

describe.each(signingAlgorithms)('a key of %s', (algorithm) => {
  test('moves from standby to in use, previous and revoked', () => {
    const [first, second] = [generateSigningKey('ES256'), generateSigningKey(algorithm)];
    const waiting = withStandby([first], second);
    expect(states(waiting)).toEqual(['in use', 'standby']);
    const rotated = rotate(waiting);
    expect(describeKeys(rotated)).toEqual([
      { kid: second.kid, algorithm, state: 'in use' },
      { kid: first.kid, algorithm: 'ES256', state: 'previous' },
    ]);
    const again = rotate(withStandby(rotated, generateSigningKey('ES256')));
    expect(states(again)).toEqual(['in use', 'previous', 'previous']);
    const left = revoke(again, String(second.kid));
    expect(left.map(({ kid }) => kid)).not.toContain(second.kid);
  });
});

test('a previous key has no private part', () => {
  const rotated = rotate([generateSigningKey('RS256'), generateSigningKey('ES256')]);
  expect(Object.keys(rotated[1] ?? {}).sort()).toEqual([
    'alg',
    'e',
    'ext',
    'key_ops',
    'kid',
    'kty',
    'n',
    'use',
  ]);
  // A replaced HS256 key keeps its secret, but it must not become a standby key.
  const secret = rotate([generateSigningKey('HS256'), generateSigningKey('ES256')]);
  expect(secret[1]).toMatchObject({ key_ops: ['verify'], k: expect.any(String) });
  expect(() => rotate(secret)).toThrow(KeyRejection);
});

test('the specified standby key becomes the signing key, and the others remain on standby', () => {
  const keys = [1, 2, 3].map(() => generateSigningKey('ES256'));
  const rotated = rotate(keys, String(keys[2]?.kid));
  expect(describeKeys(rotated).map(({ kid, state }) => [kid, state])).toEqual([
    [keys[2]?.kid, 'in use'],
    [keys[0]?.kid, 'previous'],
    [keys[1]?.kid, 'standby'],
  ]);
});

test('a change that would remove the only signing key or that refers to an unknown key is rejected', () => {
  const only = [generateSigningKey('ES256')];
  const kid = String(only[0]?.kid);
  expect(() => rotate(only)).toThrow('No standby key exists.');
  expect(() => rotate(only, kid)).toThrow(`No standby key ${kid} exists.`);
  expect(() => revoke(only, kid)).toThrow('is in use');
  expect(() => revoke(only, 'other')).toThrow('No key other exists.');
});
