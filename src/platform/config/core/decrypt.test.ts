import { createCipheriv, createECDH, ECDH, hkdfSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { decryptSecret, privateKeysFrom } from './decrypt.ts';

/** A value that dotenvx encrypted, and the private key that dotenvx generated for it. */
const key = '7fd7210cef8f331ee8c55897996aaaafd853a2b20a4dc73d6d75759f65d2a7eb';
const secret =
  'encrypted:BKiXH15AyRzeohGyUrmB6cGjSklCrrBjdesQlX1VcXo/Xp20Bi2gGZ3AlIqxPQDmjVAALnhZamKnuY73l8Dz1P+BYiZUgxTSLzdCvdYUyVbNekj2UudbdUizBViERtZkuQwZHIv/';

test('decrypts values that dotenvx encrypted', () => {
  expect(decryptSecret(secret, [key])).toBe('value');
  expect(decryptSecret(secret, ['not hexadecimal', '00'.repeat(31).concat('01'), key])).toBe('value');
});

test('without a matching key, no value is returned', () => {
  expect(decryptSecret(secret, [])).toBeUndefined();
  expect(decryptSecret(secret, ['00'.repeat(31).concat('02')])).toBeUndefined();
  expect(decryptSecret('encrypted:', [key])).toBeUndefined();
  expect(decryptSecret('encrypted:!!!', [key])).toBeUndefined();
});

test('keys are read from every variable with the prefix', () => {
  const environment = {
    DOTENV_PRIVATE_KEY: 'a, b',
    DOTENV_PRIVATE_KEY_PRODUCTION: 'c',
    DOTENV_PUBLIC_KEY: 'd',
    OTHER: 'e',
  };
  expect(privateKeysFrom(environment)).toEqual(['a', 'b', 'c']);
});

test('keys with both signs of the curve point are accepted', () => {
  const receiver = createECDH('secp256k1');
  receiver.generateKeys();
  for (const half of [2, 3]) {
    const sealed = seal('both', receiver.getPublicKey(), half);
    expect(decryptSecret(sealed, [receiver.getPrivateKey('hex')])).toBe('both');
  }
});

/** Encrypts a value as dotenvx does. `half` is the first byte of the shared point in compressed form. */
function seal(plain: string, publicKey: Buffer, half: number): string {
  const sender = createECDH('secp256k1');
  const ephemeral = sender.generateKeys();
  const compressed = Buffer.concat([Buffer.of(half), sender.computeSecret(publicKey)]);
  const shared = ECDH.convertKey(compressed, 'secp256k1', undefined, undefined, 'uncompressed') as Buffer;
  const key = Buffer.from(hkdfSync('sha256', Buffer.concat([ephemeral, shared]), '', '', 32));
  const nonce = Buffer.alloc(16, 7);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return `encrypted:${Buffer.concat([ephemeral, nonce, cipher.getAuthTag(), sealed]).toString('base64')}`;
}
